"""Repair of records: as they arrive, changed no more than they must be."""

from __future__ import annotations

import json

import pytest

from mewctl.errors import BadInput
from mewctl.history import formats
from mewctl.history.glance import GLANCES
from mewctl.history.repair import repair_records
from mewctl.streams.records import Record


def repaired(name, lines):
    found = []
    records = [Record(line, number) for number, line in enumerate(lines, 1)]
    pairs = [(record, record.mapping()) for record in records]
    out = list(repair_records(pairs, formats.load(name), found.append))
    return out, found


def lines_of(*values):
    return [json.dumps(value).encode() for value in values]


def call(call_id):
    return {"role": "assistant", "tool_calls": [{"id": call_id, "input": {}}]}


def result(call_id):
    entry = {"tool_call_id": call_id, "content": "1"}
    return {"role": "tool", "content": "", "tool_results": [entry]}


# --- as they arrive ---


def arriving(name, values):
    """How many records were read when each line of output came."""
    read = []

    def pairs():
        for number, value in enumerate(values, 1):
            read.append(number)
            yield Record(json.dumps(value).encode(), number), value

    out = repair_records(pairs(), formats.load(name), lambda _: None)
    return [len(read) for _ in out]


def test_what_is_complete_comes_out_before_the_next_record_is_read():
    user = {"role": "user", "content": "go"}
    call = {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "a", "input": {}}],
    }
    answer = {"tool_results": [{"tool_call_id": "a", "content": "1"}]}
    result = {"role": "tool", "content": "", **answer}
    said = {"role": "assistant", "content": "ok"}
    history = [{"type": "x"}, user, call, result, said, user]
    assert arriving("mew", history) == [1, 2, 4, 4, 5, 6]


def test_a_user_message_that_may_go_on_is_held_until_the_assistant_speaks():
    user = {"role": "user", "content": "go"}
    said = {"role": "assistant", "content": "ok"}
    history = [
        {"role": "system", "content": "x"},
        user,
        said,
        user,
        {"type": "x"},
        said,
    ]
    assert arriving("anthropic", history) == [1, 3, 4, 6, 6, 6]


def test_after_damage_records_flow_again():
    user = {"role": "user", "content": "go"}
    said = {"role": "assistant", "content": "ok"}
    history = [user, user, said, user, said, user]
    assert arriving("anthropic", history) == [3, 4, 5, 6, 6]


# --- changing records ---


def test_ids_made_up_do_not_depend_on_what_comes_later():
    call = {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "a", "input": {}}],
    }
    result = {
        "role": "tool",
        "content": "",
        "tool_results": [{"tool_call_id": "a", "content": "1"}],
    }
    history = [{"role": "user", "content": "go"}, *[call, result] * 3]
    short, _ = repaired("mew", lines_of(*history[:5]))
    long, _ = repaired("mew", lines_of(*history))
    assert long[:5] == short
    ids = {json.loads(raw)["tool_calls"][0]["id"] for raw in long[1::2]}
    assert len(ids) == 3


def test_an_id_made_up_is_never_one_that_is_there():
    user = {"role": "user", "content": "go"}
    first, _ = repaired(
        "mew", lines_of(user, call("a"), result("a"), call("a"), result("a"))
    )
    made = json.loads(first[3])["tool_calls"][0]["id"]
    there = [user, call(made), result(made), call("a"), result("a")]
    out, _ = repaired("mew", lines_of(*there, call("a"), result("a")))
    ids = [json.loads(raw)["tool_calls"][0]["id"] for raw in out[1::2]]
    assert len(set(ids)) == 3


def test_a_later_call_cannot_have_the_id_that_was_made_up():
    user = {"role": "user", "content": "go"}
    twice = [user, call("a"), result("a"), call("a"), result("a")]
    made = json.loads(repaired("mew", lines_of(*twice))[0][3])["tool_calls"][0]["id"]
    out, _ = repaired("mew", lines_of(*twice, call(made), result(made)))
    ids = [json.loads(raw)["tool_calls"][0]["id"] for raw in out[1::2]]
    assert ids[:2] == ["a", made]
    assert len(set(ids)) == 3


def test_a_record_that_is_changed_keeps_its_big_numbers_and_unknown_keys():
    number = 12345678901234567890123
    lines = lines_of(
        {"role": "user", "content": "go", "x_big": number},
        {"role": "user", "content": "on"},
    )
    out, _ = repaired("anthropic", lines)
    assert json.loads(out[0])["x_big"] == number


