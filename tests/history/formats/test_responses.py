"""Items of the Responses API: what each says, and what changing one part changes."""

from __future__ import annotations

import pytest

from mewctl.history.formats import responses
from mewctl.history.formats.blocks import is_unknown
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


def function(arguments, **more):
    call = {"type": "function_call", "call_id": "a", "name": "n"}
    return {**call, "arguments": arguments, **more}


def output(content, kind="function_call_output", **more):
    return {"type": kind, "call_id": "a", "output": content, **more}


def part(value):
    """The one part of an item, and what its view says about it."""
    message = responses.view(value)
    (found,) = message.parts
    assert found.raw is value
    assert message.item
    return message.role, found


# --- messages ---


@pytest.mark.parametrize(
    ("role", "seen"),
    [
        ("user", "user"),
        ("assistant", "assistant"),
        ("system", "system"),
        ("developer", "system"),
    ],
)
def test_a_message_has_the_text_of_its_role(role, seen):
    for value in (
        {"role": role, "content": "x"},
        {
            "type": "message",
            "role": role,
            "content": [{"type": "input_text", "text": "x"}],
        },
    ):
        message = responses.view(value)
        assert (message.role, message.text) == (seen, "x")
        assert message.item is (role == "assistant")


@pytest.mark.parametrize("content", [None, []])
def test_a_message_without_content_says_nothing(content):
    assert responses.view({"role": "user", "content": content}).parts == ()
    assert responses.view({"role": "user"}).parts == ()


def test_an_output_message_shows_texts_refusals_and_its_id():
    said = {"type": "output_text", "text": "x", "annotations": [], "logprobs": []}
    refused = {"type": "refusal", "refusal": "no"}
    value = {
        "type": "message",
        "id": "msg_1",
        "status": "completed",
        "role": "assistant",
        "content": [said, refused],
        "usage": {"input_tokens": 5},
        "model": "gpt-x",
    }
    assert responses.view(value) == Message(
        "assistant",
        (Text("x", said), Text("no", refused)),
        model="gpt-x",
        usage=Usage(5),
        id="msg_1",
        item=True,
    )


@pytest.mark.parametrize(
    ("image", "seen"),
    [
        ({"image_url": "data:image/png;base64,aGk="}, Image("image/png", "aGk=")),
        ({"image_url": "http://x/a.png", "detail": "low"}, Image(url="http://x/a.png")),
        ({"image_url": None, "file_id": "file_1"}, Image(file_id="file_1")),
        ({"image_url": "", "file_id": ""}, None),
        ({"image_url": {"url": "http://x"}}, None),
        ({}, None),
    ],
)
def test_an_image_is_seen_by_its_url_or_its_file(image, seen):
    value = {"type": "input_image", **image}
    (found,) = responses.view({"role": "user", "content": [value]}).parts
    assert found.raw == value
    if seen is None:
        assert isinstance(found, Opaque)
    else:
        assert (found.media_type, found.data, found.url, found.file_id) == (
            seen.media_type,
            seen.data,
            seen.url,
            seen.file_id,
        )


@pytest.mark.parametrize(
    "value",
    [
        {"type": "input_file", "file_id": "x"},
        {"type": "input_audio", "input_audio": {}},
        {"type": "output_text", "text": 5},
        {"type": "refusal"},
        {"type": ["x"]},
        {},
    ],
)
def test_other_content_is_opaque(value):
    (found,) = responses.view({"role": "user", "content": [value]}).parts
    assert isinstance(found, Opaque)
    assert found.raw == value


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"role": "user", "content": 5}, "content is a number"),
        ({"role": "user", "content": ["x"]}, "content holds a string"),
        (
            {"type": "reasoning", "summary": {"a": 1}},
            "summary is an object",
        ),
        (output({"a": 1}), "output is an object"),
        (output("x", "shell_call_output"), "output is a string"),
        ({"object": "response", "output": [5]}, "output holds a number"),
    ],
)
def test_a_value_of_a_wrong_type_is_a_value_error(value, words):
    with pytest.raises(ValueError, match=words):
        responses.view(value)


# --- calls ---


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ('{"path":"字"}', {"path": "字"}),
        ('{"n":12345678901234567890123}', {"n": 12345678901234567890123}),
        ("{bad", "{bad"),
        ("", {}),
        (None, {}),
    ],
)
def test_arguments_are_an_object_or_the_text_they_are(arguments, shown):
    value = function(arguments, id="fc_1", namespace="mcp__x")
    assert part(value) == ("assistant", Call("a", "n", shown, raw=value))
    assert responses.view(value).id == "fc_1"


@pytest.mark.parametrize(
    ("value", "name", "given", "kind"),
    [
        (
            {"type": "custom_tool_call", "call_id": "a", "name": "p", "input": "*** x"},
            "p",
            "*** x",
            "custom",
        ),
        ({"type": "custom_tool_call", "call_id": "a", "name": "p"}, "p", "", "custom"),
        (
            {"type": "shell_call", "call_id": "a", "action": {"commands": ["ls"]}},
            "shell",
            {"commands": ["ls"]},
            "shell",
        ),
        (
            {"type": "local_shell_call", "call_id": "a", "action": {"type": "exec"}},
            "local_shell",
            {"type": "exec"},
            "local_shell",
        ),
        (
            {"type": "apply_patch_call", "call_id": "a", "operation": {"path": "x"}},
            "apply_patch",
            {"path": "x"},
            "apply_patch",
        ),
        (
            {"type": "apply_patch_call", "call_id": "a"},
            "apply_patch",
            {},
            "apply_patch",
        ),
        (
            {"type": "shell_call", "call_id": "a", "action": [1]},
            "shell",
            "[1]",
            "shell",
        ),
    ],
)
def test_each_kind_of_call_shows_its_input(value, name, given, kind):
    assert part(value) == ("assistant", Call("a", name, given, kind, value))


