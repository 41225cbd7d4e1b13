"""``config show``: every setting with its origin, and no fault in a file unnamed."""

from __future__ import annotations

import json

import pytest

from mewctl import cli
from mewctl.errors import Exit
from tests.support.command_tree import NAMES


@pytest.fixture
def show(tmp_path, monkeypatch, capsys):
    """Run ``config show`` in a project with settings: code, rows by key, stderr."""
    project, home = tmp_path / "project", tmp_path / "home"
    user = home / ".config" / "mewctl" / "config.toml"
    own = project / ".mewcode" / "config.toml"
    for path in (user, own):
        path.parent.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.chdir(project)

    def run(*args: str, user_text: str = "", own_text: str = ""):
        user.write_text(user_text)
        own.write_text(own_text)
        code = cli.run(["config", "show", *args])
        out, err = capsys.readouterr()
        rows = {row["key"]: row for row in map(json.loads, out.splitlines())}
        return code, rows, err

    run.user, run.own = str(user), str(own)
    return run


def test_without_files_every_value_is_a_default(show):
    code, rows, err = show()
    assert (code, err) == (Exit.DONE, "")
    assert {row["origin"] for row in rows.values()} == {"default"}
    assert rows["spill.on-bad"] == {
        "key": "spill.on-bad",
        "value": "fail",
        "origin": "default",
    }
    assert rows["window"]["value"] is None
    assert rows["compact.reserve"]["value"] == 20_000


def test_every_command_with_options_is_there(show):
    _, rows, _ = show()
    shown = {key.rpartition(".")[0] for key in rows}
    assert {
        n.replace(" ", ".") for n in NAMES if n not in ("help", "completion")
    } <= shown


def test_each_origin_is_named_with_its_place(show, monkeypatch):
    monkeypatch.setenv("MEWCTL_MODEL", "m-1")
    monkeypatch.setenv("MEWCTL_SPILL_PREVIEW", "head")
    code, rows, _ = show(
        "--root",
        ".",
        user_text='window = "200k"\nlang = "zh"\n[spill]\npreview = "tail"',
        own_text='lang = "en"\n[compact]\ntail-tokens = 5\nwindow = 9',
    )
    assert code == Exit.DONE
    shown = {
        key: (row["value"], row["origin"], row.get("place"))
        for key, row in rows.items()
        if row["origin"] != "default"
    }
    assert shown == {
        "root": (".", "flag", None),
        "window": (200_000, "user", show.user),
        "lang": ("en", "project", show.own),
        "model": ("m-1", "environment", "MEWCTL_MODEL"),
        "spill.preview": ("head", "environment", "MEWCTL_SPILL_PREVIEW"),
        "compact.tail-tokens": (5, "project", show.own),
        "compact.window": (9, "project", show.own),
    }


def test_what_a_project_may_not_set_is_shown_as_ignored(show):
    _, rows, err = show(
        own_text='provider = "command"\n[compact]\nbase-url = "http://x"\noutput = "o"'
    )
    for key in ("compact.base-url", "compact.output"):
        assert rows[key]["ignored"] is True
        assert rows[key]["place"] == show.own
    assert rows["compact.base-url"]["value"] == "http://x"
    assert "ignored: provider, compact.base_url, compact.output" in err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "[recall]\nfromat = 'table'",
            "unknown key recall.fromat; did you mean format?",
        ),
        ("[config.show]\nfrom = 'x'", "unknown key config.show.from"),
        ("[tokens]\nwindow = true", "window: True is no text and no number"),
        ("[recall]\nlimit = 'many'", "'many' is not a valid integer"),
        ("[repair]\nfrom = 'yaml'", "'yaml' is not one of"),
        ("window = 0", "is not a whole number from 1 up"),
        ("[compact]\ntail-tokens = -1", "is not a whole number from 0 up"),
    ],
)
@pytest.mark.parametrize("which", ["user", "own"])
def test_a_fault_in_any_table_of_any_file_is_named(show, which, text, words):
    code, rows, err = show(**{f"{which}_text": text})
    assert (code, rows) == (Exit.CONFIG, {})
    assert words in err
    assert f"mewctl config show: {getattr(show, which)}: " in err
    assert len(err.splitlines()) == 1


def test_a_fault_in_a_variable_is_usage(show, monkeypatch):
    monkeypatch.setenv("MEWCTL_RECALL_LIMIT", "many")
    code, rows, err = show()
    assert (code, rows) == (Exit.USAGE, {})
    assert "MEWCTL_RECALL_LIMIT: " in err


def test_one_command_can_be_asked_for(show):
    code, rows, _ = show("spill", own_text="[spill]\nimages = true")
    assert code == Exit.DONE
    assert rows["spill.images"]["value"] is True
    assert {"root", "window", "lang"} <= set(rows)
    assert "provider" not in rows
    assert all("." not in key or key.startswith("spill.") for key in rows)
    code, rows, err = show("spil")
    assert (code, rows) == (Exit.USAGE, {})
    assert "Did you mean 'spill'" in err


def test_people_see_a_table(show, capsys):
    cli.run(["config", "show", "--format", "table", "recall"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["setting", "value", "origin", "from"]
    assert any(line.split() == ["recall.limit", "50", "default"] for line in lines)
    assert show.user


def test_a_variable_that_help_does_not_name_is_none(show, monkeypatch):
    monkeypatch.setenv("MEWCTL_SPILL_WINDOW", "7")
    _, rows, _ = show("spill")
    assert rows["window"]["origin"] == "default"
    assert "spill.window" not in rows