def test_a_record_too_deep_to_be_changed_is_named():
    deep = b'{"role":"user","content":"on","x":' + b"[" * 300 + b"]" * 300 + b"}"
    with pytest.raises(BadInput, match="line 1: must be changed"):
        repaired("anthropic", [deep, b'{"role":"user","content":"and on"}'])
    untouched, found = repaired("openai", [deep, deep])
    assert untouched == [deep, deep]
    assert found == []


def test_a_record_that_is_no_message_of_its_format_is_refused():
    with pytest.raises(ValueError, match="content"):
        repaired("anthropic", [b'{"role":"user","content":7}'])


ANSWER = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude",
    "content": [{"type": "tool_use", "id": "a", "name": "run", "input": {}}],
    "stop_reason": "tool_use",
    "usage": {"input_tokens": 1, "output_tokens": 1},
}
COMPLETION = {
    "object": "chat.completion",
    "choices": [
        {
            "message": {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "a",
                        "type": "function",
                        "function": {"name": "run", "arguments": "{}"},
                    }
                ],
            }
        }
    ],
}


@pytest.mark.parametrize("answer", [ANSWER, COMPLETION], ids=["messages", "chat"])
def test_a_whole_response_is_a_message_with_calls(answer):
    user = {"role": "user", "content": "go"}
    entry = {"tool_call_id": "a", "content": "1"}
    result = {"role": "tool", "content": "", "tool_results": [entry]}
    lines = lines_of(user, answer, result)
    assert repaired("mew", lines) == (lines, [])
    out, found = repaired("mew", lines_of(user, answer, result, answer, result))
    assert [f.kind for f in found] == ["duplicate-id"]
    changed = json.loads(out[3])
    assert changed["tool_calls"][0]["id"] == found[0].repair.split()[2].rstrip(",")


def test_a_response_of_the_same_api_is_changed_in_place():
    user = {"role": "user", "content": "go"}
    result = {"type": "tool_result", "tool_use_id": "a", "content": "1"}
    answers = {"role": "user", "content": [result]}
    out, found = repaired("anthropic", lines_of(user, ANSWER, answers, ANSWER, answers))
    assert [f.kind for f in found] == ["duplicate-id"]
    changed = json.loads(out[3])
    assert changed["usage"] == ANSWER["usage"]
    assert changed["content"][0]["id"] != "a"


# --- at a glance ---


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("mew", {"role": "tool", "tool_results": [{"content": "x"}], "content": ""}),
        ("mew", {"role": "tool", "tool_results": [{"content": []}], "content": ""}),
        ("mew", {"role": "tool", "tool_results": {}, "content": ""}),
        ("mew", {"role": "assistant", "content": "", "tool_calls": {"id": "a"}}),
        ("mew", {"role": "assistant", "content": "", "tool_calls": ["a"]}),
        ("mew", {"role": "assistant", "content": "", "tool_calls": [{"input": {}}]}),
        ("mew", {"role": "user", "content": [{"type": "image"}]}),
        ("mew", {"role": "user", "content": None}),
        ("anthropic", {"role": "user", "content": []}),
        ("anthropic", {"role": "user", "content": ["x"]}),
        ("anthropic", {"role": "assistant", "content": ["x"]}),
        (
            "anthropic",
            {"role": "assistant", "content": [{"type": "tool_use", "id": 1}]},
        ),
        ("anthropic", {"role": "assistant", "content": [{"type": "thinking"}]}),
        (
            "anthropic",
            {"role": "assistant", "content": [{"type": "thinking", "thinking": ""}]},
        ),
        ("anthropic", {"role": "user", "content": [{"type": "tool_result"}]}),
        ("anthropic", {"role": "user", "content": [{"type": "image"}]}),
        ("anthropic", {"role": ["user"], "content": "x"}),
        ("openai", {"role": "tool", "content": "x"}),
        ("openai", {"role": "user", "content": []}),
        ("openai", {"role": "assistant", "tool_calls": [{"function": {}}]}),
        ("openai", {"role": "assistant", "tool_calls": [{"id": "a"}]}),
        ("openai", {"role": "user", "content": "x", "audio": {}}),
    ],
)
def test_what_is_not_ordinary_is_not_judged_at_a_glance(name, value):
    assert GLANCES[name](value) is None
