"""Kimi CLI: the context, and the log of events for the screen."""

from __future__ import annotations

import orjson
import pytest

from mewctl.history.view import Call, Image, Opaque, Result, Text, Thinking, Usage
from mewctl.transcripts import kimi_cli
from mewctl.transcripts.damage import Foreign

CALL = {"type": "function", "id": "c", "function": {"name": "f", "arguments": ""}}
PROMPT = {"role": "_system_prompt", "content": "Rules."}


def wire(kind, **payload):
    return {"timestamp": 1.5, "message": {"type": kind, "payload": payload}}


def text(words):
    return {"type": "text", "text": words}


@pytest.fixture
def read(read_as):
    return lambda *lines, **options: read_as("kimi-cli", list(lines), **options)


@pytest.fixture
def say(read, told):
    return lambda *lines, **options: told(read(*lines, **options)[0])


@pytest.mark.parametrize(
    ("value", "known"),
    [
        (PROMPT, True),
        ({"role": "_usage", "token_count": 1}, True),
        ({"role": "_checkpoint", "id": 0}, True),
        ({"role": "_usage", "content": "x"}, False),
        ({"role": "user", "content": "x"}, False),
        ({"role": ["_usage"]}, False),
        ({"type": "metadata", "protocol_version": "1.5"}, True),
        ({"type": "metadata"}, False),
        (wire("TurnBegin"), True),
        (wire("Other"), False),
        ({"message": {"type": "TurnBegin", "payload": {}}}, False),
        ({"type": "context.clear"}, True),
        ({"type": "turn.cancel", "time": 1}, True),
        ({"type": "turn.cancel"}, False),
        ({"type": "turn", "time": 1}, False),
        ({"type": "context.clear", "data": {}}, False),
        ({"type": ["context.clear"]}, False),
    ],
)
def test_a_record_is_known_by_what_only_kimi_writes(value, known):
    assert kimi_cli.sniff(value) is known


# --- the context ---


def test_a_count_belongs_to_the_answer_right_before_it(read):
    def count(n):
        return {"role": "_usage", "token_count": n}

    messages, _ = read(
        PROMPT,
        {"role": "user", "content": "go"},
        count(5),
        {"role": "assistant", "content": "I look."},
        count(9),
        {"role": "user", "content": "on"},
        count(11),
        {"role": "assistant", "content": "Done."},
        count("odd"),
    )
    assert [m.usage for m in messages if m.role == "assistant"] == [Usage(9), None]


def test_kimi_s_own_words_are_injected(say):
    summary = "<system>Previous context has been compacted. Here it is:</system>"
    assert say(
        PROMPT,
        {"role": "user", "content": [text("<system>CHECKPOINT 0</system>")]},
        {"role": "user", "content": [text("<system>a</system>"), text("mine")]},
        {"role": "user", "content": [text(summary), text("All was done.")]},
        {"role": "system", "content": "Late."},
        {"role": "user", "content": []},
    ) == [
        "system: Rules.",
        "injected: <system>CHECKPOINT 0</system>",
        "injected: <system>a</system>",
        "user: mine",
        f"injected: {summary}/All was done.",
        "injected: Late.",
    ]


def test_pictures_after_results_are_what_a_tool_gave(read):
    image = {"type": "image_url", "image_url": {"url": "https://a"}}
    lines = (
        {"role": "assistant", "content": "", "tool_calls": [CALL]},
        {"role": "tool", "content": "x", "tool_call_id": "c"},
        {"role": "user", "content": [image]},
        {"role": "user", "content": [image, text("see")]},
    )
    messages, _ = read(PROMPT, *lines)
    assert [m.injected for m in messages[3:]] == [True, False]
    alone, _ = read(PROMPT, {"role": "user", "content": [image]})
    assert (alone[1].parts, alone[1].injected) == ((Image(url="https://a"),), False)


def test_results_in_a_row_are_one_message_and_errors_are_marked(read):
    messages, _ = read(
        PROMPT,
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [CALL],
        },
        {"role": "tool", "content": "<system>ERROR: no</system>", "tool_call_id": "a"},
        {"role": "tool", "content": [], "tool_call_id": "b"},
    )
    assert messages[1].parts == (Call("c", "f", {}),)
    assert messages[2].parts == (
        Result("a", (Text("<system>ERROR: no</system>"),), is_error=True),
        Result("b", ()),
    )


