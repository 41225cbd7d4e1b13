"""What every command owes its user: help, options that explain themselves, codes."""

from __future__ import annotations

import inspect
from collections import Counter

import click
import pytest

from mewctl import cli, errors, registry, transcripts
from mewctl.commands import options
from mewctl.history import formats
from tests.support.command_tree import HELP, NAMES, command

CONTEXT = {"help_option_names": ["-h", "--help"], "auto_envvar_prefix": "MEWCTL"}


def own_options(name: str) -> list[click.Option]:
    return [p for p in command(name).params if isinstance(p, click.Option)]


EVERY_OPTION = [
    pytest.param(name, option, id=f"{name}-{option.name}")
    for name in NAMES
    for option in own_options(name)
]


@pytest.fixture(autouse=True)
def _nowhere(tmp_path, monkeypatch):
    """No settings file of this machine takes part."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_the_list_says_what_the_command_says_of_itself(name):
    text = inspect.cleandoc(command(name).help or "")
    first = " ".join(text.partition("\n\n")[0].split())
    assert first == HELP[name]


@pytest.mark.parametrize("name", NAMES)
def test_a_command_is_called_by_its_name(name):
    assert command(name).name == name.split()[-1]


@pytest.mark.parametrize("name", NAMES)
def test_help_is_printed_in_plain_letters_and_fits(name, capsys):
    assert cli.run([*name.split(), "--help"]) == 0
    text = capsys.readouterr().out
    assert text.isascii()
    assert "\\b" not in text
    assert HELP[name].split()[0] in text
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize("name", [n for n in NAMES if n != "help"])
def test_help_shows_the_command_at_work(name, capsys):
    cli.run([*name.split(), "--help"])
    assert f"mewctl {name}" in capsys.readouterr().out.partition("\n")[2]


@pytest.mark.parametrize(("name", "option"), EVERY_OPTION)
def test_an_option_has_help(name, option):
    assert option.help, name
    assert option.help.rstrip().endswith((".", ")", "]"))


@pytest.mark.parametrize(("name", "option"), EVERY_OPTION)
def test_an_option_with_a_value_says_what_value(name, option):
    if not (option.is_flag or option.count):
        assert option.metavar or isinstance(option.type, click.Choice), name


@pytest.mark.parametrize(("name", "option"), EVERY_OPTION)
def test_an_option_shows_its_default_and_its_variable(name, option):
    record = option.get_help_record(
        click.Context(command(name), info_name=name, **CONTEXT)
    )
    shown = " ".join(record)
    has_default = option.default not in {"", None} and not option.is_flag
    assert (
        not has_default
        or not isinstance(option.default, (str, int))
        or ("default" in shown)
    )
    assert "env var: MEWCTL_" in shown
    assert not shown.endswith("_]")


@pytest.mark.parametrize(
    ("variable", "args"),
    [
        ("MEWCTL_CONVERT_FROM", ["convert"]),
        ("MEWCTL_TOKENS_FORMAT", ["tokens"]),
        ("MEWCTL_LANG", ["spill"]),
    ],
)
def test_a_variable_is_named_like_its_option(variable, args, monkeypatch, capsys):
    monkeypatch.setenv(variable, "nonsense")
    assert cli.run([*args, "/dev/null"]) == errors.Exit.USAGE
    assert "'nonsense' is not one of" in capsys.readouterr().err


@pytest.mark.parametrize("name", NAMES)
def test_no_flag_means_two_things(name):
    flags = [flag for o in own_options(name) for flag in (*o.opts, *o.secondary_opts)]
    twice = [flag for flag, times in Counter(flags).items() if times > 1]
    assert twice == []
    assert not {"-h", "--help"} & set(flags)


def test_a_flag_means_the_same_in_every_command():
    meaning: dict[str, set[str]] = {}
    for name in NAMES:
        for option in own_options(name):
            for flag in option.opts:
                if not flag.startswith("--"):
                    meaning.setdefault(flag, set()).add(max(option.opts, key=len))
    assert {flag: words for flag, words in meaning.items() if len(words) > 1} == {}


def test_formats_and_transcripts_are_spelled_as_their_registries_spell_them():
    assert options.MESSAGE_FORMATS == formats.NAMES
    assert options.TRANSCRIPTS == transcripts.NAMES
    for name in formats.NAMES:
        assert name == formats.load(name).NAME
    for name in transcripts.NAMES:
        assert name == transcripts.load(name).NAME


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["spil"], "No such command 'spil'. Did you mean 'spill'?"),
        (["spill", "--singel-limit", "3"], "--single-limit"),
        (["frobnicate"], "No such command 'frobnicate'"),
        (["--frobnicate"], "No such option '--frobnicate'"),
        (["help", "exit-code"], "'exit-codes'"),
    ],
)
def test_what_is_unknown_is_named_with_the_nearest_known(args, words, capsys):
    assert cli.run(args) == errors.Exit.USAGE
    seen = capsys.readouterr()
    assert words in seen.err
    assert seen.out == ""
    assert len(seen.err.splitlines()) == 1


def test_without_a_command_the_help_goes_to_people_and_the_code_is_usage(capsys):
    assert cli.run([]) == errors.Exit.USAGE
    seen = capsys.readouterr()
    assert seen.out == ""
    assert "Usage: mewctl" in seen.err


def test_help_groups_the_commands_and_starts_with_pipelines(capsys):
    assert cli.run(["--help"]) == 0
    text = capsys.readouterr().out
    for entry in registry.REGISTRY.values():
        assert f"\n{entry.section}:\n" in text
    assert text.index("| mewctl") < text.index("Options:")


def test_every_code_has_a_meaning_and_help_tells_it(capsys):
    assert set(errors.MEANING) == set(errors.Exit)
    assert cli.run(["help", "exit-codes"]) == 0
    shown = {
        int(row.split()[0]): row.split(None, 1)[1]
        for row in capsys.readouterr().out.splitlines()
        if row.strip()[:1].isdigit()
    }
    assert shown == {int(code): words for code, words in errors.MEANING.items()}


def test_the_version_is_one_line(capsys):
    from mewctl import __version__

    assert cli.run(["--version"]) == 0
    assert capsys.readouterr().out == f"mewctl {__version__}\n"


def test_a_wrong_value_in_a_settings_file_is_configuration(tmp_path, capsys):
    folder = tmp_path / "mewctl"
    folder.mkdir()
    (folder / "config.toml").write_text('[spill]\nsingle-limit = "many"\n')
    assert cli.run(["spill", "/dev/null"]) == errors.Exit.CONFIG
    assert "settings file: Invalid value" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (errors.Negative(what="no"), 1, "mewctl: no"),
        (
            errors.BadInput(place="in:3", what="bad", remedy="mend"),
            3,
            "in:3: bad; mend",
        ),
        (errors.Unsafe(path="p", what="w", remedy="r"), 12, "p: w; r"),
        (OSError(5, "Input/output error", "f"), 5, "mewctl: f: Input/output error"),
        (RecursionError(), 3, "nested too deep"),
        (MemoryError(), 70, "out of memory"),
        (KeyError("x"), 70, "internal error: KeyError: 'x'; set MEWCTL_DEBUG=1"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_every_error_ends_in_its_code_and_one_line(
    monkeypatch, capsys, error, code, words
):
    def fail(*_: object) -> None:
        raise error

    monkeypatch.delenv("MEWCTL_DEBUG", raising=False)
    monkeypatch.setattr(cli, "_invoke", fail)
    assert cli.run([]) == code
    seen = capsys.readouterr().err
    assert words in seen
    assert len(seen.splitlines()) == bool(words)


def test_debug_adds_the_traceback_before_the_line(monkeypatch, capsys):
    monkeypatch.setenv("MEWCTL_DEBUG", "1")
    assert cli.run(["recall", "-d", "nowhere", "toolu_none"]) == errors.Exit.NOT_FOUND
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[-1].startswith("mewctl recall: ")


@pytest.fixture
def group(monkeypatch):
    """``mewctl outer inner`` is ``mewctl repair``, not yet run by any name."""
    for option in command("repair").params:
        if str(option.envvar).startswith("MEWCTL_REPAIR_"):
            monkeypatch.setattr(option, "envvar", None)
    entry = registry.REGISTRY["repair"]
    outer = registry.Entry("", "A group.", registry.OTHER, {"inner": entry})
    monkeypatch.setitem(registry.REGISTRY, "outer", outer)


@pytest.mark.usefixtures("group")
def test_a_command_of_a_group_runs_and_is_named_in_full(tmp_path, capsys):
    (tmp_path / "bad").write_text("[1\n")
    assert cli.run(["outer", "inner", "bad"]) == errors.Exit.BAD_INPUT
    assert capsys.readouterr().err.startswith("mewctl outer inner: bad")


@pytest.mark.usefixtures("group")
def test_a_command_of_a_group_has_variables_of_its_own(capsys):
    assert cli.run(["outer", "inner", "--help"]) == 0
    assert "MEWCTL_OUTER_INNER_ON_BAD" in capsys.readouterr().out


@pytest.mark.usefixtures("group")
@pytest.mark.parametrize("args", [["outer"], ["outer", "--help"]])
def test_a_group_lists_its_commands(args, capsys):
    assert cli.run(args) == (errors.Exit.USAGE if len(args) == 1 else 0)
    seen = capsys.readouterr()
    assert "inner  Make a history valid" in seen.err + seen.out
    assert (seen.out == "") == (len(args) == 1)


@pytest.mark.usefixtures("group")
def test_an_unknown_command_of_a_group_is_named_with_the_nearest_known(capsys):
    assert cli.run(["outer", "iner"]) == errors.Exit.USAGE
    seen = capsys.readouterr().err
    assert "inner" in seen
    assert "see mewctl outer --help" in seen