@pytest.mark.parametrize(
    ("value", "key", "new", "written"),
    [
        (function('{"a":1}', id="fc_1"), "arguments", {"b": "字"}, '{"b":"字"}'),
        (function("{}"), "arguments", "free", "free"),
        (
            {"type": "custom_tool_call", "call_id": "a", "name": "p", "input": "x"},
            "input",
            "y",
            "y",
        ),
        (
            {"type": "shell_call", "call_id": "a", "action": {"commands": ["ls"]}},
            "action",
            {"commands": ["pwd"]},
            {"commands": ["pwd"]},
        ),
        (
            {
                "type": "apply_patch_call",
                "call_id": "a",
                "operation": {},
                "status": "x",
            },
            "operation",
            {"path": "y"},
            {"path": "y"},
        ),
    ],
)
def test_a_changed_input_changes_its_key_alone(value, key, new, written):
    _, call = part(value)
    assert responses.rebuild(value, [call]) == value
    assert responses.rebuild(value, [call.with_input(new)]) == {**value, key: written}


# --- reasoning, and items without common words ---


@pytest.mark.parametrize(
    ("keys", "seen"),
    [
        (
            {"summary": [{"type": "summary_text", "text": "a"}] * 2},
            Thinking("a\na"),
        ),
        ({"summary": [], "encrypted_content": "gA"}, Thinking("", "gA", redacted=True)),
        (
            {
                "summary": [{"type": "summary_text", "text": "short"}],
                "content": [{"type": "reasoning_text", "text": "long"}],
                "encrypted_content": "gA",
            },
            Thinking("long", "gA"),
        ),
        ({"summary": [{"type": "new"}], "content": None}, Thinking("")),
        ({}, Thinking("")),
    ],
)
def test_reasoning_is_thinking(keys, seen):
    value = {"type": "reasoning", "id": "rs_1", **keys}
    role, found = part(value)
    assert role == "assistant"
    assert (found.text, found.signature, found.redacted) == (
        seen.text,
        seen.signature,
        seen.redacted,
    )
    assert responses.rebuild(value, [found]) == value


@pytest.mark.parametrize(
    ("kind", "role"),
    [
        ("web_search_call", "assistant"),
        ("item_reference", "assistant"),
        ("compaction", "assistant"),
        ("a_new_call", "assistant"),
        ("computer_call_output", "tool"),
        ("mcp_approval_response", "tool"),
    ],
)
def test_other_items_are_opaque_and_kept(kind, role):
    value = {"type": kind, "id": "x", "action": {}}
    seen, found = part(value)
    assert (seen, found.kind) == (role, kind)
    assert responses.rebuild(value, [found]) == value


@pytest.mark.parametrize(
    "value",
    [
        {"type": "progress"},
        {"type": "a_new_call_output", "call_id": "a"},
        {"type": "message"},
        {"role": "tool", "tool_call_id": "a", "content": "x"},
        {"role": 5},
        {"object": "response", "output": []},
        {"object": "response", "output": "x"},
        {"object": "thread", "output": [function("{}")]},
        {},
    ],
)
def test_what_is_no_item_is_unknown_and_kept(value):
    message = responses.view(value)
    assert is_unknown(message)
    assert responses.rebuild(value, message.parts) == value


# --- changing ---


def test_content_keeps_its_shape_where_it_can():
    plain = {"role": "user", "content": "x", "type": "message"}
    assert responses.rebuild(plain, [Text("y")]) == {**plain, "content": "y"}
    assert responses.rebuild(plain, [Text("x"), Image(file_id="f")])["content"] == [
        {"type": "input_text", "text": "x"},
        {"type": "input_image", "file_id": "f"},
    ]
    block = {"type": "output_text", "text": "x", "annotations": [1]}
    listed = {
        "role": "assistant",
        "content": [block, {"type": "refusal", "refusal": "n"}],
    }
    one, two = responses.view(listed).parts
    built = responses.rebuild(
        listed, [Text("y", one.raw), Text("m", two.raw), Text("new")]
    )
    assert built["content"] == [
        {**block, "text": "y"},
        {"type": "refusal", "refusal": "m"},
        {"type": "output_text", "text": "new"},
    ]
    assert responses.rebuild(listed, []) is None


@pytest.mark.parametrize(
    ("value", "parts"),
    [
        (function("{}"), [Text("x")]),
        (function("{}"), [Call("a", "n", {}), Call("b", "n", {})]),
        (output("x"), [Call("a", "n", {})]),
        ({"role": "user", "content": "x"}, [Call("a", "n", {})]),
        ({"role": "assistant", "content": "x"}, [Thinking("x")]),
    ],
)
def test_a_part_without_a_place_is_a_value_error(value, parts):
    with pytest.raises(ValueError, match=r"holds one part|no place for"):
        responses.rebuild(value, parts)


def test_a_new_part_in_the_place_of_an_item_is_written_anew():
    assert responses.rebuild(function("{}"), [Call("b", "m", {"k": 1})]) == {
        "type": "function_call",
        "call_id": "b",
        "name": "m",
        "arguments": '{"k":1}',
    }


def test_results_given_are_items_that_keep_their_own_keys():
    value = output("x", status="completed")
    _, own = part(value)
    foreign = Result("b", (Text("y"),), raw={"tool_call_id": "b"}, kind="custom")
    assert responses.results_records([own, own.with_text("z"), foreign]) == [
        value,
        {**value, "output": "z"},
        {"type": "custom_tool_call_output", "call_id": "b", "output": "y"},
    ]
