from __future__ import annotations

import pytest

from mewctl.history.formats import mew
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


def make(*parts, role="assistant", **head):
    losses = Losses()
    return mew.make(Message(role, parts, **head), losses), dict(losses.counts)


def test_a_whole_record_is_seen():
    value = {
        "role": "assistant",
        "content": "on it",
        "tool_calls": [{"id": "c1", "name": "bash", "input": {"command": "ls"}}],
        "ts": 1700000000,
        "model": "claude-x",
        "usage": {"input": 1, "cache_read": 2, "cache_write": 3, "output": 4},
        "id": "msg_1",
        "injected": True,
    }
    assert mew.view(value) == Message(
        "assistant",
        (
            Text("on it"),
            Call("c1", "bash", {"command": "ls"}, raw=value["tool_calls"][0]),
        ),
        1700000000.0,
        "claude-x",
        Usage(1, 2, 3, 4),
        "msg_1",
        injected=True,
    )


def test_results_come_before_the_words_of_their_record():
    value = {
        "role": "tool",
        "content": "note",
        "tool_results": [
            {"tool_call_id": "c1", "content": "out", "is_error": True},
            {"tool_call_id": 7, "content": [{"type": "text", "text": "a"}]},
            {"tool_call_id": None, "content": None, "kind": "custom"},
        ],
    }
    one, two, three, note = mew.view(value).parts
    assert (one.call_id, one.text, one.is_error) == ("c1", "out", True)
    assert (two.call_id, two.text, two.is_error) == ("7", "a", False)
    assert (three.call_id, three.content, three.kind) == ("", (), "custom")
    assert note == Text("note")


def test_a_call_stands_where_its_place_is_kept():
    place = {"type": "tool_call", "id": "b"}
    text = {"type": "text", "text": "x"}
    value = {
        "role": "assistant",
        "content": [place, text, place],
        "tool_calls": [
            {"id": "a", "name": "n", "input": {}},
            {"id": "b", "name": "n", "input": "free", "kind": "custom"},
        ],
    }
    first, second, third, last = mew.view(value).parts
    assert (first.id, first.input, first.kind) == ("b", "free", "custom")
    assert second.text == "x"
    assert third == Opaque("tool_call", len('{"type":"tool_call","id":"b"}'), place)
    assert last.id == "a"


def test_calls_of_one_id_keep_their_order():
    calls = Call("a", "one", {}), Call("a", "two", {})
    (record,), _ = make(calls[0], Text("x"), calls[1])
    names = [getattr(p, "name", "") for p in mew.view(record).parts]
    assert names == ["one", "", "two"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, {}),
        ("text", "text"),
        ([1, 2], "[1,2]"),
        (5, "5"),
        ({"a": 1}, {"a": 1}),
    ],
)
def test_an_input_that_is_no_object_is_text(value, shown):
    record = {"role": "assistant", "tool_calls": [{"id": "a", "input": value}]}
    (call,) = mew.view(record).calls
    assert (call.input, call.name) == (shown, "")


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ({"role": "user", "content": 5}, "content is a number, not an array"),
        ({"role": "user", "content": {"a": 1}}, "content is an object"),
        ({"role": "user", "content": ["x"]}, "content holds a string"),
        ({"role": "user", "tool_calls": "x"}, "tool_calls is a string"),
        ({"role": "user", "tool_calls": [True]}, "tool_calls holds a boolean"),
        ({"role": "tool", "tool_results": [None]}, "tool_results holds null"),
        (
            {"role": "tool", "tool_results": [{"content": 5}]},
            "content of a result is a number",
        ),
        (
            {"role": "tool", "tool_results": [{"content": [[]]}]},
            "content of a result holds an array",
        ),
    ],
)
def test_a_shape_that_cannot_be_read_is_a_value_error(record, words):
    with pytest.raises(ValueError, match=words):
        mew.view(record)


@pytest.mark.parametrize("odd", [True, "1", None, [], 10**400])
def test_a_time_that_is_no_number_is_no_time(odd):
    assert mew.view({"role": "user", "content": "x", "ts": odd}).time is None


