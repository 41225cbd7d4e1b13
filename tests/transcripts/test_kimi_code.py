"""Kimi Code: records that build the context, replayed."""

from __future__ import annotations

import orjson
import pytest

from mewctl.history.view import Call, Result, Text, Usage


def record(kind, **fields):
    return {"type": kind, "time": 1_780_000_000_000} | fields


def message(words, role="user", **fields):
    said = {"role": role, "content": [{"type": "text", "text": words}]}
    return record("context.append_message", message=said | fields)


def by(kind, words="x", **origin):
    return message(words, origin={"kind": kind} | origin)


def event(kind, **fields):
    return record("context.append_loop_event", event={"type": kind} | fields)


def step(name, words="", *calls, usage=None):
    begun = [event("step.begin", uuid=name)]
    part = {"type": "text", "text": words}
    begun += [event("content.part", stepUuid=name, part=part)] if words else []
    begun += [
        event("tool.call", stepUuid=name, toolCallId=call, name="Bash", args={})
        for call in calls
    ]
    return (*begun, event("step.end", uuid=name, usage=usage))


def result(call, output, **fields):
    about = {"output": output} | fields
    return event("tool.result", toolCallId=call, result=about)


@pytest.fixture
def read(read_as):
    return lambda *lines, **options: read_as("kimi-cli", list(lines), **options)


@pytest.fixture
def say(read, told):
    return lambda *lines, **options: told(read(*lines, **options)[0])


def test_the_records_of_a_step_are_one_message(read):
    usage = {"inputOther": 1, "output": 2, "inputCacheRead": 3, "inputCacheCreation": 4}
    messages, _ = read(*step("s", "I look.", "c1", usage=usage), result("c1", "ok"))
    assert messages[0].parts == (Text("I look."), Call("c1", "Bash", {}))
    assert messages[0].usage == Usage(1, 3, 4, 2)
    assert messages[1].parts == (Result("c1", (Text("ok"),)),)


def test_a_step_whose_beginning_is_lost_is_told(say):
    assert say(*step("s", "I look.", "c1")[1:]) == ["assistant: I look. call c1"]
    assert say(*step("s", "One.")[1:], *step("t", "Two.")[1:]) == [
        "assistant: One.",
        "assistant: Two.",
    ]


def test_pieces_that_name_no_step_are_of_the_one_before_them(say):
    def piece(words):
        return event("content.part", part={"type": "text", "text": words})

    call = event("tool.call", toolCallId="c", name="Bash")
    lines = (piece("I "), piece("look."), call, result("c", "ok"), piece("Done."))
    assert say(*lines) == [
        "assistant: I /look. call c",
        "tool: result c=ok",
        "assistant: Done.",
    ]
    begun = event("step.begin")
    assert say(begun, piece("A."), begun, piece("B.")) == [
        "assistant: A.",
        "assistant: B.",
    ]


def test_what_comes_while_calls_are_open_waits_for_their_results(say):
    lines = (
        *step("s", "", "c1", "c2"),
        by("background_task", "done"),
        result("c1", "a"),
        result("c2", "b"),
        message("and now?"),
    )
    calls = "assistant: call c1 call c2"
    assert say(*lines) == [
        calls,
        "tool: result c1=a result c2=b",
        "injected: done",
        "user: and now?",
    ]
    assert say(*lines[:-2]) == [calls, "tool: result c1=a", "injected: done"]


def test_results_say_whether_they_failed_and_what_was_noted(read):
    (one,), _ = read(result("c", "x", isError=True, note="<system>n</system>"))
    assert one.parts[0].is_error
    assert one.parts[0].text == "x<system>n</system>"
    old = message("<system>ERROR</system>", role="tool", toolCallId="c")
    bad = message("x", role="tool", toolCallId="d", isError=True)
    (both,), _ = read(old, bad)
    assert [(r.call_id, r.is_error) for r in both.results] == [("c", True), ("d", True)]


def test_messages_of_the_model_may_be_whole(say):
    calls = [{"id": "c", "name": "Bash", "arguments": "{}"}]
    whole = message("Done.", role="assistant", toolCalls=calls)
    assert say(whole, message("", role="assistant")) == ["assistant: Done. call c"]


def test_only_what_the_user_typed_is_the_user_s(say):
    slash = {"trigger": "user-slash"}
    assert say(
        message("plain"),
        by("user", "typed"),
        by("injection", "reminder"),
        by("skill_activation", "Text.", skillArgs="the parser", **slash),
        by("skill_activation", "Text.", skillArgs="x", trigger="model-tool"),
        by("plugin_command", "More.", commandArgs="y", **slash),
        by("user", "<system-reminder>z</system-reminder>"),
        by("user", ""),
    ) == [
        "user: plain",
        "user: typed",
        "injected: reminder",
        "user: the parser",
        "injected: Text.",
        "injected: Text.",
        "user: y",
        "injected: More.",
        "injected: <system-reminder>z</system-reminder>",
    ]


