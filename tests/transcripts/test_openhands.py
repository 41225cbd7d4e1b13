"""OpenHands: both forms of events, condensations, delegates, what a result shows."""

from __future__ import annotations

import orjson
import pytest

from mewctl.history.view import Call, Image, Text, Thinking, Usage

STAMP = "2025-05-01T10:00:00"


def old(name, source, **fields):
    return {"id": name, "timestamp": STAMP, "source": source, "message": ""} | fields


def said(name, words, source="user", **given):
    return old(name, source, action="message", args={"content": words} | given)


def act(name, action="run", source="agent", **given):
    return old(name, source, action=action, args=given)


def seen(name, cause, words="", observation="run", **fields):
    about = {"observation": observation, "content": words, "cause": cause}
    return old(name, "agent", **about, extras={}) | fields


def recorded(call, response, words="", *tools, **more):
    asked = [
        {"id": tool, "function": {"name": "bash", "arguments": "{}"}} for tool in tools
    ]
    message = {"content": words, "tool_calls": asked} | more
    usage = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": None}
    choice = {"id": response, "model": "m", "choices": [{"message": message}]}
    answer = choice | {"usage": usage}
    return {"tool_call_metadata": {"tool_call_id": call, "model_response": answer}}


def new(kind, source="agent", name="e", **fields):
    return {"kind": kind, "id": name, "timestamp": STAMP, "source": source} | fields


@pytest.fixture
def read(read_as):
    return lambda *lines, **options: read_as("openhands", list(lines), **options)


@pytest.fixture
def say(read, told):
    return lambda *lines, **options: told(read(*lines, **options)[0])


# --- old events ---


def test_the_response_that_is_recorded_says_what_was_called(read):
    thought = {"reasoning_content": "Hm."}
    about = recorded("c1", "r", "I look.", "c1", "c2", **thought)
    both = (act(1, command="x") | about, act(2, command="y") | about)
    messages, _ = read(*both)
    (message,) = messages
    assert message.parts == (
        Thinking("Hm."),
        Text("I look."),
        Call("c1", "bash", {}),
        Call("c2", "bash", {}),
    )
    assert message.usage == Usage(input=10, output=2)
    assert message.model == "m"


def test_without_a_response_the_action_is_the_call(read):
    (message, results), _ = read(
        act(1, "edit", path="/a", thought="I edit.", security_risk=0), seen(2, 1, "ok")
    )
    assert message.parts == (Text("I edit."), Call("event-1", "edit", {"path": "/a"}))
    assert results.results[0].call_id == "event-1"


def test_a_thought_may_be_an_object(read):
    (message,), _ = read(act(1, thought={"text": "Hm."}, command="x"))
    assert message.parts[0] == Text("Hm.")


@pytest.mark.parametrize(
    ("action", "given", "words"),
    [
        ("finish", {"final_thought": "Done.", "thought": "Done."}, "Done."),
        ("finish", {"thought": "A.", "final_thought": "B."}, "A.\nB."),
        ("reject", {"outputs": {"reason": "no"}}, '{"reason":"no"}'),
        ("message", {"content": "Hi."}, "Hi."),
    ],
)
def test_what_ends_a_turn_is_text_and_no_call(read, action, given, words):
    (message,), _ = read(act(1, action, **given))
    assert (message.role, message.text, message.calls) == ("assistant", words, ())


def test_a_response_that_says_nothing_is_counted(read, noted):
    messages, report = read(act(1, "finish"))
    assert messages == []
    assert (0, "1 responses that say nothing") in noted(report, "left-out")


def test_images_of_the_user_are_kept(read):
    url = "data:image/png;base64,aa"
    (message,), _ = read(said(1, "see", image_urls=[url]))
    assert message.parts == (Text("see"), Image("image/png", "aa"))


@pytest.mark.parametrize(
    ("event", "text", "failed"),
    [
        (seen(2, 1, "a"), "a", False),
        (
            seen(2, 1, "a", extras={"metadata": {"exit_code": 2, "working_dir": "/w"}}),
            "a\n[Current working directory: /w]\n[Command finished with exit code 2]",
            False,
        ),
        (seen(2, 1, "a", extras={"metadata": {"exit_code": -1}}), "a", False),
        (seen(2, 1, "a", extras={"exit_code": True}), "a", False),
        (seen(2, 1, "a", "read", extras={"exit_code": 1}), "a", False),
        (seen(2, 1, "", "edit", extras={"diff": "+x"}), "+x", False),
        (seen(2, 1, "no", "error"), "no", True),
        (seen(2, 1, "no", "user_rejected"), "no", True),
        (seen(2, 1, "no", "browse", extras={"error": True}), "no", True),
        (seen(2, 1, "no", "mcp", extras={"isError": True}), "no", True),
    ],
)
def test_a_result_is_what_the_model_was_shown(read, event, text, failed):
    (_, message), _ = read(act(1, command="x"), event)
    (result,) = message.results
    assert (result.text, result.is_error) == (text, failed)


