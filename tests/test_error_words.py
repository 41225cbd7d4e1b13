"""Every error says where, what, and what to do; read from the source, and at work."""

from __future__ import annotations

import ast
import string
from pathlib import Path

import pytest

from mewctl import cli, errors

PACKAGE = Path(__file__).parents[1] / "mewctl"
CLASSES = {
    name: kind
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, errors.MewError)
}


def fields(kind: type[errors.MewError]) -> set[str]:
    """What the template of an error's class asks for."""
    parsed = string.Formatter().parse(kind.__doc__ or "")
    return {name for _, name, _, _ in parsed if name}


def faults(source: str) -> list[str]:
    """What is wrong with the errors that a module makes."""
    tree = ast.parse(source)
    known = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "mewctl.errors"
        for alias in node.names
    } & set(CLASSES)
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        if name in known:
            given = {word.arg: word.value for word in node.keywords}
            if None not in given:  # ** hands on another error's fields
                missing = sorted(fields(CLASSES[name]) - set(given))
                found += [f"{node.lineno}: {name} without {word}" for word in missing]
            found += [
                f"{node.lineno}: {name} {word}: {text!r}"
                for word, value in given.items()
                if (text := constant(value)) is not None and not good(text)
            ]
        elif name in {"click.UsageError", "click.BadParameter"}:
            text = constant(node.args[0])
            if text is not None and not good(text):
                found.append(f"{node.lineno}: {name}: {text!r}")
    return found


def constant(value: ast.AST) -> str | None:
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return value.value
    return None


def good(text: str) -> bool:
    """A part of one line: something, no sentence's end, no line's end."""
    return bool(text.strip()) and text == text.strip() and text[-1] not in ".;:!\n"


def test_every_template_ends_with_what_to_do():
    for name, kind in CLASSES.items():
        if name not in {"MewError", "Negative"}:
            assert (kind.__doc__ or "").endswith("; {remedy}"), name


@pytest.mark.parametrize(
    "path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE))
)
def test_every_error_is_made_with_all_that_its_line_says(path):
    assert faults(path.read_text()) == []


@pytest.mark.parametrize(
    ("call", "seen"),
    [
        ("Usage(what='w')", "Usage without remedy"),
        ("Usage(what='', remedy='r')", "Usage what: ''"),
        ("Usage(what='w', remedy='Do it.')", "Usage remedy: 'Do it.'"),
        ("BadInput(what='w', remedy='r')", "BadInput without place"),
        ("click.UsageError('No.')", "click.UsageError: 'No.'"),
        ("Usage(**fields)", ""),
        ("Usage(what=text, remedy='r')", ""),
        ("Other(what='')", ""),
    ],
)
def test_a_fault_of_that_kind_is_seen(call, seen):
    found = faults(f"from mewctl.errors import BadInput, Usage\nraise {call}")
    assert bool(found) is bool(seen)
    assert seen in "".join(found)


@pytest.mark.parametrize(
    "args",
    [
        ["repair", "missing"],
        ["repair", "."],
        ["repair", "--frobnicate"],
        ["spill", "--single-limit", "x"],
        ["spill", "-s", "nobody"],
        ["recall", "nothing"],
        ["recall"],
        ["recall", "--grep", "["],
        ["compact", "--trigger", "manual", "--window", "1k"],
        ["compact", "--tools", "missing"],
        ["convert", "--request"],
        ["tokens", "big", "-o", "file/below"],
        ["tokens", "big", "--anchor", "x"],
        ["config", "show", "nothing"],
        ["config"],
        ["help", "nothing"],
        ["nothing"],
    ],
)
def test_an_error_at_work_is_one_line_with_its_command_and_a_remedy(
    args, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "file").write_bytes(b"")
    big = b"[" + b'{"role":"user","content":"' + b"word " * 90_000 + b'"}]'
    (tmp_path / "big").write_bytes(big)
    if args[0] in {"spill", "compact"}:
        args = [*args, "big"]
    assert cli.run(args) not in (0, 70)
    lines = capsys.readouterr().err.splitlines()
    if args == ["config"]:  # the help of a group is what it says
        assert lines[0].startswith("Usage: mewctl config")
        return
    lines = [
        line for line in lines if "user level" not in line and "window:" not in line
    ]
    assert len(lines) == 1
    name = {"nothing": "", "config": "config show"}.get(args[0], args[0])
    assert lines[0].startswith(f"mewctl {name}: " if name else "mewctl: ")
    assert "; " in lines[0] or "Did you mean" in lines[0]
