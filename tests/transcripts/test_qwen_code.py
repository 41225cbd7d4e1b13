"""Qwen Code: links, names that several records share, whose words, compressions."""

from __future__ import annotations

from itertools import pairwise

import pytest

from mewctl.history.view import Usage
from mewctl.transcripts import claude_code, qwen_code

STAMP = "2026-03-01T09:00:00Z"


def record(kind, name, *texts, parent=None, role="user", **fields):
    parts = [{"text": text} if isinstance(text, str) else text for text in texts]
    about = {"uuid": name, "parentUuid": parent, "sessionId": "s", "timestamp": STAMP}
    return about | {"type": kind, "message": {"role": role, "parts": parts}} | fields


def user(name, *texts, **fields):
    return record("user", name, *texts, **fields)


def model(name, *texts, **fields):
    return record("assistant", name, *texts, role="model", **fields)


def call(name, tool="bash", **given):
    return {"functionCall": {"id": name, "name": tool, "args": given}}


def answer(name, **response):
    return {"functionResponse": {"id": name, "name": "bash", "response": response}}


def system(subtype, name, parent=None, **payload):
    about = {"uuid": name, "parentUuid": parent, "sessionId": "s", "timestamp": STAMP}
    return about | {"type": "system", "subtype": subtype, "systemPayload": payload}


@pytest.fixture
def read(read_as):
    return lambda *lines, **options: read_as("qwen-code", list(lines), **options)


@pytest.fixture
def say(read, told):
    return lambda *lines, **options: told(read(*lines, **options)[0])


@pytest.mark.parametrize(
    ("value", "known"),
    [
        (user("a", "x"), True),
        (system("rewind", "a"), True),
        ({"uuid": "a", "sessionId": "s", "type": "tool_result", "message": {}}, True),
        ({"uuid": "a", "sessionId": "s", "type": "tool_result"}, False),
        ({"uuid": "a", "sessionId": "s", "type": "system", "subtype": "x"}, False),
        ({"uuid": "a", "sessionId": "s", "type": "user", "message": {}}, False),
        ({"uuid": "a", "sessionId": "s", "type": ["user"]}, False),
        ({"uuid": "a", "type": "user", "message": {"parts": []}}, False),
    ],
)
def test_a_record_is_known_by_its_envelope_and_gemini_s_parts(value, known):
    assert qwen_code.sniff(value) is known
    assert not (known and claude_code.sniff(value))


def test_records_of_one_name_are_one_message_with_the_last_usage(read):
    counts = {"promptTokenCount": 9, "totalTokenCount": 12}
    lines = (
        model("a", "One.", usageMetadata={"promptTokenCount": 1}),
        model("a", "Two.", call("c"), usageMetadata=counts, model="m"),
    )
    (message,), _ = read(*lines)
    assert message.text == "One.\nTwo."
    assert (message.usage, message.model) == (Usage(input=9, output=3), "m")


@pytest.mark.parametrize(
    ("counts", "usage"),
    [
        ({}, None),
        ({"promptTokenCount": 9, "candidatesTokenCount": 2}, Usage(9, 0, 0, 2)),
        (
            {
                "promptTokenCount": 9,
                "cachedContentTokenCount": 4,
                "totalTokenCount": 10,
            },
            Usage(5, 4, 0, 1),
        ),
        (
            {"promptTokenCount": 9, "totalTokenCount": 1, "candidatesTokenCount": 2},
            Usage(9, 0, 0, 2),
        ),
    ],
)
def test_a_usage_is_the_input_and_all_the_rest(read, counts, usage):
    (message,), _ = read(model("a", "x", usageMetadata=counts))
    assert message.usage == usage


def test_only_what_was_typed_is_the_user_s(say):
    lines = (
        user("a", "sent <x> with a hook", systemPayload={"displayText": "typed"}),
        user("b", "look at @a", "\n--- Content from referenced files ---", "text"),
        user("c", "note", subtype="notification"),
        user("d", "at nine", subtype="cron"),
        user("e", "meanwhile", subtype="mid_turn_user_message"),
        user("f", "spoken", subtype="realtime_message"),
        user("g", "/about"),
    )
    for before, line in pairwise(lines):
        line["parentUuid"] = before["uuid"]
    assert say(*lines) == [
        "user: typed",
        "injected: sent <x> with a hook",
        "user: look at @a",
        "injected: /--- Content from referenced files ---/text",
        "injected: note",
        "injected: at nine",
        "user: meanwhile",
    ]


