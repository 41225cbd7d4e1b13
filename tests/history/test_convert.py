"""Converting histories: only what the target takes, and nothing lost in silence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mewctl.errors import BadInput
from mewctl.history import document
from mewctl.history.convert import convert, convert_records, request_pieces
from mewctl.history.formats import load, mew
from mewctl.history.losses import Losses
from mewctl.history.view import (
    Message,
    Result,
    Text,
    Thinking,
    Usage,
)
from mewctl.streams.jsonvalue import dumps

MINI = (
    Path(__file__).parents[2].parent
    / "shared/data/transcripts/openai/mini-swe-agent.json"
)


def run(values, source, target):
    losses = Losses()
    found = list(convert_records(values, load(source), load(target), losses))
    return found, dict(losses.counts)


def body_of(values, form):
    pieces = request_pieces(map(dumps, values), form)
    return json.loads(b"".join(pieces))


def say(*messages, source="mew", target="anthropic"):
    losses = Losses()
    return list(convert(messages, source, load(target), losses)), dict(losses.counts)


# --- what a target takes ---


def test_later_system_text_becomes_injected_text_of_the_user():
    history = (
        Message("system", (Text("rules"),)),
        Message("system", (Text("more"),)),
        Message("user", (Text("hi"),)),
        Message("system", (Text("reminder"),)),
    )
    for target in ("mew", "anthropic", "openai"):
        records, lost = say(*history, target=target)
        assert [r["role"] for r in records] == ["system", "system", "user", "user"]
        assert lost["later system text"] == 1
    assert say(*history, target="mew")[0][-1] == {
        "role": "user",
        "content": "reminder",
        "injected": True,
    }


def test_results_of_one_assistant_message_come_out_together():
    records = [
        {"role": "tool", "tool_call_id": "a", "content": "1"},
        {"role": "tool", "tool_call_id": "b", "content": "2"},
        {"role": "user", "content": "go on"},
        {"role": "tool", "tool_call_id": "c", "content": "3"},
    ]
    found, _ = run(records, "openai", "anthropic")
    assert [len(r["content"]) for r in found] == [2, len("go on"), 1]
    found, _ = run(records, "openai", "mew")
    assert [len(r.get("tool_results", ())) for r in found] == [2, 0, 1]


def test_results_put_together_count_the_times_they_lose():
    one, two = (
        Message("tool", (Result(i, (Text("x"),)),), time=t)
        for i, t in (("a", 1.0), ("b", 2.0))
    )
    records, lost = say(one, two, target="mew")
    assert len(records) == 1
    assert records[0]["ts"] == 1
    assert lost == {"time": 1}


def test_what_an_api_has_no_place_for_is_counted():
    m = Message("user", (Text("x"),), 1.0, "gpt", Usage(1), "id", injected=True)
    for target in ("anthropic", "openai"):
        records, lost = say(m, target=target)
        assert records == [{"role": "user", "content": "x"}]
        assert lost == dict.fromkeys(
            ["usage", "model", "time", "message id", "injected mark"], 1
        )
    assert not say(m, target="mew")[1]


@pytest.mark.parametrize(
    ("source", "model", "kept"),
    [
        ("claude-code", None, True),
        ("anthropic", "other", True),
        ("mew", None, True),
        ("mew", "claude-opus", True),
        ("mew", "gpt-5", False),
        ("codex", None, False),
        ("pi", "Claude-Sonnet", True),
    ],
)
def test_only_claudes_thinking_goes_to_the_messages_api(source, model, kept):
    m = Message("assistant", (Thinking("t", "sig"), Text("x")), model=model)
    records, lost = say(m, source=source)
    assert (lost.get("thinking of another model") is None) is kept
    assert isinstance(records[0]["content"], list) is kept


def test_a_marker_and_an_unknown_record_are_no_messages():
    values = [{"type": "compact", "ts": 1}, {"role": "critic", "content": "x"}]
    assert run(values, "mew", "openai") == (
        [],
        {"compact marker": 1, "unknown record": 1, "time": 1},
    )
    assert run(values[1:], "openai", "mew") == ([], {"unknown record": 1})
    marker = Message("system", (), 5.0, marker=True)
    assert say(Message("user", (Text("x"),)), marker, target="mew")[0][1] == {
        "type": "compact",
        "ts": 5,
    }


def test_unknown_keys_and_cache_marks_are_counted_once_each():
    values = [
        {
            "role": "user",
            "name": "bob",
            "content": [
                {"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}},
                {
                    "type": "image_url",
                    "image_url": {"url": "http://x", "detail": "low"},
                },
            ],
        },
        {"role": "tool", "tool_call_id": "a", "name": "bash", "content": "x"},
        {"role": "assistant", "content": None, "refusal": "no", "annotations": []},
    ]
    _, lost = run(values, "openai", "mew")
    assert lost == {
        "key name": 2,
        "key cache_control": 1,
        "key detail": 1,
        "key refusal": 1,
    }


def test_marks_inside_a_result_are_counted():
    block = {"type": "text", "text": "x", "citations": [1]}
    result = {"type": "tool_result", "tool_use_id": "a", "content": [block]}
    _, lost = run([{"role": "user", "content": [result]}], "anthropic", "mew")
    assert lost == {"key citations": 1}


def test_an_envelope_gives_back_the_very_record_to_its_own_format():
    inner = {
        "role": "assistant",
        "content": [{"type": "text", "text": "x", "citations": [1]}],
    }
    value = mew.envelope("anthropic", inner, time=5, model="claude", usage=Usage(3))
    assert run([value], "mew", "anthropic") == (
        [inner],
        {"time": 1, "model": 1, "usage": 1},
    )
    found, lost = run([value], "mew", "openai")
    assert found == [{"role": "assistant", "content": "x"}]
    assert lost == {"time": 1, "model": 1, "usage": 1, "key citations": 1}
    assert run([value], "mew", "mew") == ([value], {})


# --- responses ---

MESSAGE = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "model": "claude-x",
    "content": [{"type": "text", "text": "x"}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 3, "output_tokens": 4},
}


def test_a_response_among_messages_gives_its_message():
    assert run([MESSAGE], "anthropic", "anthropic") == (
        [{"role": "assistant", "content": MESSAGE["content"]}],
        {"usage": 1, "model": 1, "message id": 1},
    )
    found, lost = run([MESSAGE], "anthropic", "mew")
    assert found == [
        {
            "role": "assistant",
            "content": "x",
            "model": "claude-x",
            "id": "msg_1",
            "usage": {"input": 3, "cache_read": 0, "cache_write": 0, "output": 4},
        }
    ]
    assert not lost


def test_the_other_choices_of_a_completion_are_counted():
    choice = {"message": {"role": "assistant", "content": "x", "refusal": None}}
    value = {"object": "chat.completion", "choices": [choice, choice, choice]}
    assert run([value], "openai", "anthropic") == (
        [{"role": "assistant", "content": "x"}],
        {"other choice of a response": 2},
    )


def test_a_response_without_a_message_stops_the_conversion():
    with pytest.raises(BadInput, match="overloaded"):
        run([{"type": "error", "error": {"type": "overloaded_error"}}], "mew", "openai")


def test_a_value_that_is_no_message_stops_the_conversion_where_it_stands():
    taken = []

    def values():
        for value in ({"role": "user", "content": "x"}, {"role": "user", "content": 5}):
            taken.append(value)
            yield value

    made = convert_records(values(), load("mew"), load("openai"), Losses())
    assert next(made) == {"role": "user", "content": "x"}
    with pytest.raises(ValueError, match="content is a number"):
        next(made)
    assert taken[-1]["content"] == 5


# --- requests ---


def test_a_request_to_the_messages_api_takes_the_system_text_out():
    user = {"role": "user", "content": "x"}
    form = load("anthropic")
    assert body_of([user], form) == {"messages": [user]}
    one = {"role": "system", "content": "a"}
    assert body_of([one, user], form) == {"system": "a", "messages": [user]}
    blocks = {"role": "system", "content": [{"type": "text", "text": "b"}]}
    assert body_of([one, blocks], form) == {
        "system": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
        "messages": [],
    }
    assert body_of([user, one], form) == {"messages": [user, one]}


def test_a_chat_request_is_the_messages_and_mew_has_none():
    user = {"role": "user", "content": "x"}
    assert body_of([user], load("openai")) == {"messages": [user]}
    with pytest.raises(ValueError, match="mew"):
        body_of([user], load("mew"))


@pytest.mark.skipif(not MINI.is_file(), reason="no real trajectory here")
def test_a_real_trajectory_goes_there_and_back():
    records = document.records(json.loads(MINI.read_bytes()))
    for target in ("anthropic", "mew"):
        away, _ = run(records, "openai", target)
        back, _ = run(away, target, "openai")
        assert [(r["role"], r["content"]) for r in back] == [
            (r["role"], r["content"]) for r in records
        ]
