from __future__ import annotations

import pytest

from mewctl.history.formats import anthropic, load
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

MARK = {"type": "ephemeral"}


def make(*parts, role="assistant"):
    losses = Losses()
    return anthropic.make(Message(role, parts), losses), dict(losses.counts)


def test_every_block_is_seen_in_order():
    content = [
        {"type": "thinking", "thinking": "t", "signature": "s"},
        {"type": "redacted_thinking", "data": "d"},
        {"type": "text", "text": "x", "citations": None},
        {"type": "server_tool_use", "id": "srv", "name": "web_search", "input": {}},
        {"type": "tool_use", "id": "a", "name": "n", "input": {"k": 1}},
    ]
    parts = anthropic.view({"role": "assistant", "content": content}).parts
    assert parts == (
        Thinking("t", "s", raw=content[0]),
        Thinking("", "d", redacted=True, raw=content[1]),
        Text("x", content[2]),
        Opaque("server_tool_use", parts[3].size, content[3]),
        Call("a", "n", {"k": 1}, raw=content[4]),
    )


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ("out", (Text("out"),)),
        ("", ()),
        (None, ()),
        ([], ()),
        ([{"type": "text", "text": "a"}], (Text("a", {"type": "text", "text": "a"}),)),
    ],
)
def test_the_content_of_a_result_may_be_text_blocks_or_nothing(content, shown):
    block = {"type": "tool_result", "tool_use_id": "a", "content": content}
    (result,) = anthropic.view({"role": "user", "content": [block]}).parts
    assert result == Result("a", shown, raw=block)


def test_a_record_of_nothing_but_results_is_of_the_tool():
    result = {"type": "tool_result", "tool_use_id": "a", "is_error": True}
    text = {"type": "text", "text": "x"}
    assert anthropic.view({"role": "user", "content": [result]}).role == "tool"
    assert anthropic.view({"role": "user", "content": [result, text]}).role == "user"
    assert anthropic.view({"role": "user", "content": []}).role == "user"
    assert (
        anthropic.view({"role": "assistant", "content": [result]}).role == "assistant"
    )


@pytest.mark.parametrize(
    ("source", "image"),
    [
        (
            {"type": "base64", "media_type": "image/png", "data": "x"},
            Image("image/png", "x"),
        ),
        ({"type": "url", "url": "http://x"}, Image(url="http://x")),
        ({"type": "file", "file_id": "f"}, Image(file_id="f")),
        ({"type": "base64", "data": ""}, None),
        ({"type": "url", "url": 5}, None),
        ({"type": "new"}, None),
        (None, None),
    ],
)
def test_an_image_is_seen_by_its_source(source, image):
    block = {"type": "image", "source": source}
    (part,) = anthropic.view({"role": "user", "content": [block]}).parts
    if image is None:
        assert isinstance(part, Opaque)
    else:
        assert (part.media_type, part.data, part.url, part.file_id) == (
            image.media_type,
            image.data,
            image.url,
            image.file_id,
        )


@pytest.mark.parametrize(
    "block",
    [
        {"type": "text", "text": 5},
        {"type": "thinking"},
        {"type": "redacted_thinking"},
        {"type": ["x"]},
        {},
    ],
)
def test_a_block_of_odd_shape_is_opaque(block):
    (part,) = anthropic.view({"role": "user", "content": [block]}).parts
    assert isinstance(part, Opaque)
    assert part.raw == block


def test_thinking_in_a_result_is_opaque():
    block = {"type": "thinking", "thinking": "x"}
    result = {"type": "tool_result", "content": [block]}
    (part,) = anthropic.view({"role": "user", "content": [result]}).parts
    assert part.content == (Opaque("thinking", 34, block),)


def test_usage_and_model_of_a_whole_response_are_seen():
    message = anthropic.view(
        {
            "role": "assistant",
            "content": "x",
            "model": "m",
            "id": "i",
            "usage": {"input_tokens": 5},
        }
    )
    assert (message.model, message.id, message.usage) == ("m", "i", Usage(5))


def test_a_system_record_is_accepted_and_another_role_is_unknown():
    assert anthropic.view({"role": "system", "content": "x"}).role == "system"
    value = {"role": "tool", "content": "x"}
    message = anthropic.view(value)
    assert message.parts[0].raw == value
    assert anthropic.rebuild(value, message.parts) == value


# --- changing ---


def test_a_changed_result_keeps_what_else_its_block_holds():
    block = {"type": "tool_result", "tool_use_id": "a", "content": "long"}
    value = {"role": "user", "content": [{**block, "cache_control": MARK}]}
    (result,) = anthropic.view(value).parts
    built = anthropic.rebuild(value, [result.with_text("short"), Text("new")])
    assert built["content"] == [
        {**block, "content": "short", "cache_control": MARK},
        {"type": "text", "text": "new"},
    ]


def test_a_changed_result_without_content_gets_text_or_blocks():
    value = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a"}]}
    (result,) = anthropic.view(value).parts
    built = anthropic.rebuild(value, [result.with_text("x")])
    assert built["content"][0]["content"] == "x"
    image = Image(url="http://x")
    changed = Result("a", (Text("x"), image), raw=result.raw, edited=True)
    built = anthropic.rebuild(value, [changed])
    assert [b["type"] for b in built["content"][0]["content"]] == ["text", "image"]


