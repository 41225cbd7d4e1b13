"""``mewctl compact``: windows, numbers and what is sent besides."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from compacting import (
    Talk,
    made,
    read,
    records_of,
    views,
)

from mewctl.errors import Exit
from mewctl.history.boundary import SUMMARY_TITLES, is_summary
from mewctl.history.view import Message, Text, Usage

ROOT = Path(__file__).parents[2]
TRANSCRIPT = ROOT / "tests" / "data" / "claude-code" / "current.jsonl"

pytestmark = pytest.mark.usefixtures("elsewhere")


# --- numbers ---


def test_the_window_is_the_models_or_said(compact, save, tmp_path):
    report = tmp_path / "r.json"

    def window(*args, records=None):
        path = save(records or made(2_000))
        words = compact("--report", report, *args, path)[2]
        return json.loads(report.read_bytes())["window"], words

    assert window("--window", "64k") == (64_000, "")
    assert window("--model", "gpt-4o") == (128_000, "")
    found, words = window()
    assert found == 200_000
    assert "200000 tokens assumed" in words
    assert window("-q") == (200_000, "")
    said = Message(
        "assistant", (Text("ok"),), model="claude-sonnet-4-5", usage=Usage(input=5)
    )
    plain = Talk().turns(1).messages
    assert window(records=records_of([*plain, said], "mew")) == (200_000, "")
    more = Message("assistant", (Text("ok"),), usage=Usage(input=300_000, output=1))
    found, words = window(records=records_of([*plain, said, more], "mew"))
    assert found == 1_000_000
    assert "a usage of 300001 was reported" in words


def test_numbers_come_from_options_and_from_the_environment(
    compact, save, tmp_path, monkeypatch
):
    report = tmp_path / "r.json"
    compact(
        "-q", "--report", report, "--window", "200k", "--margin", "0", save(made(900))
    )
    assert json.loads(report.read_bytes())["threshold"] == 170_000
    monkeypatch.setenv("MEWCTL_COMPACT_THRESHOLD_SHARE", "0.5")
    monkeypatch.setenv("MEWCTL_WINDOW", "100k")
    compact("-q", "--report", report, save(made(900)))
    assert json.loads(report.read_bytes())["threshold"] == 50_000


def test_what_is_sent_besides_counts(compact, save, tmp_path):
    system, tools = tmp_path / "system.txt", tmp_path / "tools.json"
    system.write_text("be good " * 500)
    tools.write_text(json.dumps([{"name": "grep", "description": "find " * 100}]))
    report = tmp_path / "r.json"
    wishes = ("--system", system, "--tools", tools, "--overhead", "777", "-q")
    code, out, _ = compact(
        *wishes, "--trigger", "manual", "--report", report, save(made())
    )
    assert code == Exit.DONE
    fills = json.loads(report.read_bytes())["floor"]["fills"]
    assert fills["unseen overhead"] == 777
    assert fills["--system"] > 900
    assert fills["--tools"] > 90
    assert b"### grep" in out
    tools.write_text(json.dumps({"tools": [{"name": "ls"}]}))
    assert compact("-q", "--tools", tools, save(made(900)))[0] == Exit.DONE


@pytest.mark.parametrize("text", ["{", "7", "[7]", '{"tools":{}}'])
def test_a_tool_list_that_is_none(compact, save, tmp_path, text):
    tools = tmp_path / "tools.json"
    tools.write_text(text)
    assert compact("--tools", tools, save(made(900)))[0] == Exit.BAD_INPUT


def test_an_anchor_counts(compact, save, tmp_path):
    report = tmp_path / "r.json"
    compact(
        "-q",
        "--anchor",
        "190000:3",
        "--dry-run",
        "--report",
        report,
        save(made(3_000)),
    )
    assert json.loads(report.read_bytes())["tokens"]["before"] > 190_000


@pytest.mark.parametrize(
    "args",
    [
        ("--check", "--trigger", "manual"),
        ("--emit", "summary", "--trigger", "emergency"),
        ("--emit", "summary", "--check"),
        ("--error", "x"),
        ("--report", "-"),
        ("--report", "x", "-o", "./x"),
        ("--overhead", "much"),
        ("--anchor", "7"),
        ("--family", "nobody"),
        ("--window", "none"),
    ],
)
def test_options_that_cannot_be_meant(compact, save, args):
    assert compact(*args, save(made(900)))[0] == Exit.USAGE


def test_a_file_that_is_not_there(compact):
    assert compact("/nowhere/at/all")[0] == Exit.NOT_FOUND


def test_a_session_is_found_by_its_id(compact, save, project):
    session = project / ".mewcode" / "sessions" / "abc"
    session.mkdir(parents=True)
    assert (
        compact("-q", "--trigger", "manual", "-s", "abc", save(made()))[0] == Exit.DONE
    )
    assert (session / "boundaries").is_dir()


def test_outside_of_a_project_the_users_own_store_is_used(
    compact, save, tmp_path, monkeypatch
):
    home = tmp_path / "home"
    monkeypatch.chdir(home)
    words = compact("--trigger", "manual", save(made()))[2]
    assert f"using the user level, {home}/.mewcode; --root" in words
    assert (home / ".mewcode" / "spill" / "dropped").is_dir()
    assert "user level" not in compact("-q", "--trigger", "manual", save(made()))[2]


def test_a_working_directory_that_was_removed(compact, save, tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert compact("-q", "--trigger", "manual", save(made()))[0] == Exit.DONE
    assert (tmp_path / "home" / ".mewcode" / "spill" / "dropped").is_dir()


def test_a_session_that_is_not_there(compact, save):
    assert compact("-s", "nobody", save(made(900)))[0] == Exit.NOT_FOUND


@pytest.mark.parametrize(("lang", "at"), [("en", 0), ("zh", 1)])
def test_the_language_of_a_summary_can_be_chosen(compact, save, lang, at):
    out = compact("--trigger", "manual", "--lang", lang, save(made()))[1]
    first = next(message for message in views(read(out), "mew") if is_summary(message))
    assert first.text.startswith(SUMMARY_TITLES[at])