def test_pictures_of_a_result_are_kept(read):
    extras = {"image_urls": ["https://a"]}
    _, results = read(act(1), seen(2, 1, "x", "run_ipython", extras=extras))[0]
    assert results.results[0].content == (Text("x"), Image(url="https://a"))


def test_what_the_user_ran_is_injected(say):
    assert say(
        act(1, "run", "user", command="ls"),
        seen(2, 1, "a"),
        act(3, "read", "user", path="/a", thought="for me"),
    ) == [
        "injected: User executed the command:/ls",
        "injected: a",
        'injected: for me/The user asked for read: {"path":"/a","thought":"for me"}',
    ]


def test_what_was_looked_up_is_injected(say):
    knowledge = [{"name": "git", "content": "Push not."}, {"name": "x"}, 7]
    extras = {"repo_instructions": "Tabs.", "microagent_knowledge": knowledge}
    event = seen(1, 0, "Added context", "recall", extras=extras)
    assert say(event, seen(2, 0, "None", "recall")) == ["injected: Tabs./Push not."]


def test_system_text_is_system_only_before_all_else(say):
    text = act(0, "system", content="Rules.")
    assert say(text, said(1, "go"), text | {"id": 2}) == [
        "system: Rules.",
        "user: go",
        "injected: Rules.",
    ]
    assert say(act(0, "system")) == []


def test_a_delegate_s_events_are_left_out_unless_asked_for(say, read, noted):
    lines = (
        act(1, "delegate", agent="B"),
        said(2, "look", "agent"),
        act(3, "delegate", agent="C"),
        seen(4, 3, "inner", "delegate"),
        seen(5, 1, "found", "delegate"),
        said(6, "go on"),
    )
    main = ["assistant: call event-1", "tool: result event-1=found", "user: go on"]
    assert say(*lines) == main
    assert (0, "3 events of delegates") in noted(read(*lines)[1], "left-out")
    assert say(*lines, sidechains=True) == [
        *main,
        "assistant: look",
        "assistant: call event-3",
        "tool: result event-3=inner",
    ]


def test_a_delegation_that_never_ended_hides_nothing(say):
    assert say(act(1, "delegate", agent="B"), said(2, "go on")) == [
        "assistant: call event-1",
        "user: go on",
    ]


# --- condensations ---


def condensed(name, summary="So far.", **args):
    return act(name, "condensation", "agent", summary=summary, **args)


HISTORY = (
    said(1, "one"),
    act(2, command="x") | recorded("c1", "r1", "", "c1"),
    seen(3, 2, "a") | recorded("c1", "r1"),
    said(4, "two"),
    act(5, command="y") | recorded("c2", "r2", "", "c2"),
)
SUMMARY = (
    "injected: The conversation history before this point was compacted into the "
    "following summary://<summary>/So far./</summary>"
)


@pytest.mark.parametrize(
    "forgotten",
    [
        {"forgotten_event_ids": [2, 3]},
        {"forgotten_events_start_id": 2, "forgotten_events_end_id": 3},
    ],
)
def test_a_summary_stands_where_what_was_forgotten_stood(say, read, forgotten):
    lines = (*HISTORY, condensed(6, **forgotten), said(7, "three"))
    expected = ["user: one", SUMMARY, "user: two", "assistant: call c2", "user: three"]
    assert say(*lines) == expected
    assert [m.usage for m in read(*lines)[0] if m.usage] == []


def test_in_full_a_summary_stands_where_it_was_written(say, read):
    late = act(8, command="z") | recorded("c3", "r3", "", "c3")
    lines = (*HISTORY, condensed(6, forgotten_event_ids=[2, 3]), late)
    told = say(*lines, full=True)
    assert told[-2:] == [SUMMARY, "assistant: call c3"]
    assert len(told) == 7
    usages = [m.usage is not None for m in read(*lines, full=True)[0] if m.calls]
    assert usages == [True, True, False]
    assert say(*lines[:-1], full=True)[-1] == SUMMARY


def test_a_condensation_without_a_summary_only_forgets(say, read, noted):
    lines = (*HISTORY, condensed(6, "", forgotten_event_ids=[1, 2, 3, 4, 5]))
    assert say(*lines) == []
    assert noted(read(*lines)[1], "boundary") == [
        (6, "the history begins after a condensation: 5 events were forgotten")
    ]
    assert len(say(*lines, full=True)) == 5


@pytest.mark.parametrize("last", [None, "9"])
def test_a_range_without_an_end_forgets_nothing(say, last):
    half = {"forgotten_events_start_id": 1, "forgotten_events_end_id": last}
    assert say(said(1, "one"), condensed(2, "", **half)) == ["user: one"]