def test_an_empty_content_is_a_text_only_where_nothing_else_is_said():
    assert mew.view({"role": "user", "content": ""}).parts == (Text(""),)
    call = {"role": "assistant", "content": "", "tool_calls": [{"id": "a"}]}
    assert len(mew.view(call).parts) == 1
    assert mew.rebuild(call, ()) is None


def test_the_compact_marker_is_a_marker_and_stays():
    value = {"type": "compact", "ts": 5, "reason": "auto"}
    assert mew.view(value) == Message("system", (), 5.0, marker=True)
    assert mew.rebuild(value, ()) == value
    assert make(role="system", time=5.0, marker=True)[0] == [
        {"type": "compact", "ts": 5}
    ]


@pytest.mark.parametrize(
    "value",
    [
        {"role": "critic", "content": "x"},
        {"role": ["user"]},
        {"type": "later-kind"},
        {"format": "mew", "record": {"role": "user", "content": "x"}},
        {"format": "of tomorrow", "record": {}},
        {"format": "anthropic", "record": 5},
        {"type": "compact", "role": "x"},
        {},
    ],
)
def test_an_unknown_record_is_one_opaque_part_and_stays(value):
    message = mew.view(value)
    (part,) = message.parts
    assert message.role == "system"
    assert part.raw == value
    assert mew.rebuild(value, message.parts) == value
    assert mew.rebuild(value, ()) is None


# --- envelopes ---

INNER = {
    "role": "user",
    "content": [
        {"type": "tool_result", "tool_use_id": "a", "content": "out", "x": 1},
        {"type": "text", "text": "y", "cache_control": {"type": "ephemeral"}},
    ],
}


def test_an_envelope_is_seen_through():
    value = mew.envelope("anthropic", INNER, time=1.5, model="m", usage=Usage(1))
    assert list(value) == ["format", "ts", "model", "usage", "record"]
    message = mew.view(value)
    assert (message.time, message.model, message.usage) == (1.5, "m", Usage(1))
    assert message.results[0].text == "out"
    assert mew.rebuild(value, message.parts) == value
    changed = message.results[0].with_text("NEW")
    built = mew.rebuild(value, [changed, *message.parts[1:]])
    assert built["record"]["content"] == [
        {**INNER["content"][0], "content": "NEW"},
        INNER["content"][1],
    ]
    assert mew.rebuild(value, ()) is None


def test_what_an_envelope_does_not_say_its_record_may():
    record = {"role": "assistant", "content": "x", "model": "m", "id": "i"}
    value = mew.envelope("anthropic", record)
    assert list(value) == ["format", "record"]
    message = mew.view({**value, "injected": True})
    assert (message.model, message.id, message.injected) == ("m", "i", True)


# --- changing ---


def test_a_new_text_and_new_calls_are_written_plainly():
    value = {"role": "assistant", "content": "old", "x": 1}
    assert mew.rebuild(value, [Text("new")]) == {**value, "content": "new"}
    built = mew.rebuild(value, [Text("new"), Call("a", "n", {})])
    assert built == {
        **value,
        "content": "new",
        "tool_calls": [{"id": "a", "name": "n", "input": {}}],
    }
    assert mew.rebuild(built, [mew.view(built).parts[1]]) == {**built, "content": ""}
    assert mew.rebuild(built, [mew.view(built).parts[0]]) == {**value, "content": "new"}


def test_blocks_stay_blocks_when_one_is_left_out_or_changed():
    blocks = [{"type": "text", "text": "a", "k": 1}, {"type": "text", "text": "b"}]
    value = {"role": "user", "content": blocks}
    a, b = mew.view(value).parts
    assert mew.rebuild(value, [a]) == {"role": "user", "content": blocks[:1]}
    assert mew.rebuild(value, [Text("n"), b])["content"] == [
        {"type": "text", "text": "n"},
        blocks[1],
    ]
    assert mew.rebuild(value, [Text("n", a.raw)])["content"] == [
        {"type": "text", "text": "n", "k": 1}
    ]


