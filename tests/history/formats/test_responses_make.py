"""Items made from views: what the API takes, in the order it was said."""

from __future__ import annotations

import pytest

from mewctl.history.formats import responses
from mewctl.history.formats.responses_items import is_item
from mewctl.history.losses import Losses
from mewctl.history.view import (
    KINDS,
    Call,
    Image,
    Message,
    Opaque,
    Result,
    Text,
    Thinking,
)


def make(*parts, role="assistant"):
    losses = Losses()
    return responses.make(Message(role, parts), losses), dict(losses.counts)


def test_each_thing_the_assistant_says_is_an_item_in_its_place():
    search = {"type": "web_search_call", "id": "ws_1"}
    items, lost = make(
        Thinking("so", "gA"),
        Text("a"),
        Text("b"),
        Call("a", "n", {"k": "字"}),
        Opaque("web_search_call", 5, search),
        Thinking("", "gB", redacted=True),
        Text("c"),
        Text(""),
    )
    assert items == [
        {
            "type": "reasoning",
            "summary": [{"type": "summary_text", "text": "so"}],
            "encrypted_content": "gA",
        },
        {
            "role": "assistant",
            "content": [
                {"type": "output_text", "text": "a"},
                {"type": "output_text", "text": "b"},
            ],
        },
        {
            "type": "function_call",
            "call_id": "a",
            "name": "n",
            "arguments": '{"k":"字"}',
        },
        search,
        {"type": "reasoning", "summary": [], "encrypted_content": "gB"},
        {"role": "assistant", "content": "c"},
    ]
    assert not lost


def test_a_message_of_the_user_holds_what_its_role_may_say():
    file = {"type": "input_file", "file_id": "f"}
    items, lost = make(
        Text("x"),
        Image("image/png", "aGk="),
        Image(file_id="f"),
        Opaque("input_file", 5, file),
        Opaque("document", 5, {"type": "document"}),
        Thinking("t", "s"),
        Call("a", "n", {}),
        Text("y"),
        role="user",
    )
    assert items == [
        {
            "role": "user",
            "content": [
                {"type": "input_text", "text": "x"},
                {"type": "input_image", "image_url": "data:image/png;base64,aGk="},
                {"type": "input_image", "file_id": "f"},
                file,
            ],
        },
        {"role": "user", "content": "y"},
    ]
    assert lost == {
        "unknown block document": 1,
        "user thinking": 1,
        "user tool call": 1,
    }


def test_what_nobody_but_the_user_may_say_is_counted():
    items, lost = make(Image(url="u"), Opaque("input_file", 5, {"type": "input_file"}))
    assert items == []
    assert lost == {"assistant image": 1, "unknown block input_file": 1}
    assert make(Text("x"), Image(url="u"), role="system") == (
        [{"role": "system", "content": "x"}],
        {"system image": 1},
    )
    assert make(Text("")) == ([], {})


def test_thinking_goes_only_with_what_the_api_wrote_on_it():
    assert make(Thinking("t")) == ([], {"thinking without a signature": 1})
    assert make(Thinking("", "s"))[1] == {"redacted mark of thinking": 1}
    assert make(Thinking("t", "s", redacted=True))[1] == {
        "redacted mark of thinking": 1
    }


@pytest.mark.parametrize(
    ("call", "item", "lost"),
    [
        (Call("a", "n", "{bad"), {"name": "n", "arguments": "{bad"}, {}),
        (
            Call("a", "n", '{"k":1}'),
            {"name": "n", "arguments": '{"k":1}'},
            {"kind of a call's input": 1},
        ),
        (Call("a", "n", "x", "custom"), {"name": "n", "input": "x"}, {}),
        (
            Call("a", "n", {"k": 1}, "custom"),
            {"name": "n", "input": '{"k":1}'},
            {"kind of a call's input": 1},
        ),
        (Call("a", "shell", {"k": 1}, "shell"), {"action": {"k": 1}}, {}),
        (
            Call("a", "local_shell", {}, "local_shell"),
            {"action": {}, "status": "completed"},
            {},
        ),
        (
            Call("a", "other", "x", "apply_patch"),
            {"operation": {"input": "x"}, "status": "completed"},
            {"tool name": 1, "text as a call's input": 1},
        ),
    ],
)
def test_a_call_is_an_item_of_its_kind(call, item, lost):
    (made,), counts = make(call)
    assert is_item(made)
    assert made.pop("type").removesuffix("_call") in (call.kind, "custom_tool")
    assert made.pop("call_id") == "a"
    assert made == item
    assert counts == lost


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("failed", [False, True])
def test_a_result_is_an_output_of_the_kind_of_its_call(kind, failed):
    (item,), lost = make(Result("a", (Text("x"),), failed, kind), role="tool")
    assert is_item(item)
    message = responses.view(item)
    assert message.role == "tool"
    (seen,) = message.parts
    assert (seen.call_id, seen.text, seen.kind) == ("a", "x", kind)
    told = kind in ("shell", "apply_patch")
    assert seen.is_error is (failed and told)
    assert lost == ({} if told or not failed else {"error mark of a result": 1})


def test_a_result_keeps_images_and_files_where_there_is_a_place_for_them():
    file = Opaque("input_file", 5, {"type": "input_file", "file_id": "f"})
    content = (Text("x"), Text(""), Image(url="u"), file, Opaque("document", 5, {}))
    (item,), lost = make(Result("a", content), role="tool")
    assert item["output"] == [
        {"type": "input_text", "text": "x"},
        {"type": "input_image", "image_url": "u"},
        file.raw,
    ]
    assert lost == {"unknown block document": 1}
    (item,), lost = make(
        Result("a", (Text("x"), Text("y"), Image(url="u"), file), kind="local_shell"),
        role="tool",
    )
    assert item["output"] == "xy"
    assert lost == {
        "image in a result": 1,
        "unknown block input_file": 1,
        "border between texts of a result": 1,
    }
    assert make(Result("a", ()), role="tool")[0][0]["output"] == ""


def test_ids_and_names_the_api_refuses_are_made_safe_alike():
    long = "x" * 65
    say, lost = make(
        Call(long, "a.b", {}), Call("", "n" * 65, {}), Call("i:1", "n", {})
    )
    hear, _ = make(Result(long, ()), Result("", ()), Result("i:1", ()), role="tool")
    assert lost == {"id of a call": 2, "tool name": 2}
    ids = [item["call_id"] for item in say]
    assert ids == [item["call_id"] for item in hear]
    assert max(map(len, ids)) <= 64
    assert ids[2] == "i:1"
    assert say[0]["name"] == "a_b"
    assert len(say[1]["name"]) == 64


@pytest.mark.parametrize(
    "block",
    [
        {"type": "compaction", "content": "x", "encrypted_content": "y"},
        {"type": "web_fetch_tool_result"},
        {"type": "program"},
    ],
)
def test_a_block_of_another_api_is_no_item(block):
    assert make(Opaque(block["type"], 5, block)) == (
        [],
        {f"unknown block {block['type']}": 1},
    )