def test_results_are_one_message_also_where_only_a_copy_is_left(read, told):
    copy = {"uuid": "c", "parentUuid": "b", "sessionId": "s", "type": "tool_result"}
    lines = (
        model("a", call("c1"), call("c2"), call("c3")),
        record("tool_result", "b", answer("c1", output="one"), parent="a"),
        copy
        | {"toolCallResult": {"callId": "c2", "status": "error", "result": {"a": 1}}},
        copy
        | {"uuid": "d", "parentUuid": "c"}
        | {"toolCallResult": {"callId": "c3", "resultDisplay": None}},
        record("tool_result", "e", "beside", parent="d"),
    )
    messages, _ = read(*lines)
    assert told(messages)[1:] == [
        'tool: result c1=one result c2={"a":1} result c3=',
        "injected: beside",
    ]
    assert [r.is_error for r in messages[1].results] == [False, True, False]


def test_a_status_of_failure_marks_a_result(read):
    failed = {"toolCallResult": {"callId": "c1", "status": "cancelled"}}
    lines = (
        model("a", call("c1")),
        record("tool_result", "b", answer("c1", output="x"), parent="a", **failed),
    )
    assert read(*lines)[0][1].results[0].is_error


def test_sub_agents_are_left_out_unless_asked_for(say, read, noted):
    side = {"isSidechain": True, "agentId": "one"}
    lines = (
        user("a", "go"),
        model("b", "Working.", parent="a"),
        user("x", "find", **side),
        model("y", "Found.", parent="x", **side),
        user("z", "who?", isSidechain=True),
        model("c", "Done.", parent="b"),
        user("w", "late", parent="c", **side),
    )
    assert say(*lines) == ["user: go", "assistant: Working.", "assistant: Done."]
    assert noted(read(*lines)[1], "left-out") == [
        (0, "4 records of sub-agents"),
    ]
    assert say(*lines, sidechains=True) == [
        "user: go",
        "assistant: Working.",
        "assistant: Done.",
        "injected: find",
        "assistant: Found.",
        "injected: late",
        "injected: who?",
    ]


def compressed(parent):
    history = [
        {"role": "user", "parts": [{"text": "<state_snapshot>All.</state_snapshot>"}]},
        {"role": "model", "parts": [{"text": "I see."}]},
        {"role": "model", "parts": [{"text": "Second."}]},
        {"role": "user", "parts": [answer("c9", output="kept")]},
        7,
    ]
    return system("chat_compression", "x", parent, compressedHistory=history)


def test_a_compression_s_history_replaces_what_was_before_it(say, read, noted):
    lines = (
        user("a", "one"),
        model("b", "First.", parent="a", usageMetadata={"promptTokenCount": 9}),
        model("c", "Second.", parent="b"),
        compressed("c"),
        model("d", "Third.", parent="x", usageMetadata={"promptTokenCount": 3}),
    )
    summary = "injected: <state_snapshot>All.</state_snapshot>"
    new = [summary, "assistant: I see."]
    kept = "tool: result c9=kept"
    assert say(*lines) == [*new, "assistant: Second.", kept, "assistant: Third."]
    assert say(*lines, full=True) == [
        "user: one",
        "assistant: First.",
        "assistant: Second.",
        *new,
        kept,
        "assistant: Third.",
    ]
    assert [m.usage for m in read(*lines)[0] if m.usage] == [Usage(input=3)]
    assert [m.usage for m in read(*lines, full=True)[0] if m.usage] == [Usage(input=9)]
    assert (0, "3 records before the compaction") in noted(read(*lines)[1], "left-out")


def test_a_compression_without_a_history_replaces_nothing(say):
    odd = system("chat_compression", "x", "a", info={})
    assert say(user("a", "one"), odd, user("b", "two", parent="x")) == [
        "user: one",
        "user: two",
    ]


def test_the_last_record_of_the_main_agent_is_the_leaf(say):
    lines = (
        user("a", "one"),
        model("b", "left", parent="a"),
        system("rewind", "c", "a", truncatedCount=1),
        user("d", "two", parent="c"),
    )
    assert say(*lines) == ["user: one", "user: two"]
    assert say() == []
