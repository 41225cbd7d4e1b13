from __future__ import annotations

import pytest

from mewctl.errors import BadInput
from mewctl.history.responses import Answer, api, read
from mewctl.history.view import Usage

MESSAGE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-x",
    "content": [{"type": "tool_use", "id": "a", "name": "b", "input": {}}],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 3, "cache_read_input_tokens": 9, "output_tokens": 4},
}
CHAT = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1700000000,
    "model": "gpt-x",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {
                "role": "assistant",
                "content": None,
                "refusal": None,
                "annotations": [],
                "tool_calls": [
                    {"id": "c", "type": "function", "function": {"name": "f"}}
                ],
            },
        },
        {"index": 1, "message": {"role": "assistant", "content": "other"}},
    ],
    "usage": {"prompt_tokens": 3, "completion_tokens": 4},
}


def test_a_messages_response_gives_its_message_usage_and_model():
    assert read(MESSAGE, "stdin:1") == Answer(
        "anthropic",
        {"role": "assistant", "content": MESSAGE["content"]},
        Usage(3, 9, 0, 4),
        "claude-x",
        "msg_1",
    )


def test_a_chat_completion_gives_its_first_message_without_what_requests_refuse():
    assert read(CHAT, "stdin:1") == Answer(
        "openai",
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f"}}],
        },
        Usage(3, 0, 0, 4),
        "gpt-x",
        "chatcmpl-1",
        1700000000.0,
        1,
    )


def test_a_responses_object_gives_its_items_without_what_requests_refuse():
    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
    thought = {"type": "reasoning", "id": "rs_1", "summary": []}
    value = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1700000000,
        "model": "gpt-x",
        "error": None,
        "output": [{**thought, "status": None, "encrypted_content": None}, call],
        "usage": {
            "input_tokens": 5,
            "input_tokens_details": {"cached_tokens": 2},
            "output_tokens": 4,
        },
    }
    answer = read(value, "stdin:1")
    assert answer == Answer(
        "responses",
        thought,
        Usage(3, 2, 0, 4),
        "gpt-x",
        "resp_1",
        1700000000.0,
        more=(call,),
    )
    assert answer.records == (thought, call)


def test_annotations_that_say_something_stay():
    message = {"role": "assistant", "content": "x", "annotations": [{"type": "url"}]}
    answer = read({"choices": [{"message": message}]}, "stdin:1")
    assert answer is not None
    assert answer.record == message


@pytest.mark.parametrize(
    "value",
    [
        {"role": "user", "content": "x"},
        {"role": "assistant", "content": "x", "choices": []},
        {"type": "message", "role": "assistant", "content": "x"},
        {"type": "message", "role": "user", "content": "x", "stop_reason": "y"},
        {"type": "message", "message": {"role": "user"}},
        {"object": "response"},
        {"type": ["message_start"]},
        {"type": "compact"},
        {"error": "x", "role": "user"},
        {"error": "x", "other": 1},
        {"error": None},
        {},
    ],
)
def test_what_is_no_response_is_left_alone(value):
    assert api(value) is None
    assert read(value, "stdin:1") is None


@pytest.mark.parametrize(
    ("value", "name", "words"),
    [
        ({"object": "response", "output": []}, "responses", "without output"),
        ({"object": "response", "output": None}, "responses", "without output"),
        (
            {"object": "response", "output": [], "error": 5},
            "responses",
            "without output",
        ),
        ({"object": "response", "output": [5]}, "responses", "output holds a number"),
        (
            {"object": "response", "output": [], "status": "queued"},
            "responses",
            "not complete yet",
        ),
        (
            {
                "object": "response",
                "output": [],
                "status": "failed",
                "error": {"code": "server_error", "message": "Over\nloaded"},
            },
            "error",
            "error: Over loaded; ask it again",
        ),
        (
            {"object": "response", "output": [{"role": "assistant", "content": 5}]},
            "responses",
            "content is a number",
        ),
        ({"type": "response.created", "response": {}}, "stream", "streaming"),
        ({"object": "chat.completion.chunk", "choices": []}, "stream", "streaming"),
        ({"type": "content_block_delta", "delta": {}}, "stream", "streaming"),
        (
            {
                "type": "error",
                "error": {"type": "overloaded_error", "message": "Over\nloaded"},
                "request_id": "r",
            },
            "error",
            "error: overloaded_error: Over loaded;",
        ),
        ({"error": {"message": "no key", "code": None}}, "error", "error: no key;"),
        ({"error": {"code": 5}}, "error", "error: without a message;"),
        ({"error": "not found"}, "error", "error: not found;"),
        ({"choices": []}, "chat", "without a message"),
        ({"choices": [5]}, "chat", "without a message"),
        ({"choices": [{"message": {"role": 5}}]}, "chat", "without a message"),
        ({"choices": [{"text": "x"}]}, "chat", "without a message"),
        (
            {"choices": [{"message": {"role": "assistant", "tool_calls": 5}}]},
            "chat",
            "tool_calls is a number",
        ),
        ({**MESSAGE, "content": 5}, "messages", "content is a number"),
    ],
)
def test_a_response_without_a_message_is_refused_with_a_remedy(value, name, words):
    assert api(value) == name
    with pytest.raises(BadInput, match=words) as caught:
        read(value, "stdin:3")
    assert "\n" not in str(caught.value)


def test_a_long_error_message_is_cut():
    with pytest.raises(BadInput) as caught:
        read({"error": "x" * 9999}, "stdin:1")
    assert len(str(caught.value)) < 400
