"""``list``, ``show``, ``title``, ``pin``, and how a session is named."""

from __future__ import annotations

import json
import os

import pytest
from talks import user


def ids(done, jsonl):
    return [r["id"] for r in jsonl.read(done.out)]


@pytest.fixture
def three(new):
    """Sessions of three ages, the oldest made last."""
    return [new(user(f"talk {n}", ts=1_790_000_000 - n * 86_400)) for n in range(3)]


def test_the_newest_activity_comes_first(session, three, jsonl):
    done = session("list")
    assert ids(done, jsonl) == three
    first = jsonl.read(done.out)[0]
    assert (first["type"], first["title"]) == ("session", "talk 0")
    assert first["active"] == 1_790_000_000
    assert first["bytes"] > 0


@pytest.mark.usefixtures("three")
def test_a_limit_says_what_it_leaves_out(session, jsonl):
    done = session("list", "--limit", "1")
    assert len(jsonl.read(done.out)) == 1
    assert "2 more; see --limit and --all" in done.err
    assert len(ids(session("list", "--all", "--limit", "1"), jsonl)) == 3
    assert session("list", "--limit", "1", "-q").err == ""


@pytest.mark.parametrize(
    ("args", "which"),
    [
        (("--since", "2026-09-21T12:00"), [0]),
        (("--until", "2026-09-21T12:00Z"), [1, 2]),
        (("--since", "2026-09-20", "--until", "2026-09-21"), [1]),
        (("--since", "1h"), []),
        (("--grep", "TALK [12]"), [1, 2]),
    ],
)
def test_sessions_are_chosen_by_time_and_title(session, three, jsonl, args, which):
    assert ids(session("list", *args), jsonl) == [three[n] for n in which]


def test_a_set_title_wins_and_is_taken_away_again(session, three, jsonl):
    session("title", three[0], "my  title")
    assert jsonl.read(session("list").out)[0]["title"] == "my title"
    assert session("title", three[0]).out == b"my title\n"
    session("title", three[0], "")
    assert session("title", three[0]).out == b"talk 0\n"
    session("title", three[0], "x" * 300, code=2)


def test_a_pin_shows(session, three, jsonl):
    session("pin", three[0])
    assert jsonl.read(session("list").out)[0]["pinned"] is True
    session("unpin", three[0])
    assert "pinned" not in jsonl.read(session("list").out)[0]


HOSTILE = "\x1b[31mred\x1b[0m\u202eevil\u200b\U000e0041 [/red] " + "\u6f22" * 5000


def test_hostile_titles_are_harmless_in_a_table(session, new, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    name = new(user(HOSTILE))
    table = session("list", "--format", "table").out.decode()
    lines = table.splitlines()
    assert len(lines) == 2
    assert name in lines[1]
    for bad in ("\x1b", "\u202e", "\u200b", "\U000e0041"):
        assert bad not in table
    for width in ("0", "1", "nonsense"):
        monkeypatch.setenv("COLUMNS", width)
        assert name in session("list", "--format", "table").out.decode()


def test_what_cannot_be_read_is_listed_with_the_reason(
    session, new, log, project, jsonl
):
    good, torn, gone, pipe = (new(user(str(n))) for n in range(4))
    log(torn).write_bytes(b"\0\0\0")
    log(gone).unlink()
    log(pipe).unlink()
    os.mkfifo(log(pipe))
    (project / ".mewcode" / "sessions" / "stray").write_text("a file is no session")
    rows = {r["id"]: r for r in jsonl.read(session("list").out)}
    assert set(rows) == {good, torn, gone, pipe}
    assert "problem" not in rows[good]
    assert "no record can be read" in rows[torn]["problem"]
    assert "No such file" in rows[gone]["problem"]
    assert "no regular file" in rows[pipe]["problem"]


def test_no_sessions_are_an_empty_list(session):
    assert session("list").out == b""


def test_an_empty_session_says_so(session, new, jsonl):
    new()
    assert jsonl.read(session("list").out)[0]["title"] == "(empty session)"


def test_show_tells_all_that_is_known(session, new, log):
    name = new(user("a"), {"role": "assistant", "content": "b", "model": "m"})
    session("append", name, "-q", "--replace", data=[user("S")])
    found = json.loads(session("show", name).out)
    assert found["id"] == name
    assert found["messages"] == {"now": 1, "all": 2}
    assert found["bytes"]["log"] == log(name).stat().st_size
    assert found["bytes"]["user text"] == 1
    assert found["bytes"]["snapshots"] > 0
    assert [c["reason"] for c in found["checkpoints"]] == ["replace"]
    ack = session("append", name, data=[user("x")])
    again = json.loads(session("show", name).out)
    assert again["revision"] == json.loads(ack.out)["revision"] != found["revision"]
    assert name in session("show", name, "--format", "table").out.decode()


# --- which session is meant ---


def test_a_session_is_named_by_id_beginning_latest_or_path(session, three, log):
    expected = session("load", three[0]).out
    path = log(three[0]).parent
    relative = os.path.relpath(path)
    for reference in (three[0], "latest", str(path), relative, log(three[0])):
        assert session("load", reference).out == expected


@pytest.mark.parametrize("reference", ["2", "20"])
def test_an_ambiguous_beginning_lists_the_matches(session, three, reference):
    done = session("load", reference, code=4)
    assert "matches 3 sessions" in done.err
    assert all(name in done.err for name in three)


@pytest.mark.parametrize(
    "reference",
    ["nope", "", "../../etc", "/etc/none", ".", "a\nb", "\x1b[31m", "x" * 5000],
)
def test_an_unknown_session_is_not_found(session, reference):
    for command in ("load", "show", "append", "compact", "undo", "pin", "check"):
        done = session(command, reference, code=4)
        assert "Traceback" not in done.err
        assert len(done.err.strip().splitlines()) == 1
        assert "\x1b" not in done.err


def test_a_name_that_begins_like_an_option_is_reached_by_two_dashes(session):
    assert "no session -x" in session("load", "--", "-x", code=4).err
    session("load", "-x", code=2)


def test_latest_of_an_empty_store_says_how_to_begin(session):
    assert "session new" in session("load", "latest", code=4).err


def test_the_user_level_has_sessions_of_its_own(session, tmp_path, jsonl):
    name = session("new", "--user").out.decode().strip()
    assert (tmp_path / "home" / ".mewcode" / "sessions" / name).is_dir()
    assert ids(session("list", "--user"), jsonl) == [name]
    assert session("list").out == b""
    session("append", name, "--user", "-q", data=[user("a")])


def test_ids_complete_the_newest_first_and_never_fail(new, tmp_path):
    import click

    from mewctl.commands.completing import complete_sessions

    names = sorted((new() for _ in range(3)), reverse=True)
    context = click.Context(click.Command("x"))

    def complete(text):
        found = complete_sessions(context, click.Argument(["s"]), text)
        return [item.value for item in found]

    assert complete("") == names
    assert complete(names[0]) == [names[0]]
    assert complete("9") == []
    context.params["root"] = str(tmp_path / "none")
    assert complete("") == []


@pytest.mark.parametrize("words", [("list",), ("show", "latest")])
def test_a_secret_in_a_title_is_masked_unless_it_is_asked_for(
    session, new, jsonl, words
):
    secret = "ghp_" + "a1B2" * 9
    new(user(f"use {secret}"))
    (row,) = jsonl.read(session(*words).out)
    assert row["title"] == "use [redacted:github-token]"
    (row,) = jsonl.read(session(*words, "--no-redact").out)
    assert row["title"] == f"use {secret}"
