"""A whole response: one message, whose items are changed one by one."""

from __future__ import annotations

import pytest

from mewctl.history.formats import responses
from mewctl.history.view import Text, Thinking, Usage


def function(arguments, **more):
    call = {"type": "function_call", "call_id": "a", "name": "n"}
    return {**call, "arguments": arguments, **more}


def output(content, kind="function_call_output", **more):
    return {"type": kind, "call_id": "a", "output": content, **more}


SAID = {"type": "output_text", "text": "x", "annotations": []}
WHOLE = {
    "object": "response",
    "id": "resp_1",
    "created_at": 5,
    "model": "gpt-x",
    "output": [
        {"type": "reasoning", "summary": [], "encrypted_content": "gA"},
        {"type": "message", "id": "msg_1", "role": "assistant", "content": [SAID]},
        {"role": "assistant", "content": "plain"},
        {"type": "a_new_kind"},
        function("{}"),
    ],
    "usage": {
        "input_tokens": 5,
        "input_tokens_details": {"cached_tokens": 2},
        "output_tokens": 1,
    },
}


def test_a_whole_response_is_one_message():
    message = responses.view(WHOLE)
    assert [type(p).__name__ for p in message.parts] == [
        "Thinking",
        "Text",
        "Text",
        "Opaque",
        "Call",
    ]
    assert message.text == "x\nplain"
    assert (message.time, message.model, message.id) == (5.0, "gpt-x", "resp_1")
    assert message.usage == Usage(3, 2, 0, 1)
    assert not message.item
    assert responses.rebuild(WHOLE, message.parts) == WHOLE


def test_a_change_in_a_whole_response_is_one_of_an_item():
    thinking, said, plain, new, call = responses.view(WHOLE).parts
    parts = [said, Text("y", plain.raw), new, call.with_input({"k": 1}), Text("z")]
    built = responses.rebuild(WHOLE, parts)
    items = WHOLE["output"]
    assert built == {
        **WHOLE,
        "output": [
            items[1],
            {"role": "assistant", "content": "y"},
            items[3],
            {**items[4], "arguments": '{"k":1}'},
            {"role": "assistant", "content": "z"},
        ],
    }
    assert thinking not in responses.view(built).parts
    assert responses.rebuild(WHOLE, []) is None
    with pytest.raises(ValueError, match="no place for"):
        responses.rebuild(WHOLE, [Thinking("x")])


def test_what_the_provider_did_itself_is_nobodys_to_answer():
    printed = {"stdout": "x", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}
    items = [
        {"type": "shell_call", "call_id": "h", "action": {"commands": ["ls"]}},
        output([printed], "shell_call_output", call_id="h"),
        output("y", call_id="other"),
    ]
    value = {"object": "response", "output": items}
    message = responses.view(value)
    assert [type(p).__name__ for p in message.parts] == ["Opaque", "Opaque", "Result"]
    assert responses.rebuild(value, message.parts) == value
    assert responses.rebuild(value, message.parts[:2])["output"] == items[:2]
