"""``append --replace``: a whole new history, or nothing at all where it is the same."""

from __future__ import annotations

import json

import pytest
from talks import MESSAGES, THOUGHT, user


@pytest.fixture
def talk(session, new):
    """A session whose messages are of several formats, with a result that spills."""
    big = "".join(f"line {n}\n" for n in range(9000))
    call = {"type": "tool_use", "id": "toolu_1", "name": "bash", "input": {"c": "x"}}
    name = new(user("go"))
    content = [*THOUGHT["content"], call]
    session("append", name, "-q", data=[{**THOUGHT, "content": content}])
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": big}
    session("append", name, "-q", data=[user([result])])
    session("append", name, "-q", data=json.dumps(MESSAGES).encode())
    return name


@pytest.mark.parametrize("form", ["mew", "anthropic", "openai", "responses"])
def test_the_history_as_it_was_loaded_changes_nothing(session, talk, log, form):
    before = log(talk).read_bytes()
    out = session("load", talk, "--to", form).out
    ack = json.loads(session("append", talk, "--replace", data=out).out)
    assert (ack["records"], ack["bytes"]) == (0, 0)
    assert log(talk).read_bytes() == before


@pytest.mark.parametrize("form", ["mew", "anthropic", "openai"])
def test_previews_of_the_ledger_count_as_their_originals(session, talk, log, form):
    before = log(talk).read_bytes()
    out = session("resume", talk, "--to", form, "-q").out
    assert b"[content offloaded]" in out
    ack = json.loads(session("append", talk, "--replace", data=out).out)
    assert ack["records"] == 0
    assert log(talk).read_bytes() == before


def test_a_changed_history_is_a_marker_and_its_snapshot(session, talk, log):
    before = log(talk).read_bytes()
    lines = session("resume", talk, "--to", "anthropic", "-q").out.splitlines()
    data = b"\n".join([*lines, json.dumps(user("more")).encode()])
    session("append", talk, "--replace", data=data)
    after = log(talk).read_bytes()
    assert after.startswith(before)
    added = after[len(before) :].splitlines()
    marker = json.loads(added[0])
    assert (marker["type"], marker["reason"]) == ("compact", "replace")
    assert marker["messages"] == len(added) - 1 == len(lines) + 1
    assert added[1:-1] == before.splitlines()  # the very lines, originals included
    assert b"[content offloaded]" not in after


def test_the_session_is_what_was_given(session, talk, jsonl):
    data = [user("summary"), {"role": "assistant", "content": "ok"}]
    session("append", talk, "--replace", data=data)
    out = jsonl.read(session("load", talk).out)
    assert [r["content"] for r in out] == ["summary", "ok"]
    full = session("load", talk, "--full", "--to", "anthropic").out
    assert b"line 8999" in full
    assert b"summary" not in full


def test_an_empty_history_is_refused(session, talk, log):
    before = log(talk).read_bytes()
    done = session("append", talk, "--replace", data=b"\n", code=3)
    assert "empty history" in done.err
    assert log(talk).read_bytes() == before


def test_a_damaged_history_is_refused_as_a_whole(session, talk, log):
    before = log(talk).read_bytes()
    session("append", talk, "--replace", data=[user("a"), b"{"], code=3)
    assert log(talk).read_bytes() == before


def test_a_raw_log_counts_from_its_last_marker(session, talk, new, jsonl):
    session("append", talk, "--replace", data=[user("short")])
    raw = session("load", talk, "--raw").out
    other = new(user("x"))
    session("append", other, "--replace", data=raw)
    out = jsonl.read(session("load", other).out)
    assert [r["content"] for r in out] == ["short"]


def test_a_notice_is_never_stored(session, talk, log):
    notice = user("[mewctl notice] This session was paused for 3 days.")
    lines = session("load", talk, "--to", "anthropic").out
    data = lines + json.dumps(notice).encode() + b"\n"
    ack = json.loads(session("append", talk, "--replace", data=data).out)
    assert ack["records"] == 0
    session("append", talk, data=[notice])
    assert b"[mewctl notice]" not in log(talk).read_bytes()


def test_another_revision_is_refused(session, talk, log):
    before = log(talk).read_bytes()
    args = ("--replace", "--if-revision", "1-aaaaaaaa")
    done = session("append", talk, *args, data=[user("a")], code=11)
    assert "changed meanwhile" in done.err
    assert log(talk).read_bytes() == before


def test_replace_and_tee_contradict(session, talk, log):
    before = log(talk).read_bytes()
    done = session("append", talk, "--replace", "--tee", data=b"", code=2)
    assert "--tee" in done.err
    assert log(talk).read_bytes() == before


@pytest.mark.parametrize("form", ["mew", "anthropic"])
def test_a_history_that_load_would_repair_is_known_again(session, new, log, form):
    open_call = {
        "mew": {"tool_calls": [{"id": "c", "name": "f", "input": {}}], "content": ""},
        "anthropic": {
            "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}]
        },
    }
    name = new(user("a"))
    given = [user("b"), {"role": "assistant", **open_call[form]}]
    session("append", name, "-q", "--replace", data=given)
    before = log(name).read_bytes()
    ack = json.loads(session("append", name, "--replace", data=given).out)
    assert ack["records"] == 0
    assert log(name).read_bytes() == before
