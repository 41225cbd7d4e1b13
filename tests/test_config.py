"""Settings: who wins, what is refused, and what a project file may never set."""

from __future__ import annotations

import click
import pytest

from mewctl import config, settings
from mewctl.errors import ConfigError
from tests.support.obedient import place, run

__all__ = ["place"]


def test_without_files_the_defaults_hold(place):
    assert run("filter")["window"] == 1
    assert place.root


@pytest.mark.parametrize(
    ("files", "environ", "args", "window"),
    [
        (("window = 2", ""), "", (), 2),
        (("window = 2", "window = 3"), "", (), 3),
        (("window = 2", "window = 3"), "4", (), 4),
        (("window = 2", "window = 3"), "4", ("--window", "5"), 5),
        (("window = 2\n[filter]\nwindow = 6", ""), "", (), 6),
        (("[filter]\nwindow = 6", "window = 3"), "", (), 3),
        (("[other]", ""), "", (), 1),
    ],
)
def test_the_nearest_layer_wins(place, monkeypatch, files, environ, args, window):
    place(user_text=files[0], project_text=files[1])
    monkeypatch.setenv("MEWCTL_WINDOW", environ)
    assert run("filter", *args)["window"] == window


def test_a_key_is_spelled_like_the_option(place):
    place(user_text='[filter]\nfrom = "mew"\ndir = "d"\non-bad = "skip"\n')
    seen = run("filter")
    assert (seen["from_"], seen["directory"], seen["on_bad"]) == ("mew", "d", "skip")


def test_the_variable_for_the_user_directory_is_followed(place, monkeypatch, tmp_path):
    place(user_text="window = 2")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "elsewhere"))
    assert run("filter")["window"] == 1


@pytest.mark.parametrize("how", ["flag", "flag=", "variable"])
def test_the_project_is_the_one_that_root_names(place, monkeypatch, tmp_path, how):
    place(project_text="window = 3")
    monkeypatch.chdir(tmp_path)
    assert run("filter")["window"] == 1
    if how == "variable":
        monkeypatch.setenv("MEWCTL_ROOT", str(place.root))
        assert run("filter")["window"] == 3
    elif how == "flag":
        assert run("filter", "--root", str(place.root))["window"] == 3
    else:
        assert run("filter", f"--root={place.root}")["window"] == 3


def test_a_root_after_two_dashes_is_a_file_name(place, monkeypatch, tmp_path):
    place(project_text="window = 3")
    monkeypatch.chdir(tmp_path)
    assert run("filter", "--", "--root", str(place.root))["window"] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("windwo = 2", "unknown key windwo; did you mean window?"),
        ("[fliter]", "unknown key fliter; did you mean filter?"),
        ("qqqq = 1", "unknown key qqqq; see mewctl COMMAND --help"),
        ("[filter]\non-bda = 1", "unknown key filter.on_bda; did you mean on_bad?"),
        ("filter = 3", "unknown key filter; did you mean filter?"),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest_known_one(place, text, message):
    place(user_text=text)
    with pytest.raises(ConfigError) as caught:
        run("filter")
    assert str(caught.value) == f"{place.user}: {message}"


def test_another_commands_table_is_not_looked_into(place):
    place(user_text='[other]\nanything = "goes"')
    assert run("filter")["window"] == 1


@pytest.mark.parametrize(
    ("data", "what"),
    [(b"window = ", "mend the file"), (b"a = '\xff'", "mend the file")],
)
def test_a_file_that_is_no_toml_is_refused(place, data, what):
    place.user.write_bytes(data)
    with pytest.raises(ConfigError, match=what):
        run("filter")


def test_a_file_that_cannot_be_read_is_refused(place):
    place.user.mkdir()
    with pytest.raises(
        ConfigError, match=r"config\.toml: is not a regular file; move it away"
    ):
        run("filter")