def test_a_summary_of_nothing_stands_at_the_end(say):
    assert say(said(1, "one"), condensed(2)) == ["user: one", SUMMARY]


# --- new events ---


def test_actions_of_one_response_are_one_message(read):
    call = {"id": "a1", "name": "terminal", "arguments": '{"command":"ls"}'}
    first = new("ActionEvent", tool_call=call, thought=[{"type": "text", "text": "T."}])
    second = new(
        "ActionEvent",
        tool_call=None,
        tool_call_id="a2",
        tool_name="glob",
        action={"kind": "GlobAction", "pattern": "*"},
    )
    same = {"llm_response_id": "r"}
    (message,), _ = read(first | same, second | same)
    assert message.parts == (
        Text("T."),
        Call("a1", "terminal", {"command": "ls"}),
        Call("a2", "glob", {"pattern": "*"}),
    )


@pytest.mark.parametrize(
    ("fields", "text", "failed"),
    [
        ({"observation": {"content": [{"type": "text", "text": "a"}]}}, "a", False),
        ({"observation": {"content": "a", "is_error": True}}, "a", True),
        (
            {"observation": {"output": "a", "exit_code": 1}},
            "a\n[Command finished with exit code 1]",
            False,
        ),
        ({"observation": {"output": "", "error": "no"}}, "no", True),
        (
            {"observation": {"content": "a"}, "extended_content": ["rule"]},
            "arule",
            False,
        ),
        ({"kind": "AgentErrorEvent", "error": "no"}, "no", True),
        (
            {"kind": "UserRejectObservation", "rejection_reason": "no"},
            "Action rejected: no",
            True,
        ),
    ],
)
def test_an_observation_is_what_the_model_was_shown(read, fields, text, failed):
    event = new("ObservationEvent", "environment", tool_call_id="a1") | fields
    (message,), _ = read(event)
    (result,) = message.results
    assert (result.call_id, result.text, result.is_error) == ("a1", text, failed)


def test_only_a_message_of_the_user_is_the_user_s(say):
    def message(source, words, **more):
        text = {"role": "user", "content": [{"type": "text", "text": words}]}
        return new("MessageEvent", source, llm_message=text, **more)

    assert say(
        message("user", "go", extended_content=["skill"]),
        message("agent", "Done.", llm_response_id="r"),
        message("environment", "Use a tool."),
        new("CondensationSummaryEvent", "environment", summary="So far."),
        new("SystemPromptEvent", system_prompt={"type": "text", "text": "Rules."}),
    ) == [
        "user: go",
        "injected: skill",
        "assistant: Done.",
        "injected: Use a tool.",
        "injected: So far.",
        "injected: Rules.",
    ]


# --- whole documents, and damage ---


def test_an_object_with_a_trajectory_is_its_events(say, read, noted):
    whole = {"trajectory": [said(1, "one"), 7, said(2, "two")]}
    assert say(whole) == ["user: one", "user: two"]
    assert noted(read(whole)[1], "left-out") == [(0, "1 events that are no objects")]


def test_big_integers_in_a_trajectory_are_kept(read):
    line = orjson.dumps({"trajectory": [act(1, command="x", n=0)]})
    line = line.replace(b'"n":0', b'"n":12345678901234567890123')
    (message,), _ = read(line)
    assert message.calls[0].input["n"] == 12345678901234567890123


def test_an_event_that_nests_too_deep_is_skipped_alone(read, told, noted):
    deep = orjson.dumps(act(2, command="x", n=0))
    deep = deep.replace(b'"n":0', b'"n":' + b"[" * 300 + b"]" * 300)
    messages, report = read(said(1, "one"), deep, said(3, "two"))
    assert told(messages) == ["user: one", "user: two"]
    assert noted(report, "skipped") == [(2, "nested too deep")]


def test_an_object_that_is_no_event_is_counted(read, noted):
    messages, report = read(said(1, "one"), {"odd": 1})
    assert len(messages) == 1
    assert noted(report, "left-out") == [(0, "1 untyped records")]


def test_an_array_is_its_events(say, read, noted):
    whole = orjson.dumps([said(1, "one"), 7, said(2, "two")])
    assert say(whole, said(3, "three")) == ["user: one", "user: two", "user: three"]
    assert noted(read(whole)[1], "left-out") == [(0, "1 events that are no objects")]


def test_of_a_torn_array_what_is_whole_is_told(say, read, noted):
    whole = orjson.dumps([said(1, "one"), said(2, "two")])
    assert say(whole[:-9], said(3, "three")) == ["user: one", "user: three"]
    assert noted(read(whole[:-9])[1], "recovered") == [
        (1, "1 whole events of a torn session")
    ]
