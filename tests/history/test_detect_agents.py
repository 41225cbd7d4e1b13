"""Records of agents' sessions are told apart from each other and from messages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mewctl import transcripts
from mewctl.history.detect import Detector, classify

DATA = Path(__file__).parents[1] / "data"
STAMP = "2026-03-01T09:00:00Z"


def values_of(path):
    lines = [path.read_bytes()]
    if path.suffix == ".jsonl":
        lines = lines[0].split(b"\n")
    for line in lines:
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value


@pytest.mark.parametrize("agent", transcripts.NAMES)
def test_no_record_of_an_agent_is_taken_for_anything_else(agent):
    seen = set()
    for path in sorted((DATA / agent).iterdir()):
        if path.suffix == ".told" or path.stem in ("bare", "context"):
            continue
        if path.stem.startswith("torn"):
            continue
        for value in values_of(path):
            kind = classify(value)
            assert kind.group in ("transcript", "unknown")
            seen |= kind.fits
    assert seen == {agent}


def test_a_rollout_without_envelopes_is_known_by_its_first_line():
    first, state, *items = values_of(DATA / "codex" / "bare.jsonl")
    assert classify(first).fits == classify(state).fits == {"codex"}
    for item in items:
        assert classify(item).group != "transcript" or classify(item).fits == {"codex"}
    detector = Detector("x")
    detector.feed(1, first)
    assert detector.is_transcript


def test_a_context_of_kimi_is_known_by_its_marks_among_chat_messages():
    values = list(values_of(DATA / "kimi-cli" / "context.jsonl"))
    marks = [v for v in values if v["role"].startswith("_")]
    assert len(marks) == 4
    for value in values:
        kind = classify(value)
        assert (kind.fits == {"kimi-cli"}) is (value in marks)
    detector = Detector("x")
    detector.feed(1, values[0])
    assert detector.is_transcript


@pytest.mark.parametrize("name", ["old.jsonl", "new.jsonl"])
def test_an_array_of_an_agent_s_records_is_its_transcript(name):
    values = list(values_of(DATA / "openhands" / name))
    assert classify(values).fits == {"openhands"}
    assert classify({"trajectory": values}).fits == {"openhands"}
    assert classify([7, *values]).fits == {"openhands"}


MESSAGES = [
    {"role": "user", "content": "x"},
    {"role": "user", "content": "x", "timestamp": 1_777_000_000_000},
    {"type": "message", "role": "user", "content": [{"type": "input_text"}]},
    {"type": "message", "role": "assistant", "content": [], "stop_reason": None},
    {"type": "function_call", "call_id": "c", "name": "n", "arguments": "{}"},
    {"type": "reasoning", "summary": [], "encrypted_content": "x"},
    {"type": "compaction", "encrypted_content": "x"},
    {"type": "compact", "ts": 1},
    {"format": "anthropic", "record": {"role": "user", "content": "x"}},
    {"messages": [{"role": "user", "content": "x"}]},
    {"model": "m", "messages": [], "system": "x"},
    {"id": "x", "object": "response", "output": []},
    {"id": "x", "choices": [], "timestamp": STAMP},
    {"role": "tool", "tool_call_id": "c", "content": "x", "id": "m", "timestamp": "t"},
    {"id": "m", "timestamp": STAMP, "type": "event", "payload": {}},
    {"type": "user", "content": "x"},
    {"type": "session", "id": "s"},
    {"role": "_note", "content": "x"},
    {"role": "_usage", "content": "x"},
    {"type": "metadata", "version": 1},
    {"type": "context.append", "data": {}},
    {"type": "user.message", "data": {}},
    {"type": "user.message", "data": {}, "timestamp": STAMP, "id": "x", "role": "user"},
    {"type": "user.message", "data": {}, "timestamp": STAMP},
    {"type": "user.message", "data": 7, "timestamp": STAMP, "id": "x"},
    {"type": ["user.message"], "data": {}, "timestamp": STAMP, "id": "x"},
    {"trajectory": [], "messages": [{"role": "user", "content": "x"}]},
    {"trajectory": [], "id": "x"},
    {"info": {}, "messages": [{"role": "user", "content": "x"}]},
    {"kind": "event", "source": "user"},
    {"source": "agent", "action": "run"},
    {"source": "agent", "action": {"kind": "x"}, "args": {}},
    {"timestamp": 1, "message": {"type": "user", "payload": {}}},
]


@pytest.mark.parametrize("value", MESSAGES, ids=range(len(MESSAGES)))
def test_no_message_is_taken_for_a_record_of_an_agent(value):
    assert classify(value).group != "transcript"
    for name in transcripts.NAMES:
        assert not transcripts.load(name).sniff(value)


def test_a_session_object_is_no_document_of_messages():
    header = {"sessionId": "s", "projectHash": "p"}
    messages = [{"id": "m", "type": "user", "content": "x", "timestamp": STAMP}]
    assert classify(header | {"messages": messages}).fits == {"gemini-cli"}
    assert classify({"messages": messages}).group == "document"


def test_two_agents_in_one_stream_are_told():
    from mewctl.errors import BadInput

    detector = Detector("x")
    detector.feed(1, next(values_of(DATA / "codex" / "older.jsonl")))
    with pytest.raises(BadInput, match="two kinds"):
        detector.feed(2, next(values_of(DATA / "pi" / "tree.jsonl")))
