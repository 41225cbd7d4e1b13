from __future__ import annotations

import pytest

from mewctl.history.formats import openai
from mewctl.history.losses import Losses
from mewctl.history.view import (
    Call,
    Image,
    Message,
    Opaque,
    Result,
    Text,
    Thinking,
    Usage,
)


def make(*parts, role="assistant"):
    losses = Losses()
    return openai.make(Message(role, parts), losses), dict(losses.counts)


def function(arguments, **more):
    inner = {"name": "n", "arguments": arguments}
    return {"id": "a", "type": "function", "function": inner, **more}


def calls(*entries, content=None):
    return {"role": "assistant", "content": content, "tool_calls": list(entries)}


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ('{"path":"字"}', {"path": "字"}),
        ('{"n":12345678901234567890123}', {"n": 12345678901234567890123}),
        ("{bad", "{bad"),
        ("[1]", "[1]"),
        ("NaN", "NaN"),
        ("\ud800", "\ud800"),
        ("", {}),
        (" \n", {}),
        (None, {}),
        ({"a": 1}, {"a": 1}),
        (5, "5"),
    ],
)
def test_arguments_are_an_object_or_the_text_they_are(arguments, shown):
    (call,) = openai.view(calls(function(arguments))).calls
    assert call.input == shown


def test_custom_calls_take_text_and_unknown_ones_are_opaque():
    custom = {"id": 7, "type": "custom", "custom": {"name": "p", "input": "*** x"}}
    unknown = {"id": "c", "type": "mystery"}
    value = calls(custom, unknown, content="so")
    text, call, opaque = openai.view(value).parts
    assert text == Text("so")
    assert call == Call("7", "p", "*** x", "custom", custom)
    assert (opaque.kind, opaque.raw) == ("mystery", unknown)
    changed = call.with_input({"k": 1})
    built = openai.rebuild(value, [text, changed, opaque])
    assert built["tool_calls"] == [
        {**custom, "custom": {"name": "p", "input": '{"k":1}'}},
        unknown,
    ]


def test_every_key_that_speaks_is_seen():
    value = {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "a"},
            {"type": "refusal", "refusal": "b"},
        ],
        "reasoning_content": "think",
        "refusal": "no",
        "audio": {"id": "au"},
        "function_call": {"name": "f", "arguments": '{"x":1}'},
        "tool_calls": None,
    }
    parts = openai.view(value).parts
    assert [type(p).__name__ for p in parts] == [
        "Thinking",
        "Text",
        "Text",
        "Text",
        "Opaque",
        "Call",
    ]
    assert openai.view(value).text == "a\nb\nno"
    assert (parts[5].id, parts[5].input) == ("f", {"x": 1})
    built = openai.rebuild(value, [parts[2], parts[5].with_input({"y": 2})])
    assert built == {
        "role": "assistant",
        "content": [{"type": "refusal", "refusal": "b"}],
        "function_call": {"name": "f", "arguments": '{"y":2}'},
        "tool_calls": None,
    }
    refused = openai.rebuild(value, [Text("changed", parts[3].raw), parts[4]])
    assert refused["refusal"] == "changed"
    assert refused["audio"] == {"id": "au"}


@pytest.mark.parametrize(
    ("url", "image"),
    [
        ("data:image/png;base64,aGk=", ("image/png", "aGk=", "")),
        ("http://x/a.png", ("", "", "http://x/a.png")),
        ("data:image/svg+xml,<svg/>", ("", "", "data:image/svg+xml,<svg/>")),
        ("data:image/png;base64,", ("", "", "data:image/png;base64,")),
    ],
)
def test_an_image_is_seen_by_its_url(url, image):
    for shape in ({"url": url, "detail": "low"}, url):
        part = {"type": "image_url", "image_url": shape}
        value = {"role": "user", "content": [part]}
        (seen,) = openai.view(value).parts
        assert (seen.media_type, seen.data, seen.url) == image
        assert seen.raw == part


@pytest.mark.parametrize(
    "part",
    [
        {"type": "image_url"},
        {"type": "image_url", "image_url": {"url": ""}},
        {"type": "input_audio", "input_audio": {}},
        {"type": "text"},
        {"type": ["x"]},
    ],
)
def test_other_parts_are_opaque(part):
    (seen,) = openai.view({"role": "user", "content": [part]}).parts
    assert isinstance(seen, Opaque)