def test_calls_are_changed_and_added_as_objects():
    block = {"type": "tool_use", "id": "a", "name": "n", "input": {}, "caller": {}}
    value = {"role": "assistant", "content": [block]}
    (call,) = anthropic.view(value).parts
    built = anthropic.rebuild(
        value, [call.with_input("text"), Call("b", "n", {"k": 1})]
    )
    assert built["content"] == [
        {**block, "input": {"input": "text"}},
        {"type": "tool_use", "id": "b", "name": "n", "input": {"k": 1}},
    ]


def test_text_content_stays_text_and_grows_to_blocks():
    value = {"role": "user", "content": "x"}
    assert anthropic.rebuild(value, [Text("y")]) == {"role": "user", "content": "y"}
    two = anthropic.rebuild(value, [Text("y"), Text("z")])
    assert [block["text"] for block in two["content"]] == ["y", "z"]
    assert anthropic.rebuild(two, [Text("y")])["content"] == [
        {"type": "text", "text": "y"}
    ]
    assert anthropic.rebuild(value, []) is None


# --- making ---


def test_a_message_is_made_of_what_its_role_may_say():
    text = {"type": "text", "text": "x"}
    assert make(Text("x"), role="system")[0] == [{"role": "system", "content": "x"}]
    assert make(Text("x"), Text(""), Text("x"), role="user")[0] == [
        {"role": "user", "content": [text, text]}
    ]
    for role, kinds in {
        "user": {"user thinking": 1, "user tool call": 1},
        "assistant": {"assistant image": 1},
        "system": {"system thinking": 1, "system tool call": 1, "system image": 1},
    }.items():
        parts = Thinking("t", "s"), Call("a", "n", {}), Image(url="http://x")
        records, lost = make(*parts, role=role)
        assert lost == kinds
        assert bool(records) is (role != "system")


def test_blank_text_and_unsigned_thinking_are_lost_and_counted():
    records, lost = make(Text(" \n"), Text(""), Thinking("t"))
    assert records == []
    assert lost == {"blank text": 1, "thinking without a signature": 1}


def test_a_call_that_takes_text_is_put_into_an_object():
    (record,), lost = make(Call("a", "apply_patch", "*** Begin", "custom"))
    assert record["content"][0]["input"] == {"input": "*** Begin"}
    assert lost == {"kind of a custom call": 1, "text as a call's input": 1}


def test_ids_and_names_the_api_refuses_are_made_safe_alike():
    name = "mcp__" + "x" * 200
    (say,), lost = make(Call("functions.bash:0", name, {}), Call("", "a.b", {}))
    (hear,), _ = make(Result("functions.bash:0", ()), Result("", ()), role="tool")
    assert lost == {"id of a call": 2, "tool name": 2}
    for call, result in zip(say["content"], hear["content"], strict=True):
        assert call["id"] == result["tool_use_id"]
        assert call["id"].startswith("call_")
    assert len(say["content"][0]["name"]) == 128
    assert say["content"][1]["name"] == "a_b"
    other = make(Call("a", name + "y", {}))[0][0]["content"][0]["name"]
    assert other != say["content"][0]["name"]
    assert make(Call("a", "", {}))[0][0]["content"][0]["name"] == "unnamed"


def test_a_result_is_made_with_images_errors_and_known_blocks():
    known = {"type": "document", "source": {}}
    content = (
        Text("x"),
        Text(""),
        Image("image/png", "aGk="),
        Opaque("document", 5, known),
        Opaque("input_audio", 5, {"type": "input_audio"}),
    )
    result = Result("a", content, is_error=True, kind="custom")
    (record,), lost = make(result, Text("so"), role="tool")
    block, text = record["content"]
    assert block["is_error"] is True
    assert [b["type"] for b in block["content"]] == ["text", "image", "document"]
    assert text == {"type": "text", "text": "so"}
    assert lost == {"unknown block input_audio": 1, "kind of a custom result": 1}


def test_results_inside_an_assistants_words_become_user_records_between():
    records, _ = make(Text("a"), Result("c", (Text(" "),)), Text("b"))
    assert [record["role"] for record in records] == ["assistant", "user", "assistant"]
    assert records[1]["content"][0]["content"] == " "


def test_results_given_become_one_record_and_keep_their_own_blocks():
    block = {"type": "tool_result", "tool_use_id": "a", "cache_control": MARK}
    (own,) = anthropic.view({"role": "user", "content": [block]}).parts
    foreign = Result("b", (Text("x"),), is_error=True, raw={"tool_call_id": "b"})
    assert anthropic.results_records([own, foreign]) == [
        {
            "role": "user",
            "content": [
                block,
                {
                    "type": "tool_result",
                    "tool_use_id": "b",
                    "content": "x",
                    "is_error": True,
                },
            ],
        }
    ]
    assert anthropic.results_records([]) == []


def test_an_unknown_format_is_a_key_error():
    assert load("anthropic") is anthropic
    with pytest.raises(KeyError):
        load("os")
