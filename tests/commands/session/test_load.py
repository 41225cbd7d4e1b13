"""``session load``: the right records, valid, and nothing changed by reading."""

from __future__ import annotations

import json
import os

import pytest
from talks import THOUGHT, user
from validity import errors

CALL = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"id": "x", "name": "f", "input": {}}],
}


@pytest.fixture
def compacted(session, new):
    """A session with two checkpoints."""
    name = new(user("a"), {"role": "assistant", "content": "b"})
    for summary, more in (("S1", "c"), ("S2", "d")):
        session("append", name, "-q", "--replace", data=[user(summary)])
        answer = {"role": "assistant", "content": more}
        session("append", name, "-q", data=[answer])
    return name


def contents(done, jsonl):
    return [r.get("content") for r in jsonl.read(done.out)]


def test_the_history_is_what_follows_the_last_marker(session, compacted, jsonl):
    assert contents(session("load", compacted), jsonl) == ["S2", "d"]


def test_all_messages_come_once_from_the_beginning(session, compacted, jsonl):
    done = session("load", compacted, "--full")
    assert contents(done, jsonl) == ["a", "b", "c", "d"]


def test_the_log_comes_as_it_stands(session, compacted, log):
    assert session("load", compacted, "--raw").out == log(compacted).read_bytes()


@pytest.mark.parametrize(("at", "content"), [("1", ["S1"]), ("2", ["S2"])])
def test_a_checkpoint_is_the_history_right_after_it(
    session, compacted, jsonl, at, content
):
    assert contents(session("load", compacted, "--at", at), jsonl) == content


@pytest.mark.parametrize(
    "args",
    [
        ("--full", "--raw"),
        ("--at", "1", "--full"),
        ("--raw", "--to", "mew"),
        ("--request",),
        ("--revision-to", "-"),
        ("--request", "--to", "mew"),
    ],
)
def test_options_that_contradict_are_usage(session, compacted, args):
    done = session("load", compacted, *args, code=2)
    assert done.out == b""
    assert ("the output twice" if "-" in args else args[0]) in done.err


def test_a_checkpoint_that_is_not_there_is_not_found(session, compacted):
    done = session("load", compacted, "--at", "9", code=4)
    assert "it has 2" in done.err


@pytest.mark.parametrize(
    ("form", "keys"),
    [
        ("anthropic", {"system", "messages"}),
        ("openai", {"messages"}),
        ("responses", {"instructions", "input"}),
    ],
)
def test_a_request_body_is_ready_for_curl(session, new, form, keys):
    name = new({"role": "system", "content": "be brief"}, user("a"))
    body = json.loads(session("load", name, "--to", form, "--request").out)
    assert set(body) == keys


def test_repairs_are_told_and_the_history_is_valid(session, new, jsonl, log):
    name = new(CALL, user("a"), CALL | {"content": "last"})
    before = log(name).read_bytes()
    for form in ("mew", "anthropic", "openai", "responses"):
        done = session("load", name, "--to", form)
        assert errors(form, jsonl.read(done.out)) == []
        assert done.err
    assert log(name).read_bytes() == before
    assert session("load", name, "-q").err == ""


def test_damage_is_told_and_fails_only_where_that_is_wished(session, new, log):
    name = new(user("a"))
    with log(name).open("ab") as file:
        file.write(b'{"role":"us\n' + json.dumps(user("b")).encode() + b"\n")
    done = session("load", name)
    assert b'"b"' in done.out
    assert "line 2 of the log: skipped" in done.err
    strict = session("load", name, "--strict", code=3)
    assert strict.out == b""
    assert "line 2" in strict.err


def test_reading_changes_nothing(session, compacted, log):
    directory = log(compacted).parent
    for path in [*directory.iterdir(), directory]:
        os.utime(path, (1000, 1000))
    for args in (
        ("load", compacted),
        ("load", compacted, "--spilled"),
        ("show", compacted),
        ("list",),
        ("checkpoints", compacted),
        ("check", compacted),
        ("export", compacted),
        ("grep", "a"),
        ("title", compacted),
        ("clean", "--dry-run"),
        ("export", compacted, "--to", "openai"),
    ):
        session(*args)
    assert {p.stat().st_mtime for p in [*directory.iterdir(), directory]} == {1000}


def test_thinking_and_signatures_stay(session, new):
    name = new(user("a"), THOUGHT)
    for form in ("mew", "anthropic"):
        out = session("load", name, "--to", form).out
        assert b'"signature":"c2ln"' in out.replace(b" ", b"")


def test_the_ledger_is_replayed_and_decides_nothing_new(session, new, log):
    big = "".join(f"line {n}\n" for n in range(9000))
    result = {"tool_call_id": "x", "content": big}
    name = new(user("a"), CALL, {"role": "tool", "tool_results": [result]})
    plain = session("load", name, "--spilled")
    assert b"[content offloaded]" not in plain.out
    assert not (log(name).parent / "tool-results").exists()
    resumed = session("resume", name, "-q")
    assert b"[content offloaded]" in resumed.out
    assert session("load", name, "--spilled").out == resumed.out
    assert session("load", name).out == plain.out


def test_a_preview_whose_body_is_gone_is_not_shown(session, new, log):
    big = "".join(f"line {n}\n" for n in range(9000))
    result = {"tool_call_id": "x", "content": big}
    name = new(user("a"), CALL, {"role": "tool", "tool_results": [result]})
    session("resume", name, "-q")
    (log(name).parent / "tool-results" / "x").unlink()
    assert b"line 8999" in session("load", name, "--spilled").out


def test_a_snapshot_cut_short_is_not_the_history(session, new, log, jsonl):
    name = new(user("a"))
    with log(name).open("ab") as file:
        file.write(b'{"type":"compact","messages":5}\n{"role":"user","content":"S"}\n')
    assert contents(session("load", name), jsonl) == ["a"]
    session("append", name, "-q", data=[user("b")])
    assert contents(session("load", name), jsonl) == ["a", "b"]
    assert b'"compact"' not in log(name).read_bytes()


def test_an_output_is_never_the_log(session, new, log):
    name = new(user("a"))
    before = log(name).read_bytes()
    for option in ("-o", "--revision-to"):
        session("load", name, option, log(name), code=12)
    session("resume", name, "-o", log(name), code=12)
    session("export", name, "-o", log(name), code=12)
    session("compact", name, "--report", log(name), code=12)
    assert log(name).read_bytes() == before
