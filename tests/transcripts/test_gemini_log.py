"""Gemini CLI: updates, rewinds, replacements, and session objects, whole and torn."""

from __future__ import annotations

import json

import orjson
import pytest

STAMP = "2026-04-01T10:00:00.000Z"
HEADER = {"sessionId": "s-1", "projectHash": "p", "startTime": STAMP}


def user(name, words, **fields):
    record = {"id": name, "timestamp": STAMP, "type": "user", "content": words}
    return record | fields


def model(name, words, tokens=9):
    record = user(name, words) | {"type": "gemini", "tokens": {"input": tokens}}
    return {key: value for key, value in record.items() if value is not None}


def update(*messages, **fields):
    return {"$set": {"messages": list(messages), **fields}}


@pytest.fixture
def read(read_as):
    return lambda *lines, **options: read_as("gemini-cli", list(lines), **options)


@pytest.fixture
def say(read, told):
    return lambda *lines, **options: told(read(*lines, **options)[0])


def test_a_message_of_a_known_id_overwrites_it_in_its_place(say):
    assert say(user("a", "one"), user("b", "two"), user("a", "ONE")) == [
        "user: ONE",
        "user: two",
    ]


def test_messages_without_an_id_are_all_told(say):
    first = {"type": "user", "content": "one"}
    second = {"type": "user", "content": "two", "id": 7}
    assert say(first, second) == ["user: one", "user: two"]


def test_a_rewind_drops_a_message_and_all_after_it(say, read, noted):
    lines = [user("a", "one"), user("b", "two"), user("c", "3"), {"$rewindTo": "b"}]
    assert say(*lines, user("d", "four")) == ["user: one", "user: four"]
    _, report = read(*lines)
    assert noted(report, "left-out") == [(0, "2 messages of rewound branches")]
    assert noted(report, "branch") == []


def test_a_rewind_to_nowhere_drops_all_and_is_noted(say, read, noted):
    lines = [user("a", "one"), {"$rewindTo": "x"}, user("b", "two")]
    assert say(*lines) == ["user: two"]
    _, report = read(*lines)
    ((line, text),) = noted(report, "branch")
    assert line == 2
    assert "not there" in text


REPLACED = [
    user("a", "one"),
    model("b", "First."),
    user("c", "two"),
    model("d", "Second."),
    update(user("s", "<state_snapshot>x</state_snapshot>"), model("d", "SECOND.")),
    model("e", "Third."),
]


def test_a_replacement_is_the_history_from_there_on(say, read, noted):
    assert say(*REPLACED) == [
        "injected: <state_snapshot>x</state_snapshot>",
        "assistant: SECOND.",
        "assistant: Third.",
    ]
    messages, report = read(*REPLACED)
    usages = [message.usage is not None for message in messages]
    assert usages == [False, False, True], "what was kept counts what is gone"
    assert noted(report, "boundary") == [
        (5, "the history begins after one: 3 messages were replaced")
    ]


def test_in_full_a_replacement_adds_what_is_new(say, read):
    assert say(*REPLACED, full=True) == [
        "user: one",
        "assistant: First.",
        "user: two",
        "injected: <state_snapshot>x</state_snapshot>",
        "assistant: Second.",
        "assistant: Third.",
    ]
    messages, _ = read(*REPLACED, full=True)
    usages = [m.usage is not None for m in messages if m.role == "assistant"]
    assert usages == [True, True, False]


def test_a_replacement_that_only_changes_texts_is_no_boundary(say, read, noted):
    lines = [user("a", "one"), model("b", "long"), update(user("a", "one"))]
    lines[-1]["$set"]["messages"].append(model("b", "short"))
    assert say(*lines) == ["user: one", "assistant: short"]
    assert say(*lines, full=True) == ["user: one", "assistant: long"]
    messages, report = read(*lines)
    assert messages[1].usage is not None
    assert noted(report, "boundary") == []


@pytest.mark.parametrize("messages", [[], None, "odd", 7])
def test_an_update_without_messages_replaces_nothing(say, messages):
    assert say(user("a", "one"), {"$set": {"messages": messages}}) == ["user: one"]


def test_what_is_no_message_is_counted(read, noted):
    _, report = read(
        HEADER,
        {"$set": {"sessionId": "s-2"}},
        user("b", "x") | {"type": ["odd"]},
        {"odd": True},
        update(user("c", "one"), "odd", 7),
    )
    assert report.origin == "s-2"
    assert [text for _, text in noted(report, "left-out")] == [
        "2 messages that are no objects",
        "2 untyped records",
        "2 updates of the session's data",
    ]