def test_records_of_no_known_role_are_counted(read, noted):
    _, report = read(PROMPT, {"role": "_new", "content": 1}, {"odd": 1})
    assert noted(report, "left-out") == [(0, "2 other records")]


def test_a_message_that_only_another_format_has_is_foreign(read):
    result = {"type": "tool_result", "tool_use_id": "c", "content": "x"}
    with pytest.raises(Foreign):
        read(PROMPT, {"role": "user", "content": [result]})


@pytest.mark.parametrize("first", [wire("TurnBegin"), {"type": "context.clear"}])
def test_a_log_of_turns_holds_no_chat_messages(read, first):
    with pytest.raises(Foreign):
        read(first, {"role": "user", "content": "x"})


def test_nothing_is_a_context_of_nothing(read):
    assert read()[0] == []
    assert read({"type": "metadata", "protocol_version": "1"})[0] == []


def test_a_message_that_nests_too_deep_is_skipped_alone(read, told, noted):
    deep = orjson.dumps({"role": "user", "content": [{"type": "x", "n": 0}]})
    deep = deep.replace(b'"n":0', b'"n":' + b"[" * 300 + b"]" * 300)
    messages, report = read(PROMPT, deep, {"role": "user", "content": "on"})
    assert told(messages) == ["system: Rules.", "user: on"]
    assert noted(report, "skipped") == [(2, "nested too deep")]


# --- events for the screen ---


def test_pieces_are_put_together(read):
    messages, _ = read(
        wire("TurnBegin", user_input="go"),
        wire("StepBegin", n=1),
        wire("ContentPart", type="think", think="A"),
        wire("ContentPart", type="think", think="B", encrypted="s"),
        wire("ContentPart", type="think", think="C"),
        wire("ContentPart", type="text", text="I "),
        wire("ContentPart", type="text", text="look."),
        wire("ContentPart", type="new", x=1),
        wire("ToolCallPart", arguments_part="lost"),
        wire("ToolCall", id="c", function={"name": "Shell", "arguments": '{"a":'}),
        wire("ToolCallPart", arguments_part="1}"),
        wire("StatusUpdate", token_usage={"input_other": 2, "output": 3}),
        wire("StatusUpdate", message_id="m1"),
        wire("ToolResult", tool_call_id="c", return_value={"output": "ok"}),
    )
    said = messages[1]
    assert said.parts == (
        Thinking("AB", "s"),
        Thinking("C"),
        Text("I look."),
        Opaque("new", 20, {"type": "new", "x": 1}),
        Call("c", "Shell", {"a": 1}),
    )
    assert (said.usage, said.id) == (Usage(input=2, output=3), "m1")
    assert messages[2].parts == (Result("c", (Text("ok"),)),)


def test_turns_and_steers_are_the_user_s_words(say):
    parts = [text("<system>x</system>"), text("go")]
    assert say(
        wire("TurnBegin", user_input=parts),
        wire("StepBegin", n=1),
        wire("ContentPart", type="text", text="Yes."),
        wire("SteerInput", user_input="faster"),
    ) == ["injected: <system>x</system>", "user: go", "assistant: Yes.", "user: faster"]


def test_a_failed_result_says_why(read):
    failed = {"is_error": True, "output": [], "message": "no"}
    (message,), _ = read(wire("ToolResult", tool_call_id="c", return_value=failed))
    assert message.parts == (Result("c", (Text("no"),), is_error=True),)


def test_a_compaction_cuts_nothing_and_is_told(say, read, noted):
    lines = (
        wire("TurnBegin", user_input="one"),
        wire("CompactionBegin"),
        wire("CompactionEnd"),
        wire("TurnBegin", user_input="two"),
    )
    assert say(*lines) == ["user: one", "user: two"]
    assert noted(read(*lines)[1], "boundary") == [
        (3, "a compaction, whose summary is not in this log")
    ]


def test_big_integers_and_deep_events_of_the_screen(read, noted):
    def line(number):
        call = {"id": "c", "name": "f", "x": 0}
        part = orjson.dumps(wire("ContentPart", type="new", call=call))
        return part.replace(b'"x":0', b'"x":' + number)

    messages, report = read(
        line(b"12345678901234567890123"), line(b"[" * 300 + b"]" * 300)
    )
    (part,) = messages[0].parts
    assert part.raw["call"]["x"] == 12345678901234567890123
    assert noted(report, "skipped") == [(2, "nested too deep")]
