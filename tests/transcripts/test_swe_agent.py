"""SWE-agent: histories, steps in their place, demonstrations, torn trajectories."""

from __future__ import annotations

import orjson
import pytest

from mewctl.history.view import Call, Text
from mewctl.transcripts import swe_agent


def item(role, content, **fields):
    return {"role": role, "content": content, "agent": "main"} | fields


def whole(*history, **fields):
    return {"trajectory": [], "history": list(history), "info": {}} | fields


@pytest.fixture
def read(read_as):
    return lambda *lines, **options: read_as("swe-agent", list(lines), **options)


@pytest.fixture
def say(read, told):
    return lambda *lines, **options: told(read(*lines, **options)[0])


@pytest.mark.parametrize(
    ("value", "known"),
    [
        (whole(), True),
        ({"trajectory": [], "history": []}, True),
        ({"trajectory": [], "info": {}}, True),
        ({"trajectory": []}, False),
        ({"trajectory": {}, "info": {}}, False),
        ({"trajectory": [], "info": {}, "type": "x"}, False),
        ({"trajectory": [], "info": {}, "messages": []}, False),
    ],
)
def test_a_trajectory_is_known_by_its_keys(value, known):
    assert swe_agent.sniff(value) is known


def test_the_user_s_words_are_what_stands_before_the_first_answer(say):
    lines = whole(
        item("system", "Rules."),
        item("user", "The issue."),
        item("user", "A hint."),
        item("assistant", "I look."),
        item("user", "OBSERVATION"),
        item("system", "Late."),
        item("developer", "Odd."),
    )
    assert say(lines) == [
        "system: Rules.",
        "user: The issue.",
        "user: A hint.",
        "assistant: I look.",
        "injected: OBSERVATION",
        "injected: Late.",
        "injected: Odd.",
    ]


def test_a_demonstration_was_neither_said_nor_done(read):
    call = {"id": "t", "function": {"name": "bash", "arguments": "{}"}}
    (message,), _ = read(
        whole(item("assistant", "ls", is_demo=True, tool_calls=[call]))
    )
    assert message.parts == (Text("ls"),)
    assert message.injected


def test_results_in_a_row_are_one_message(say):
    assert say(
        whole(
            item("tool", "a", tool_call_ids=["t1"]),
            item("tool", [{"type": "text", "text": "b"}], tool_call_id="t2"),
            item("tool", "c"),
        )
    ) == ["tool: result t1=a result t2=b result =c"]


def test_other_agents_are_left_out_unless_asked_for(say, read, noted):
    lines = whole(item("user", "go"), item("assistant", "no", agent="reviewer"), 7)
    assert say(lines) == ["user: go"]
    assert say(lines, sidechains=True) == ["user: go", "assistant: no"]
    assert noted(read(lines)[1], "left-out") == [
        (0, "1 messages of other agents"),
        (0, "1 messages that are no objects"),
    ]


def test_what_a_trajectory_has_beside_its_history_is_counted(read, noted):
    lines = whole(item("user", "go"), trajectory=[{}], attempts=[{}, {}])
    assert noted(read(lines, {"odd": 1})[1], "left-out") == [
        (0, "2 earlier attempts"),
        (0, "1 records that are no trajectory"),
        (0, "1 steps"),
    ]


def test_without_a_history_the_steps_tell_it(say):
    step = {"query": [{"role": "user", "content": "The issue."}], "thought": "Hm."}
    later = {"response": "Done.", "observation": "ok", "query": [{"role": "user"}]}
    assert say(whole(trajectory=[step, later])) == [
        "user: The issue.",
        "assistant: Hm.",
        "assistant: Done.",
        "injected: ok",
    ]


def test_a_torn_trajectory_without_items_tells_nothing(read, noted):
    messages, report = read(b"{", b'"trajectory": [', b'{"query": [')
    assert messages == []
    assert noted(report, "recovered") == [(1, "0 whole steps of a torn session")]


def test_a_torn_history_without_items_leaves_the_steps(say):
    lines = (b'{"trajectory": [', b'{"response": "Hi."},', b'{"x":', b'"history": [')
    assert say(*lines) == ["assistant: Hi."]


def test_big_integers_are_kept(read):
    call = {"id": "t", "function": {"name": "f", "arguments": {"n": 0}}}
    line = orjson.dumps(whole(item("assistant", "x", tool_calls=[call])))
    line = line.replace(b'"n":0', b'"n":12345678901234567890123')
    (message,), _ = read(line)
    assert message.calls == (Call("t", "f", {"n": 12345678901234567890123}),)


def test_a_message_that_nests_too_deep_is_skipped_alone(read, told, noted):
    line = orjson.dumps(whole(item("user", "one"), item("user", [{"n": 0}])))
    line = line.replace(b'"n":0', b'"n":' + b"[" * 300 + b"]" * 300)
    messages, report = read(line)
    assert told(messages) == ["user: one"]
    assert noted(report, "skipped") == [(0, "a message that is nested too deep")]