def test_notices_are_counted_by_their_kind(read, noted):
    kinds = ("info", "warning", "error", "error", "new kind")
    lines = [user(str(n), "x") | {"type": kind} for n, kind in enumerate(kinds)]
    messages, report = read(*lines)
    assert messages == []
    assert [text for _, text in noted(report, "left-out")] == [
        "2 error records",
        "1 info records",
        "1 new kind records",
        "1 warning records",
    ]


# --- session objects ---


def test_a_session_object_is_one_record(say, read):
    whole = HEADER | {"messages": [user("a", "one"), model("b", "First."), 7]}
    assert say(whole) == ["user: one", "assistant: First."]
    assert read(whole)[1].origin == "s-1"
    assert say(HEADER | {"messages": None}) == []
    assert say(HEADER | {"messages": {"a": 1}}) == []


def test_a_session_object_can_be_spread_over_lines(say):
    whole = HEADER | {"messages": [user("a", "one"), model("b", "First.")]}
    lines = json.dumps(whole, indent=1).encode().split(b"\n")
    assert len(lines) > 10
    assert say(*lines) == ["user: one", "assistant: First."]


def test_big_integers_in_a_session_object_are_kept(read):
    args = {"n": 12345678901234567890123}
    call = {"id": "c", "name": "t", "args": args, "result": None}
    messages = [user("a", "one"), model("b", "x") | {"toolCalls": [call]}]
    for value in (HEADER | {"messages": messages}, update(*messages)):
        found = read(json.dumps(value).encode())[0]
        assert found[1].calls[0].input == args


def test_numbers_stay_bent_where_a_session_object_nests_too_deep(read):
    deep = "[" * 220 + "]" * 220
    messages = [user("a", "one"), model("b", "x") | {"toolCalls": [{"args": 2e30}]}]
    text = json.dumps(HEADER | {"deep": 0, "messages": messages})
    messages, _ = read(text.replace('"deep": 0', f'"deep": {deep}').encode())
    assert messages[0].text == "one"


def test_a_message_of_an_object_that_nests_too_deep_is_skipped(read, told, noted):
    whole = HEADER | {"messages": [user("a", 0), user("b", "two")]}
    nest = b"[" * 1010 + b"]" * 1010
    raw = orjson.dumps(whole).replace(b'"content":0', b'"content":' + nest)
    messages, report = read(raw)
    assert told(messages) == ["user: two"]
    assert noted(report, "skipped") == [(1, "nested too deep")]


@pytest.mark.parametrize("indent", [None, 2])
def test_the_whole_messages_of_a_torn_object_are_told(read, told, noted, indent):
    whole = HEADER | {
        "messages": [user("a", "one"), model("b", "First."), user("c", "3")]
    }
    text = json.dumps(whole, indent=indent)
    torn = text[: text.index('"c"') + 2].encode().split(b"\n")
    messages, report = read(*torn)
    assert told(messages) == ["user: one", "assistant: First."]
    assert report.origin == "s-1"
    assert noted(report, "recovered") == [(1, "2 whole messages of a torn session")]
    ((line, text),) = noted(report, "skipped")
    assert line == 1
    assert text.endswith("characters that are no whole message")


@pytest.mark.parametrize(
    "raw",
    [
        b'{"messages": [',
        b'{"messages": [7',
        b'{"sessionId": "a\\"b", "messages": [{"id": ',
        b'{"messages": [{"id": ' + b"[" * 5000,
    ],
)
def test_a_torn_object_without_a_whole_message_tells_nothing(read, noted, raw):
    messages, report = read(raw)
    assert messages == []
    assert noted(report, "recovered") == [(1, "0 whole messages of a torn session")]


def test_a_message_of_a_torn_object_that_is_no_json_is_left_out(say):
    whole = json.dumps(HEADER | {"messages": [user("a", 0), user("b", "two")]})
    torn = whole.replace('"content": 0', '"content": NaN')[:-4]
    assert say(torn.encode()) == []
    assert say(f"{torn[:-3]}".encode()) == []
    whole = json.dumps(HEADER | {"messages": [user("a", 0), user("b", "two"), 7]})
    torn = whole.replace('"content": 0', '"content": NaN')[:-3]
    assert say(torn.encode()) == ["user: two"]


def test_a_torn_first_line_is_no_torn_object(say):
    torn = b'{"sessionId":"s-1","projectHash":"p","messages":['
    assert say(torn, user("a", "one")) == ["user: one"]
    assert say(b'{"sessionId":"s-1","proj', b"", user("a", "one")) == ["user: one"]
    assert say(b'{"sessionId":"s-1","proj', b"[1", b"2]") == []


def test_damaged_lines_give_their_whole_records(say):
    glued = orjson.dumps(user("a", "one")) + orjson.dumps(user("b", "two"))
    assert say(HEADER, glued, b'{"id":"x"' + orjson.dumps(user("c", "3"))) == [
        "user: one",
        "user: two",
        "user: 3",
    ]