def test_a_project_file_cannot_choose_what_runs_or_where_data_goes(place, capsys):
    place(
        project_text=(
            'provider = "anthropic"\nwindow = 3\n'
            '[filter]\ncommand = "rm -rf ~"\nprovider = "command"\nfrom = "mew"\n'
        )
    )
    seen = run("filter")
    assert (seen["provider"], seen["program"]) == ("offline", "")
    assert (seen["window"], seen["from_"]) == (3, "mew")
    assert capsys.readouterr().err == (
        f"mewctl: {place.own}: ignored: provider, filter.command, filter.provider; "
        "only the user's settings may set this\n"
    )


@pytest.mark.parametrize("key", ["base-url", "allow-root", "pass_env", "base_url"])
def test_no_spelling_gets_around_that(place, key, capsys):
    place(project_text=f'[filter]\n{key} = "x"\n')
    assert run("filter")["window"] == 1
    assert "ignored: filter." in capsys.readouterr().err


def test_the_user_may_choose_them(place):
    place(user_text='provider = "anthropic"\n[filter]\ncommand = "summarise"')
    seen = run("filter")
    assert (seen["provider"], seen["program"]) == ("anthropic", "summarise")


@pytest.mark.parametrize("args", [("filter", "--help"), ("filter", "-h"), ("help",)])
def test_help_never_fails_for_settings(place, args, capsys):
    place(user_text="broken = ")
    if args[-1] == "-h":
        with pytest.raises(click.NoSuchOption):  # read as help by the real group
            run(*args)
    else:
        run(*args)
    capsys.readouterr()


def test_without_a_working_directory_there_is_no_project(place, monkeypatch, tmp_path):
    place(user_text="window = 2", project_text="window = 3")
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert run("filter")["window"] == 2
    assert run("filter", "--root", "relative")["window"] == 2
    assert run("filter", "--root", str(place.root))["window"] == 3
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def group():
    """A command ``outer inner`` with a table of its own, and what it was given."""
    seen: dict = {}

    @click.command("inner")
    @click.option("--window", type=int)
    @click.option("--keep", default="none")
    def inner(**params: object) -> None:
        seen.update(params)

    def run(*args: str) -> dict:
        above = click.Context(click.Group("outer", commands=[inner]), info_name="outer")
        known = {"filter": (), "outer": {"inner": (), "next": ()}}
        config.apply(above, ("outer", "inner"), list(args), known)
        with inner.make_context("inner", list(args), parent=above) as context:
            inner.invoke(context)
        return seen

    return run


def test_a_command_of_a_group_has_a_table_within_its_groups(place, group):
    place(user_text="window = 5\n[outer.inner]\nkeep = 'all'\n[outer.next]\nx = 1\n")
    assert group() == {"window": 5, "keep": "all"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[outer.iner]\n", "unknown key outer.iner; did you mean inner?"),
        ("[outer.inner]\nkep = 1\n", "unknown key outer.inner.kep; did you mean keep?"),
        ("[outer]\nwindow = 1\n", "unknown key outer.window"),
        ("outer = 1\n", "unknown key outer"),
    ],
)
def test_an_unknown_key_of_a_group_is_named_in_full(place, group, text, words):
    place(user_text=text)
    with pytest.raises(ConfigError) as caught:
        group()
    assert words in str(caught.value)


def test_a_table_of_session_commands_is_no_shared_session():
    """``session`` at the top is a shared key, or the table of a group."""
    known = {"session": {"clean": frozenset({"keep_last"})}, "filter": ()}
    table = {"session": {"clean": {"keep_last": 3}}}
    settings.check("f", table, known)
    assert settings.table_of(table, ("session", "clean")) == {"keep_last": 3}
    shared = {"session": "latest"}
    settings.check("f", shared, known)
    assert settings.table_of(shared, ("session", "clean")) == {}
    with pytest.raises(ConfigError, match=r"session\.clean\.keep_latest"):
        settings.check("f", {"session": {"clean": {"keep_latest": 3}}}, known)
