"""The README tells the truth: its examples run, its tables are those of the code."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from mewctl import errors
from tests.support.command_tree import NAMES, command

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
DOCS = sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", *DOCS]


def blocks(language: str, page: str = "README.md") -> list[str]:
    text = (ROOT / page).read_text()
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def rows(text: str, width: int) -> list[list[str]]:
    """The cells of all table rows with ``width`` columns."""
    cells = [
        re.split(r"(?<!\\)\|", line.strip().strip("|")) for line in text.splitlines()
    ]
    return [[c.strip() for c in row] for row in cells if len(row) == width]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A project with the examples, an empty home, and mewctl on the PATH."""
    root = tmp_path_factory.mktemp("readme")
    work, home, programs = root / "work", root / "home", root / "bin"
    for directory in (work / ".mewcode", home, programs):
        directory.mkdir(parents=True)
    shutil.copytree(ROOT / "examples", work / "examples")
    program = programs / "mewctl"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mewctl "$@"\n')
    program.chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    environ = {"PATH": path, "HOME": str(home), "PYTHONPATH": str(ROOT)}
    return lambda script: subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=work,
        env=environ,
        capture_output=True,
        check=False,
        text=True,
    )


def test_there_are_examples_to_run():
    assert len(blocks("sh")) >= 5
    assert all("$ " not in block for block in blocks("sh"))


@pytest.mark.parametrize("page", ["README.md", *DOCS])
def test_the_examples_run_one_after_another(place, page):
    for block in blocks("sh", page):
        done = place(block)
        assert done.returncode == 0, f"{block}\n{done.stderr}"
        assert "Traceback" not in done.stderr


def test_the_demo_runs_and_recalls_what_left(place):
    done = place("sh examples/demo.sh")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    shown = done.stdout.splitlines()
    before, after = (
        int(line.split()[0].replace(",", "")) for line in shown if "cautious" in line
    )
    assert after < before / 3
    assert "    103195" in shown
    assert any('"content":"Good, leave the waiting out.' in line for line in shown)


def test_the_demo_leaves_nothing_behind(place, tmp_path):
    done = place(f"TMPDIR={tmp_path} sh examples/demo.sh")
    assert done.returncode == 0
    assert list(tmp_path.iterdir()) == []


def test_the_exit_codes_are_those_of_the_program():
    told = {int(code): words for code, words in rows(README, 2) if code.isdigit()}
    assert told == {int(code): words for code, words in errors.MEANING.items()}


def test_the_commands_are_those_of_the_program_with_their_options():
    told = {name.strip("`"): options for name, _, options in rows(README, 3)}
    told = {name: options for name, options in told.items() if name in NAMES}
    assert list(told) == NAMES
    for name, cell in told.items():
        known = {flag for param in command(name).params for flag in param.opts}
        flags = set(re.findall(r"`(--?[a-z-]+)", cell))
        assert flags <= known, (name, flags - known)


def test_the_settings_are_accepted(place):
    (text,) = blocks("toml")
    assert tomllib.loads(text)["window"] == 200_000
    written = place(f"cat > .mewcode/config.toml <<'END'\n{text}END\n")
    assert written.returncode == 0
    done = place("mewctl spill /dev/null; rm .mewcode/config.toml")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("page", PAGES)
def test_every_link_to_a_file_leads_somewhere(page):
    text = (ROOT / page).read_text()
    links = re.findall(r"\]\(([^)#]+)\)", text)
    for link in links:
        if not link.startswith("https://"):
            assert ((ROOT / page).parent / link).exists(), link


def test_the_targets_of_make_are_there():
    targets = set(
        re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    )
    told = set(re.findall(r"\bmake ([a-z]+)\b(?=  |`| *#)", README))
    assert told
    assert told <= targets
