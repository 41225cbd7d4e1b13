"""``doctor``: what is fine, what is wrong, and where prompts would go."""

from __future__ import annotations

import json
import os

import pytest

from mewctl import cli
from mewctl.commands.whereto import whereto
from mewctl.errors import Exit, StorageError
from mewctl.origins import Row


@pytest.fixture
def doctor(tmp_path, monkeypatch, capsys):
    """Run ``doctor`` in a project: code, findings by name, stderr."""
    project = tmp_path / "project"
    (project / ".mewcode").mkdir(parents=True)
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in list(os.environ):
        if name.startswith(("XDG_", "ANTHROPIC_", "MEWCTL_")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(project)

    def run(*args: str):
        code = cli.run(["doctor", *args])
        out, err = capsys.readouterr()
        found: dict = {}
        for row in map(json.loads, out.splitlines()):
            found.setdefault(row["check"], []).append(row)
        return code, found, err

    run.project, run.home = project, tmp_path / "home"
    return run


def test_where_all_is_well_it_says_so_and_leaves_nothing(doctor):
    code, found, err = doctor()
    assert (code, err) == (Exit.DONE, "")
    assert {row["status"] for rows in found.values() for row in rows} <= {"ok", "note"}
    for name in ("mewctl", "python", "click", "anthropic", "root", "store", "prompts"):
        assert found[name][0]["status"] == "ok"
    for name in ("write", "rename", "append", "lock"):
        assert found[name][0]["detail"] == f"works in {doctor.project}/.mewcode"
    assert list((doctor.project / ".mewcode").iterdir()) == []


def test_without_a_store_it_tries_where_one_would_be(doctor):
    (doctor.project / ".mewcode").rmdir()
    code, found, _ = doctor()
    assert code == Exit.DONE
    assert found["store"][0]["detail"].endswith(".mewcode, not there yet")
    assert found["lock"][0]["detail"] == f"works in {doctor.project}"
    assert list(doctor.project.iterdir()) == []


def test_the_user_level_is_worth_a_note(doctor):
    _, found, _ = doctor("--root", str(doctor.home))
    assert found["root"][0]["status"] == "note"
    assert "the user level" in found["root"][0]["detail"]


@pytest.mark.parametrize("name", ["sessions", "spill", "trash"])
def test_a_private_directory_that_is_open_to_others_is_wrong(doctor, name):
    path = doctor.project / ".mewcode" / name
    path.mkdir(mode=0o750)
    path.chmod(0o750)
    code, found, _ = doctor()
    assert code == Exit.NO
    wrong = [row for row in found["store"] if row["status"] == "wrong"]
    assert wrong[0]["remedy"] == f"chmod 700 {path}"
    path.chmod(0o700)
    assert doctor()[0] == Exit.DONE


@pytest.mark.parametrize("text", ["windwo = 3", "[recall]\nlimt = 3", "window = true"])
def test_a_fault_in_the_settings_is_wrong_and_the_rest_is_still_looked_at(doctor, text):
    config = doctor.home / ".config" / "mewctl"
    config.mkdir(parents=True)
    (config / "config.toml").write_text(text)
    code, found, err = doctor()
    if text.startswith("windwo"):
        assert (code, found) == (Exit.CONFIG, {})  # no command starts with such a file
        assert "did you mean window?" in err
        return
    assert code == Exit.NO
    assert found["settings"][0]["status"] == "wrong"
    assert str(config) in found["settings"][0]["detail"]
    assert found["lock"][0]["status"] == "ok"


def test_a_root_that_is_not_there_stops_it(doctor):
    code, found, err = doctor("--root", "missing")
    assert (code, found) == (Exit.NOT_FOUND, {})
    assert "no such directory" in err


def test_a_disk_that_cannot_be_written_is_wrong(doctor, monkeypatch):
    from mewctl.commands import diagnosis

    failure = StorageError(path="p", what="Read-only file system", remedy="mend it")
    monkeypatch.setattr(diagnosis, "try_directory", lambda _: {"write": failure})
    code, found, _ = doctor()
    assert code == Exit.NO
    assert found["write"] == [
        {
            "check": "write",
            "status": "wrong",
            "detail": "p: Read-only file system",
            "remedy": "mend it",
        }
    ]


def test_a_dependency_that_is_not_there_is_wrong(doctor, monkeypatch):
    from mewctl.commands import diagnosis

    monkeypatch.setattr(diagnosis, "_NEEDED", ("click", "no-such-package"))
    code, found, _ = doctor()
    assert code == Exit.NO
    assert found["no-such-package"][0]["detail"] == "is not installed"


def test_completions_are_found_where_shells_look(doctor, monkeypatch, tmp_path):
    monkeypatch.setattr("sys.prefix", str(tmp_path / "nowhere"))
    place = doctor.home / ".local/share/bash-completion/completions"
    place.mkdir(parents=True)
    (place / "mewctl").write_text("")
    _, found, _ = doctor()
    assert found["bash completion"][0]["status"] == "ok"
    assert found["bash completion"][0]["detail"] == str(place / "mewctl")
    assert found["fish completion"][0]["status"] == "note"


def test_people_see_a_table(doctor, capsys):
    assert cli.run(["doctor", "--format", "table"]) == Exit.DONE
    assert capsys.readouterr().out.splitlines()[0].split() == [
        "check",
        "status",
        "detail",
    ]
    assert doctor.project


# --- where prompts go ---


def rows(provider: str, **more: str) -> list[Row]:
    found = [Row("provider", provider, "user", "config.toml")]
    return found + [
        Row(f"compact.{k}", v, "user", "config.toml") for k, v in more.items()
    ]


KEY = {"ANTHROPIC_API_KEY": "sk-ant-secret"}


@pytest.mark.parametrize(
    ("found", "environ", "status", "words"),
    [
        ([], {}, "ok", "nowhere: no connection is opened"),
        (rows("offline"), KEY, "ok", "nowhere"),
        (rows("anthropic"), KEY, "ok", "to https://api.anthropic.com"),
        (rows("anthropic"), {}, "wrong", "no credentials"),
        (
            rows("anthropic"),
            KEY | {"ANTHROPIC_BASE_URL": "http://user:pw@gate/v1"},
            "ok",
            "@gate/v1 (provider anthropic, user), steered by ANTHROPIC_BASE_URL",
        ),
        (rows("anthropic", **{"base-url": "http://l"}), KEY, "ok", "to http://l"),
        (rows("command", command="llm -m x"), {}, "ok", "to a program of yours: llm"),
        (rows("command"), {}, "wrong", "not named"),
        (
            [Row("provider", "anthropic", "project", "p", ignored=True)],
            {},
            "ok",
            "nowhere",
        ),
    ],
)
def test_it_is_said_where_prompts_go(found, environ, status, words):
    seen, text, remedy = whereto(found, environ)
    assert (seen, words in text) == (status, True), text
    for secret in ("sk-ant", "pw"):
        assert secret not in text + remedy