def test_a_call_left_out_leaves_the_places_of_the_others():
    (record,), _ = make(Call("a", "n", {}), Call("b", "n", {}), Text("x"))
    _, b, text = mew.view(record).parts
    built = mew.rebuild(record, [b, text])
    assert built["content"] == [
        {"type": "tool_call", "id": "b"},
        {"type": "text", "text": "x"},
    ]
    assert [call["id"] for call in built["tool_calls"]] == ["b"]


def test_results_come_and_go():
    value = {"role": "tool", "content": "", "tool_results": [{"tool_call_id": "a"}]}
    (old,) = mew.view(value).parts
    new = Result("b", (Text("x"),), is_error=True)
    assert mew.rebuild(value, [old, new])["tool_results"] == [
        {"tool_call_id": "a"},
        {"tool_call_id": "b", "content": "x", "is_error": True},
    ]
    assert mew.rebuild(value, [Text("x")]) == {"role": "tool", "content": "x"}


def test_a_changed_result_keeps_its_cache_mark_and_its_image():
    mark = {"type": "ephemeral"}
    image = {"type": "image", "source": {"type": "url", "url": "http://x"}}
    text = {"type": "text", "text": "long", "cache_control": mark}
    entry = {"tool_call_id": "a", "content": [text, image]}
    value = {"role": "tool", "tool_results": [entry]}
    (result,) = mew.view(value).parts
    built = mew.rebuild(value, [result.with_text("short")])
    assert built["tool_results"][0]["content"] == [
        {"type": "text", "text": "short", "cache_control": mark},
        image,
    ]


# --- making ---


def test_results_among_words_become_records_of_their_own():
    records, _ = make(
        Text("a"),
        Result("c", (Text("x"), Image("image/png", "aGk=")), kind="custom"),
        Text("b"),
        role="user",
        time=5.0,
        model="m",
        usage=Usage(1, unseen=2),
        id="i",
    )
    assert [record["role"] for record in records] == ["user", "tool", "user"]
    assert [record.get("ts") for record in records] == [5, 5, 5]
    assert [record.get("model") for record in records] == ["m", None, None]
    assert records[0]["usage"]["unseen"] == 2
    assert records[1]["tool_results"][0]["kind"] == "custom"
    assert mew.view(records[1]).results[0].content[1].data == "aGk="


def test_words_of_a_tool_message_are_injected():
    assert make(Text("x"), role="tool")[0] == [
        {"role": "user", "content": "x", "injected": True}
    ]


def test_every_kind_of_part_is_written_and_read():
    parts = (
        Thinking("t", "s"),
        Thinking("t"),
        Thinking("", "d", redacted=True),
        Image(url="http://x"),
        Image(file_id="f"),
        Opaque("kept", 15, {"type": "kept"}),
        Text(""),
        Call("a", "n", "free", "custom"),
    )
    (record,), lost = make(*parts, time=1.5)
    assert record["ts"] == 1.5
    assert not lost
    again, _ = make(*mew.view(record).parts, time=1.5)
    assert again == [record]
    assert [type(p) for p in mew.view(record).parts] == [type(p) for p in parts]


def test_a_block_that_looks_like_a_place_is_lost_and_counted():
    block = Opaque("tool_call", 5, {"type": "tool_call", "id": "a"})
    (record,), lost = make(Text("x"), block, Call("a", "n", {}))
    assert record["content"] == "x"
    assert lost == {"unknown block tool_call": 1}


def test_results_given_become_one_record_and_keep_their_own_entries():
    entry = {"tool_call_id": "a", "content": "x", "extra": 1}
    (own,) = mew.view({"role": "tool", "tool_results": [entry]}).parts
    foreign = Result("b", (), raw={"role": "tool", "tool_call_id": "b", "content": ""})
    assert mew.results_records([own, foreign]) == [
        {
            "role": "tool",
            "content": "",
            "tool_results": [
                entry,
                {"tool_call_id": "b", "content": "", "is_error": False},
            ],
        }
    ]
    assert mew.results_records([]) == []
