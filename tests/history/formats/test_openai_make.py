"""Making records of the openai format from messages of any source."""

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
)


def make(*parts, role="assistant"):
    losses = Losses()
    return openai.make(Message(role, parts), losses), dict(losses.counts)


def function(arguments, **more):
    inner = {"name": "n", "arguments": arguments}
    return {"id": "a", "type": "function", "function": inner, **more}


def calls(*entries, content=None):
    return {"role": "assistant", "content": content, "tool_calls": list(entries)}


# --- making ---


def test_a_message_is_made_of_what_its_role_may_say():
    audio = Opaque("input_audio", 5, {"type": "input_audio"})
    parts = (
        Text("x"),
        Text(""),
        Image("image/png", "aGk="),
        Image(file_id="f"),
        audio,
        Opaque("new", 5, {"type": "new"}),
        Thinking("t", "s"),
        Call("a", "n", {}),
    )
    (record,), lost = make(*parts, role="user")
    assert [part["type"] for part in record["content"]] == [
        "text",
        "image_url",
        "input_audio",
    ]
    assert lost == {
        "image by file id": 1,
        "unknown block new": 1,
        "thinking": 1,
        "user tool call": 1,
    }
    (record,), lost = make(*parts, role="assistant")
    assert record["content"] == "x"
    assert len(record["tool_calls"]) == 1
    assert lost == {
        "assistant image": 2,
        "unknown block new": 1,
        "unknown block input_audio": 1,
        "thinking": 1,
    }


def test_a_message_that_says_nothing_here_gives_no_record():
    assert make(Thinking("t", "s")) == ([], {"thinking": 1})
    assert make(Call("a", "n", {}))[0][0]["content"] is None


def test_each_result_is_a_record_and_words_follow_in_their_own():
    records, lost = make(
        Result("a", (Text("x"), Text("y"), Text("")), is_error=True),
        Result("b", (Image(url="http://x"), Opaque("document", 5, {})), kind="custom"),
        Text("so"),
        role="tool",
    )
    assert records == [
        {
            "role": "tool",
            "tool_call_id": "a",
            "content": [{"type": "text", "text": "x"}, {"type": "text", "text": "y"}],
        },
        {"role": "tool", "tool_call_id": "b", "content": ""},
        {"role": "user", "content": "so"},
    ]
    assert lost == {
        "error mark of a result": 1,
        "image in a result": 1,
        "unknown block document": 1,
        "kind of a custom result": 1,
    }


def test_text_after_a_call_loses_its_place():
    (record,), lost = make(Call("a", "n", {}), Text("x"))
    assert record["content"] == "x"
    assert lost == {"place of a text after a call": 1}


@pytest.mark.parametrize(
    ("call", "written", "lost"),
    [
        (Call("a", "n", {"k": "字"}), '{"k":"字"}', False),
        (Call("a", "n", "{bad"), "{bad", False),
        (Call("a", "n", '{"k":1}'), '{"k":1}', True),
        (Call("a", "n", ""), "", True),
        (Call("a", "n", "x", "custom"), "x", False),
        (Call("a", "n", {"k": 1}, "custom"), '{"k":1}', True),
    ],
)
def test_an_input_that_would_be_read_back_as_another_kind_is_counted(
    call, written, lost
):
    (record,), counts = make(call)
    (entry,) = record["tool_calls"]
    inner = entry[entry["type"]]
    assert inner.get("arguments", inner.get("input")) == written
    assert counts == ({"kind of a call's input": 1} if lost else {})


def test_ids_and_names_the_api_refuses_are_made_safe_alike():
    long = "x" * 41
    (say,), lost = make(
        Call(long, "a.b", {}), Call("", "n" * 65, {}), Call("i:1", "n", {})
    )
    hear, _ = make(Result(long, ()), Result("", ()), Result("i:1", ()), role="tool")
    assert lost == {"id of a call": 2, "tool name": 2}
    ids = [call["id"] for call in say["tool_calls"]]
    assert ids == [record["tool_call_id"] for record in hear]
    assert max(map(len, ids)) <= 40
    assert ids[2] == "i:1"
    names = [call["function"]["name"] for call in say["tool_calls"]]
    assert names[0] == "a_b"
    assert len(names[1]) == 64


def test_results_given_are_records_that_keep_their_own_keys():
    value = {"role": "tool", "tool_call_id": "a", "content": "x", "name": "n"}
    (own,) = openai.view(value).parts
    foreign = Result("b", (Text("y"),), raw={"tool_call_id": "b"})
    assert openai.results_records([own, own.with_text("z"), foreign]) == [
        value,
        {**value, "content": "z"},
        {"role": "tool", "tool_call_id": "b", "content": "y"},
    ]
