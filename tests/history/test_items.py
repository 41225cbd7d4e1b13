"""Conversions to and from items: one answer, its calls' kinds, whose thinking it is."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from mewctl.history.convert import convert, convert_records, request_pieces
from mewctl.history.document import is_document, records
from mewctl.history.formats import load, mew
from mewctl.history.formats.responses_shell import odd_outcomes
from mewctl.history.losses import Losses
from mewctl.history.view import Call, Message, Result, Text, Thinking, Usage
from mewctl.streams.jsonvalue import dumps


def run(values, source, target):
    losses = Losses()
    found = list(convert_records(values, load(source), load(target), losses))
    return found, dict(losses.counts)


def body_of(values, form):
    pieces = request_pieces(map(dumps, values), form)
    return json.loads(b"".join(pieces))


def say(*messages, source="mew", target="responses"):
    losses = Losses()
    return list(convert(messages, source, load(target), losses)), dict(losses.counts)


USER = {"role": "user", "content": "go"}
THOUGHT = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "so"}],
    "encrypted_content": "gAAAAAx",
}
WORDS = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "content": [{"type": "output_text", "text": "I look.", "annotations": []}],
}
ONE = {"type": "function_call", "call_id": "a", "name": "f", "arguments": '{"k":1}'}
TWO = {"type": "custom_tool_call", "call_id": "b", "name": "p", "input": "*** x"}
HEARD = {"type": "function_call_output", "call_id": "a", "output": "1"}
DONE = {"type": "custom_tool_call_output", "call_id": "b", "output": "2"}
ITEMS = [USER, THOUGHT, WORDS, ONE, TWO, HEARD, DONE, {**WORDS, "id": "msg_2"}]


def test_the_items_of_one_answer_are_one_message_elsewhere():
    found, lost = run(ITEMS, "responses", "mew")
    assert [record["role"] for record in found] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert found[1] == {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "so", "signature": "gAAAAAx"},
            {"type": "text", "text": "I look."},
        ],
        "tool_calls": [
            {"id": "a", "name": "f", "input": {"k": 1}},
            {"id": "b", "name": "p", "input": "*** x", "kind": "custom"},
        ],
        "id": "rs_1",
    }
    assert len(found[2]["tool_results"]) == 2
    assert lost == {"message id": 1}


def test_what_the_hub_holds_of_an_answer_becomes_the_same_items():
    away, _ = run(ITEMS, "responses", "mew")
    back, lost = run(away, "mew", "responses")
    words = {"role": "assistant", "content": "I look."}
    thought = {key: value for key, value in THOUGHT.items() if key != "id"}
    assert back == [USER, thought, words, ONE, TWO, HEARD, DONE, words]
    assert lost == {"message id": 2}


def test_what_stands_between_items_parts_answers():
    found, lost = run(
        [WORDS, {"type": "progress"}, WORDS, USER, WORDS], "responses", "mew"
    )
    assert [record["role"] for record in found] == [
        "assistant",
        "assistant",
        "user",
        "assistant",
    ]
    assert lost == {"unknown record": 1}


def test_items_in_envelopes_are_joined_or_given_back():
    kept = [
        mew.envelope("responses", item, time=time, model=model, usage=usage)
        for item, time, model, usage in (
            (THOUGHT, 5.0, "gpt-1", Usage(1)),
            (WORDS, 6.0, None, None),
            (ONE, None, "gpt-2", Usage(2)),
        )
    ]
    found, lost = run(kept, "mew", "responses")
    assert found == [THOUGHT, WORDS, ONE]
    assert lost == {"time": 2, "model": 2, "usage": 2, "message id": 2}
    found, lost = run(kept, "mew", "anthropic")
    assert [block["type"] for block in found[0]["content"]] == ["text", "tool_use"]
    assert lost == {
        "time": 2,
        "model": 2,
        "usage": 2,
        "message id": 2,
        "thinking of another model": 1,
    }
    losses = Losses()
    views = [mew.view(value) for value in kept]
    (made,) = convert(views, "mew", mew, losses)
    assert (made["ts"], made["model"], made["id"]) == (5, "gpt-2", "rs_1")
    assert made["usage"]["input"] == 2
    assert dict(losses.counts) == {"time": 1, "model": 1, "usage": 1, "message id": 1}


def test_the_first_directory_of_an_answer_is_kept():
    one = replace(load("responses").view(ONE), cwd=None)
    two = replace(load("responses").view(TWO), cwd="/x")
    assert say(one, two, target="mew")[0][0]["cwd"] == "/x"


# --- whole responses ---

WHOLE = {
    "object": "response",
    "id": "resp_1",
    "model": "gpt-x",
    "output": [THOUGHT, WORDS, {**ONE, "namespace": "mcp__x"}],
    "usage": {"input_tokens": 5, "output_tokens": 1},
}


def test_a_whole_response_gives_its_items_or_its_message():
    found, lost = run([USER, WHOLE], "responses", "responses")
    assert found == [USER, *WHOLE["output"]]
    assert lost == {"usage": 1, "model": 1, "message id": 1}
    found, lost = run([USER, WHOLE], "responses", "mew")
    assert found[1]["usage"]["input"] == 5
    assert (found[1]["id"], found[1]["model"]) == ("resp_1", "gpt-x")
    assert [call["id"] for call in found[1]["tool_calls"]] == ["a"]
    assert lost == {"key namespace": 1}


def test_what_the_provider_did_itself_goes_along():
    did = {"type": "shell_call", "call_id": "h", "action": {"commands": ["ls"]}}
    printed = {
        "type": "shell_call_output",
        "call_id": "h",
        "output": [
            {"stdout": "a", "stderr": "", "outcome": {"type": "exit", "exit_code": 2}}
        ],
    }
    whole = {**WHOLE, "output": [did, printed, WORDS]}
    found, lost = run([whole], "responses", "anthropic")
    assert [record["role"] for record in found] == ["assistant", "user", "assistant"]
    assert found[1]["content"][0]["is_error"] is True
    assert lost["exit code"] == 1
    assert lost["kind of a shell call"] == 1


@pytest.mark.parametrize(
    ("output", "odd"),
    [
        (None, 0),
        ([5, {}, {"outcome": None}], 0),
        ([{"outcome": {"type": "exit", "exit_code": code}} for code in (0, 1, 7)], 1),
        ([{"outcome": {"type": "timeout"}}, {"outcome": "new"}], 2),
    ],
)
def test_an_outcome_that_says_more_than_passed_or_failed_is_counted(output, odd):
    assert odd_outcomes(output) == odd


# --- kinds ---


def test_a_result_takes_the_kind_of_its_call():
    call = {"id": "b", "type": "custom", "custom": {"name": "p", "input": "x"}}
    chat = [
        USER,
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "b", "content": "2"},
    ]
    found, lost = run(chat, "openai", "responses")
    assert [item.get("type") for item in found[1:]] == [
        "custom_tool_call",
        "custom_tool_call_output",
    ]
    assert not lost
    result = Result("b", (Text("2"),))
    asked = Message("assistant", (Call("b", "p", "x", "custom"),))
    found, lost = say(asked, Message("tool", (result,)))
    assert found[1]["type"] == "custom_tool_call_output"
    assert lost == {"kind of a function result": 1}


def test_the_calls_of_items_that_stay_are_known_too():
    kept = mew.envelope("responses", TWO)
    answer = {"role": "tool", "tool_results": [{"tool_call_id": "b", "content": "2"}]}
    found, lost = run([kept, answer], "mew", "responses")
    assert found == [TWO, DONE]
    assert lost == {"kind of a function result": 1}


# --- thinking ---


@pytest.mark.parametrize(
    ("source", "model", "signature", "targets"),
    [
        ("responses", None, "any", {"responses"}),
        ("codex", "gpt-5", "any", {"responses"}),
        ("mew", None, "gAAAAAx", {"responses"}),
        ("mew", None, "EqQB", {"anthropic"}),
        ("mew", "gpt-5", "EqQB", {"responses"}),
        ("mew", "o3-mini", "EqQB", {"responses"}),
        ("mew", "openai/o4-mini", "EqQB", {"responses"}),
        ("mew", "codex-mini", "EqQB", {"responses"}),
        ("mew", "claude-x", "gAAAAAx", {"anthropic"}),
        ("mew", "qwen-2", "gAAAAAx", set()),
        ("pi", None, "gAAAAAx", set()),
        ("claude-code", None, "gAAAAAx", {"anthropic"}),
    ],
)
def test_thinking_goes_to_its_own_providers_api_alone(
    source, model, signature, targets
):
    m = Message("assistant", (Thinking("t", signature), Text("x")), model=model)
    for target in ("anthropic", "responses"):
        found, lost = say(m, source=source, target=target)
        kept = "thinking of another model" not in lost
        assert kept is (target in targets)
        assert kept is (signature in json.dumps(found))
    assert "thinking of another model" not in say(m, source=source, target="openai")[1]


# --- requests ---


def test_a_request_to_the_responses_api_takes_plain_system_text_out():
    form = load("responses")
    rules = {"role": "developer", "content": "rules"}
    more = {"role": "system", "content": "more"}
    assert body_of([rules, more, USER], form) == {
        "instructions": "rules",
        "input": [more, USER],
    }
    listed = {"role": "system", "content": [{"type": "input_text", "text": "x"}]}
    assert body_of([listed, USER], form) == {"input": [listed, USER]}
    assert body_of([USER], form) == {"input": [USER]}
    assert body_of([], form) == {"input": []}


def test_a_request_is_a_document_that_reads_back():
    body = body_of([{"role": "system", "content": "rules"}, *ITEMS], load("responses"))
    assert is_document(body)
    assert records(body) == [{"role": "system", "content": "rules"}, *ITEMS]
    assert not is_document({"input": "x", "instructions": "y"})
    assert not is_document({"type": "function_call", "input": []})
    assert not is_document({"role": "user", "input": []})
