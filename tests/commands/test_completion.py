"""TAB in real shells, and the command that prints their scripts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import CompletionItem

from mewctl import cli, registry
from mewctl.commands import completion
from mewctl.commands.completion_scripts import SCRIPTS
from mewctl.commands.help import TOPICS
from tests.support.command_tree import command
from tests.support.shells import missing, offered, offered_by_fpath

ROOT = Path(__file__).parents[2]
FORMATS = ["anthropic", "mew", "openai", "responses"]
SHELLS = [
    pytest.param(
        name, marks=pytest.mark.skipif(missing(name), reason=f"{name} is not installed")
    )
    for name in completion.SHELLS
]


@pytest.fixture(params=SHELLS)
def tab(request, tmp_path):
    """What a shell offers when TAB is pressed: ``tab("mewctl sp")``, sorted."""
    home, programs = tmp_path / "home", tmp_path / "bin"
    for directory in (home / "a dir", home / "data", programs):
        directory.mkdir(parents=True)
    (home / "data.jsonl").touch()
    program = programs / "mewctl"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mewctl "$@"\n')
    program.chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    environ = {"PATH": path, "HOME": str(home), "PYTHONPATH": str(ROOT)}

    def ask(line: str) -> list[str]:
        return sorted(offered(request.param, line, environ, home))

    ask.program, ask.environ, ask.home = program, environ, home
    return ask


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_the_script_of_each_shell_is_printed(shell, capsysbinary):
    assert cli.run(["completion", shell]) == 0
    assert capsysbinary.readouterr().out == SCRIPTS[shell].encode()


def test_the_shells_are_those_that_have_a_script():
    assert tuple(SCRIPTS) == completion.SHELLS


def test_a_shell_without_a_script_is_a_usage_error(capsys):
    assert cli.run(["completion", "tcsh"]) == 2
    assert "'tcsh' is not one of 'bash', 'zsh', 'fish'" in capsys.readouterr().err


def test_a_missing_shell_is_told_in_one_line(capsys):
    assert cli.run(["completion"]) == 2
    words = capsys.readouterr().err
    assert "Choose from: bash, zsh, fish; see mewctl completion --help" in words
    assert words.count("\n") == 1


def test_commands_are_offered(tab):
    assert tab("mewctl ") == sorted(registry.REGISTRY)
    assert tab("mewctl sp") == ["spill"]


def test_options_are_offered_those_already_given_excepted(tab):
    known = {max(option.opts, key=len) for option in command("tokens").params[1:]}
    assert set(tab("mewctl tokens --")) == known | {"--help"}
    assert "--check" not in tab("mewctl tokens --check --")


def test_the_values_of_an_option_and_of_an_argument_are_offered(tab):
    assert tab("mewctl convert --to ") == FORMATS
    assert tab("mewctl convert --to an") == ["anthropic"]
    assert tab("mewctl help ") == sorted(TOPICS)


def test_a_value_after_an_equals_sign_is_offered(tab):
    assert tab("mewctl convert --to=an") == ["--to=anthropic"]
    # bash puts what stands before the sign to the first alone
    all_ = {word.removeprefix("--to=") for word in tab("mewctl convert --to=")}
    assert all_ == set(FORMATS)


def test_files_are_offered_where_files_are_meant(tab):
    assert tab("mewctl convert data.") == ["data.jsonl"]
    assert tab("mewctl convert --report data.") == ["data.jsonl"]
    assert tab("mewctl convert --report=data.") == ["--report=data.jsonl"]


def test_a_command_below_a_command_is_offered_and_files_are_beside_it(tab):
    assert tab("mewctl tokens ti") == ["timeline"]
    assert tab("mewctl tokens data.") == ["data.jsonl"]
    assert tab("mewctl tokens timeline data.") == ["data.jsonl"]
    assert "--html" in tab("mewctl tokens timeline --")
    assert "timeline" not in tab("mewctl tokens data.jsonl ti")


def test_directories_alone_are_offered_where_a_directory_is_meant(tab):
    (found,) = tab("mewctl recall --root dat")
    assert found.rstrip("/") == "data"  # bash leaves out the sign when it lists


def test_nothing_is_offered_nor_said_for_an_unknown_command(tab):
    assert tab("mewctl frobnicate ") == []


@pytest.mark.parametrize("tab", [p for p in SHELLS if "zsh" in p.values], indirect=True)
def test_zsh_finds_the_installed_script_by_itself(tab):
    folder = ROOT / "completions"
    assert offered_by_fpath(folder, "mewctl sp", tab.environ, tab.home) == ["spill"]


#: Answers as mewctl would for ids with such signs; prints the scripts as mewctl does.
STAND_IN = """#!/bin/sh
case $_MEWCTL_COMPLETE in
    zsh_complete) printf 'plain\\nrun:4,5\\n_\\n' ;;
    ?*) printf 'plain,run:4,5\\n' ;;
    *) exec "{python}" -m mewctl "$@" ;;
esac
"""


def test_values_with_colons_and_commas_come_as_they_are(tab):
    tab.program.write_text(STAND_IN.format(python=sys.executable))
    assert tab("mewctl recall ") == ["run:4,5"]
    assert tab("mewctl recall run:") == ["run:4,5"]
    assert tab("mewctl recall run:4") == ["run:4,5"]


@pytest.fixture
def with_ids(monkeypatch):
    """``recall --boundary`` that knows ids, as options complete by a hook."""

    def ids(ctx, _, incomplete):
        found = (ctx.params.get("root") or "", "3f2a9c81", "3f77aa02")
        return [
            CompletionItem(i, help="an id") for i in found if i.startswith(incomplete)
        ]

    (option,) = (p for p in command("recall").params if p.name == "boundary")
    monkeypatch.setattr(option, "_custom_shell_complete", ids)


@pytest.mark.usefixtures("with_ids")
def test_a_hook_of_an_option_is_asked_and_sees_the_other_options(monkeypatch, capsys):
    words = "mewctl recall --root 3f0 --boundary 3f"
    monkeypatch.setenv("_MEWCTL_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    assert cli.run([]) == 0
    assert capsys.readouterr().out.split() == [
        "plain,3f0", "plain,3f2a9c81", "plain,3f77aa02",
    ]  # fmt: skip


def test_a_completion_neither_reads_settings_nor_says_a_word(tmp_path):
    (tmp_path / "mewctl").mkdir()
    (tmp_path / "mewctl" / "config.toml").write_text("nonsense = true\n")
    done = subprocess.run(
        [sys.executable, "-m", "mewctl"],
        env={
            "PYTHONPATH": str(ROOT),
            "XDG_CONFIG_HOME": str(tmp_path),
            "_MEWCTL_COMPLETE": "bash_complete",
            "COMP_WORDS": "mewctl spill --preview h",
            "COMP_CWORD": "3",
        },
        capture_output=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == (b"plain,head\n", b"")