@pytest.mark.parametrize(
    ("value", "call_id", "text"),
    [
        ({"role": "tool", "tool_call_id": "a", "content": "x"}, "a", "x"),
        ({"role": "tool", "tool_call_id": 5, "content": None}, "5", ""),
        ({"role": "tool", "tool_call_id": [], "content": ""}, "", ""),
        ({"role": "function", "name": "f", "content": "x"}, "f", "x"),
        (
            {
                "role": "tool",
                "tool_call_id": "a",
                "content": [
                    {"type": "text", "text": "x"},
                    {"type": "text", "text": "y"},
                ],
            },
            "a",
            "xy",
        ),
    ],
)
def test_a_tool_record_is_one_result(value, call_id, text):
    message = openai.view(value)
    assert message.role == "tool"
    (result,) = message.parts
    assert (result.call_id, result.text) == (call_id, text)
    built = openai.rebuild(value, [result.with_text("NEW")])
    kept = isinstance(value["content"], list)
    new = [{"type": "text", "text": "NEW"}] if kept else "NEW"
    assert built == {**value, "content": new}


def test_a_tool_record_can_hold_nothing_but_its_result():
    value = {"role": "tool", "tool_call_id": "a", "content": "x"}
    (result,) = openai.view(value).parts
    for parts in ([result, result], [Text("x")]):
        with pytest.raises(ValueError, match="one result"):
            openai.rebuild(value, parts)
    assert openai.rebuild(value, []) is None


@pytest.mark.parametrize(
    "part", [Result("a", ()), Thinking("x"), Image(file_id="f")], ids=repr
)
def test_a_part_without_a_place_is_a_value_error(part):
    with pytest.raises(ValueError, match="no place for"):
        openai.rebuild({"role": "user", "content": "x"}, [part])


def test_developer_is_system_and_another_role_is_unknown():
    assert openai.view({"role": "developer", "content": "x"}).role == "system"
    for value in ({"role": "critic", "content": "x"}, {"role": 5}, {"x": 1}):
        message = openai.view(value)
        assert message.parts[0].raw == value
        assert openai.rebuild(value, message.parts) == value


def test_an_empty_message_has_an_empty_text_or_none():
    assert openai.view({"role": "user", "content": ""}).parts == (Text(""),)
    assert openai.view({"role": "user", "content": "", "x": 1}).parts == (Text(""),)
    assert openai.view({"role": "assistant", "content": None}).parts == ()
    assert len(openai.view(calls(function("{}"), content="")).parts) == 1


# --- completions ---

COMPLETION = {
    "object": "chat.completion",
    "created": 5,
    "id": "i",
    "model": "m",
    "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "x"}},
        {"index": 1, "message": {"role": "assistant", "content": "y"}},
    ],
    "usage": {"prompt_tokens": 5, "completion_tokens": 1},
}


def test_a_whole_completion_is_seen_and_changed_as_its_first_message():
    message = openai.view(COMPLETION)
    assert message == Message(
        "assistant", (Text("x"),), 5.0, "m", Usage(5, 0, 0, 1), "i"
    )
    assert openai.rebuild(COMPLETION, message.parts) == COMPLETION
    built = openai.rebuild(COMPLETION, [Text("z")])
    assert [c["message"]["content"] for c in built["choices"]] == ["z", "y"]
    assert openai.rebuild(COMPLETION, []) is None


def test_usage_and_model_of_a_message_are_seen():
    value = {
        "role": "user",
        "content": "x",
        "model": "m",
        "usage": {"prompt_tokens": 1},
    }
    message = openai.view(value)
    assert (message.model, message.usage) == ("m", Usage(1))


# --- changing ---


def test_calls_come_and_go():
    value = calls(function("{bad", index=0))
    (call,) = openai.view(value).parts
    built = openai.rebuild(value, [Text("x"), call, Call("b", "n", "free", "custom")])
    assert built == calls(
        function("{bad", index=0),
        {"id": "b", "type": "custom", "custom": {"name": "n", "input": "free"}},
        content="x",
    )
    changed = openai.rebuild(value, [call.with_input({"k": 1})])
    assert changed == calls(function('{"k":1}', index=0))
    assert openai.rebuild(value, [Text("x")]) == {"role": "assistant", "content": "x"}
    reason = {**value, "reasoning_content": "r"}
    del reason["content"]
    thinking, _ = openai.view(reason).parts
    assert openai.rebuild(reason, [thinking]) == {
        "role": "assistant",
        "content": None,
        "reasoning_content": "r",
    }


def test_content_keeps_its_shape_where_it_can():
    value = {"role": "user", "content": [{"type": "text", "text": "x", "k": 1}]}
    (part,) = openai.view(value).parts
    assert openai.rebuild(value, [Text("y", part.raw)])["content"] == [
        {"type": "text", "text": "y", "k": 1}
    ]
    picture = {"type": "image_url", "image_url": {"url": "http://x", "detail": "low"}}
    audio = {"type": "input_audio", "input_audio": {}}
    value = {"role": "user", "content": [{"type": "text", "text": "x"}, picture, audio]}
    assert openai.rebuild(value, openai.view(value).parts[1:]) == {
        "role": "user",
        "content": [picture, audio],
    }
    image = Image("image/png", "aGk=")
    plain = {"role": "user", "content": "x"}
    assert openai.rebuild(plain, [Text("x"), image])["content"] == [
        {"type": "text", "text": "x"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
    ]