def test_the_last_system_text_comes_first(say):
    def config(words):
        return record("config.update", systemPrompt=words)

    assert say(config("Old."), message("go"), config("New."), config("")) == [
        "system: New.",
        "user: go",
    ]


def test_a_step_has_the_model_that_was_set_last(read):
    def config(name):
        return record("config.update", modelAlias=name)

    lines = (config("a"), *step("x", "A."), config("b"), config(7), *step("y", "B."))
    messages, _ = read(*lines, *step("z", "C.")[1:])
    assert [message.model for message in messages] == ["a", "b", "b"]


@pytest.mark.parametrize(
    ("count", "left"),
    [(1, ["user: one", "assistant: First."]), (2, []), (9, []), (0, None)],
)
def test_an_undo_takes_back_the_user_s_last_words(say, count, left):
    lines = (
        message("one"),
        *step("a", "First."),
        by("user", "two"),
        by("injection", "reminder"),
        *step("b", "Second."),
    )
    undone = say(*lines, record("context.undo", count=count))
    assert undone == (say(*lines) if left is None else left)


def test_an_undo_with_nothing_to_undo_does_nothing(say, read, noted):
    lines = (*step("a", "First."), record("context.undo"))
    assert say(*lines) == ["assistant: First."]
    again = (message("one"), record("context.undo"))
    assert noted(read(*again)[1], "left-out") == [(0, "1 messages that were undone")]


def test_a_cleared_context_begins_anew(say, read, noted):
    lines = (message("one"), record("context.clear"), message("two"))
    assert say(*lines) == ["user: two"]
    assert say(*lines, full=True) == ["user: one", "user: two"]
    assert noted(read(*lines)[1], "left-out") == [
        (0, "1 messages before it was cleared")
    ]


SUMMARY = (
    "injected: The conversation history before this point was compacted into the "
    "following summary://<summary>/All./</summary>"
)
COUNTED = {"inputOther": 9, "output": 1}


def compaction(**fields):
    return record("context.apply_compaction", summary="All.", **fields)


def spoken():
    return (
        message("one"),
        *step("a", "First.", usage=COUNTED),
        message("two"),
        *step("b", "Second.", usage=COUNTED),
        message("three"),
    )


@pytest.mark.parametrize(
    ("fields", "kept"),
    [
        ({"compactedCount": 3}, [SUMMARY, "assistant: Second.", "user: three"]),
        ({}, [SUMMARY]),
        ({"keptUserMessageCount": 0}, [SUMMARY]),
        ({"keptUserMessageCount": 2}, ["user: two", "user: three", SUMMARY]),
        (
            {"keptUserMessageCount": 9},
            ["user: one", "user: two", "user: three", SUMMARY],
        ),
        (
            {"keptUserMessageCount": 2, "keptHeadUserMessageCount": 1},
            ["user: one", "user: three", SUMMARY],
        ),
    ],
)
def test_a_compaction_leaves_what_it_kept(say, read, fields, kept):
    lines = (*spoken(), compaction(**fields), message("four"))
    assert say(*lines) == [*kept, "user: four"]
    assert [m.usage for m in read(*lines)[0] if m.usage] == []


def test_in_full_a_summary_stands_in_its_place(say, read):
    later = step("c", "Third.", usage=COUNTED)
    lines = (*spoken(), compaction(compactedCount=3), *later)
    told = say(*lines, full=True)
    assert told[4:] == ["user: three", SUMMARY, "assistant: Third."]
    usages = [m.usage for m in read(*lines, full=True)[0] if m.role == "assistant"]
    assert [usage is not None for usage in usages] == [True, True, False]


@pytest.mark.parametrize(
    "fields",
    [
        {"summary": "short", "contextSummary": "All."},
        {"summary": {"role": "user", "content": [{"type": "text", "text": "All."}]}},
    ],
)
def test_the_summary_is_what_the_model_gets(say, fields):
    assert say(compaction() | fields) == [SUMMARY]


def test_what_is_no_part_of_the_context_is_counted(read, noted):
    _, report = read(
        record("turn.prompt"), event("new.event"), *step("a"), record("usage.record")
    )
    assert noted(report, "left-out") == [
        (0, "1 other events"),
        (0, "1 steps that say nothing"),
        (0, "1 turn.prompt records"),
        (0, "1 usage.record records"),
    ]


def test_a_message_that_nests_too_deep_is_skipped_alone(read, told, noted):
    deep = orjson.dumps(message("x", n=0))
    deep = deep.replace(b'"n":0', b'"n":' + b"[" * 300 + b"]" * 300)
    messages, report = read(message("one"), deep, message("two"))
    assert told(messages) == ["user: one", "user: two"]
    assert noted(report, "skipped") == [(2, "nested too deep")]
