"""Copilot CLI: whose words they are, responses, tools, sub-agents, what is left out."""

from __future__ import annotations

import pytest

from mewctl.history.view import Call, Image, Opaque, Result, Text, Thinking

STAMP = "2026-06-01T09:00:00Z"


def event(kind, data, name="e", **more):
    return {"type": kind, "data": data, "id": name, "timestamp": STAMP} | more


def user(words, **data):
    return event("user.message", {"content": words, **data})


def model(name, words="", *requests, **data):
    said = {"messageId": name, "content": words, "toolRequests": list(requests)}
    return event("assistant.message", said | data)


def call(name, tool="bash", **given):
    return {"toolCallId": name, "name": tool, "arguments": given}


def done(name, said=None, **data):
    result = {} if said is None else {"result": {"content": said}}
    about = {"toolCallId": name, "success": True} | result | data
    return event("tool.execution_complete", about)


@pytest.fixture
def read(read_as):
    return lambda *lines, **options: read_as("copilot-cli", list(lines), **options)


@pytest.fixture
def say(read, told):
    return lambda *lines, **options: told(read(*lines, **options)[0])


def test_what_was_sent_around_the_user_s_words_is_injected(say):
    sent = "<reminder>x</reminder>\nwhy?\n<note>y</note>"
    assert say(user("why?", transformedContent=sent)) == [
        "user: why?",
        "injected: <reminder>x</reminder>//<note>y</note>",
    ]
    assert say(user("why?", transformedContent="why?")) == ["user: why?"]
    assert say(user("", transformedContent="alone")) == ["injected: alone"]


@pytest.mark.parametrize("source", ["skill-x", "system"])
def test_a_message_of_another_source_is_injected(say, source):
    assert say(user("Do so.", source=source)) == ["injected: Do so."]
    assert say(user("Do so.", source="user")) == ["user: Do so."]


def test_attachments_that_nothing_else_tells_of_are_kept(read):
    file = {"type": "file", "path": "/a"}
    (said, beside), _ = read(user("see", attachments=[file, 7]))
    assert said.parts == (Text("see"),)
    assert beside.parts == (Opaque("file", 27, file),)
    assert beside.injected


def test_several_events_of_one_message_are_one_message(read):
    first, second = model("m", "One.", call("c1")), model("m", "Two.", call("c2"))
    messages, _ = read(first, second, done("c1", "a"), done("c2", "b"))
    assert messages[0].parts == (
        Text("One."),
        Call("c1", "bash", {}),
        Text("Two."),
        Call("c2", "bash", {}),
    )
    assert [r.text for r in messages[1].results] == ["a", "b"]
    assert len(messages) == 2


def test_reasoning_is_told_where_it_can_be_read(read, noted):
    open_ = model("a", "x", reasoningText="Hm.", reasoningOpaque="sealed")
    sealed = model("b", "y", encryptedContent="sealed")
    messages, report = read(open_, sealed)
    assert messages[0].parts == (Thinking("Hm."), Text("x"))
    assert messages[1].parts == (Text("y"),)
    assert (0, "1 sealed reasonings") in noted(report, "left-out")


def begun(name, **given):
    about = {"toolCallId": name, "toolName": "view", "arguments": given}
    return event("tool.execution_start", about)


def test_calls_that_no_response_asked_for_stand_where_they_began(say):
    assert say(
        user("go"),
        begun("c1"),
        begun("c2"),
        done("c1", "a"),
        done("c2", "b"),
        model("m", "Hm."),
        user("on"),
        begun("c3"),
        done("c3", "c"),
        model("n", "Done."),
    ) == [
        "user: go",
        "assistant: call c1 call c2",
        "tool: result c1=a result c2=b",
        "assistant: Hm.",
        "user: on",
        "assistant: call c3",
        "tool: result c3=c",
        "assistant: Done.",
    ]


def test_a_request_without_arguments_has_those_of_its_execution(read):
    asked = {"toolCallId": "c", "name": "view"}
    (message, *_), _ = read(model("m", "", asked), begun("c", path="/a"))
    assert message.calls == (Call("c", "view", {"path": "/a"}),)
    (message, *_), _ = read(model("m", "", asked | {"arguments": {}}), begun("c", x=1))
    assert message.calls == (Call("c", "view", {}),)


def test_a_response_without_anything_is_counted(read, noted):
    messages, report = read(model("m"), event("assistant.message", {"content": 7}))
    assert [m.text for m in messages] == ["7"]
    assert (0, "1 responses that say nothing") in noted(report, "left-out")


@pytest.mark.parametrize(
    ("data", "text", "failed"),
    [
        ({"result": {"content": "a", "detailedContent": "b"}}, "a", False),
        ({"result": "plain"}, "plain", False),
        ({"result": {"stdout": "a"}}, '{"stdout":"a"}', False),
        ({"result": {"content": ""}}, "", False),
        ({}, "", False),
        ({"success": False, "error": {"message": "no"}}, "no", True),
        ({"success": False, "error": "no"}, "no", True),
        ({"success": False, "error": {"code": 1}}, '{"code":1}', True),
        ({"success": False, "result": {"content": "x"}, "error": "x"}, "x", True),
    ],
)
def test_a_result_is_what_the_model_got(read, data, text, failed):
    (_, message), _ = read(model("m", "", call("c1")), done("c1", **data))
    assert message.results[0].text == text
    assert message.results[0].is_error is failed


def test_only_pictures_are_told_beside_the_text_of_a_result(read):
    shown = [
        {"type": "image", "data": "aa", "mimeType": "image/png"},
        {"type": "image"},
        {"type": "audio", "data": "bb", "mimeType": "audio/wav"},
    ]
    result = {"content": "x", "contents": shown}
    _, message = read(model("m", "", call("c")), done("c", result=result))[0]
    assert message.results[0].content == (Text("x"), Image("image/png", "aa"))


def test_a_call_may_lack_its_name_or_its_id(read):
    named, unnamed = {"name": "f", "arguments": {}}, {"toolCallId": "c"}
    (message,), _ = read(model("m", "", named, unnamed, {}))
    assert message.calls == (Call("", "f", {}), Call("c", "", {}))


def test_calls_of_free_text_keep_their_kind(read):
    asked = {"toolCallId": "c", "name": "apply_patch", "arguments": "x"}
    messages, _ = read(model("m", "", asked | {"type": "custom"}), done("c", "ok"))
    assert messages[0].calls == (Call("c", "apply_patch", "x", "custom"),)
    assert messages[1].results == (Result("c", (Text("ok"),), kind="custom"),)


def test_a_tool_of_the_user_is_no_call_of_the_model(say):
    asked = {"toolCallId": "q", "toolName": "bash", "arguments": {"command": "ls"}}
    lines = (
        event("tool.user_requested", asked),
        event("tool.execution_start", asked),
        done("q", "a.py"),
    )
    assert say(model("m", "Hi."), *lines) == [
        "assistant: Hi.",
        'injected: The user ran bash: {"command":"ls"}',
        "injected: a.py",
    ]
    asked["arguments"] = "ls"
    assert say(*lines[:1], done("q")) == ["injected: The user ran bash: ls"]


def test_sub_agents_are_told_each_by_itself_behind_the_round_they_began_in(say):
    lines = (
        model("m1", "", call("t1", "task"), call("t2", "task")),
        user("find a") | {"agentId": "one"},
        user("find b") | {"agentId": "two"},
        model("s1", "A.", parentToolCallId="one"),
        model("s2", "B.") | {"agentId": "two"},
        done("t1", "a"),
        done("t2", "b"),
        model("m2", "Done."),
        model("s3", "Late.") | {"agentId": "three"},
    )
    main = ["assistant: call t1 call t2", "tool: result t1=a result t2=b"]
    assert say(*lines) == [*main, "assistant: Done."]
    assert say(*lines, sidechains=True) == [
        *main,
        "injected: find a",
        "assistant: A.",
        "injected: find b",
        "assistant: B.",
        "assistant: Done.",
        "assistant: Late.",
    ]


def test_system_text_is_system_only_before_all_else(say):
    text = event("system.message", {"role": "system", "content": "Rules."})
    note = event("system.notification", {"content": "Shell ended."})
    assert say(text, user("go"), text, note, event("system.message", {})) == [
        "system: Rules.",
        "user: go",
        "injected: Rules.",
        "injected: Shell ended.",
    ]


def test_a_cleared_context_is_a_boundary(say, read, noted):
    lines = (user("one"), event("session.context_cleared", {}), user("two"))
    assert say(*lines) == ["user: two"]
    assert say(*lines, full=True) == ["user: one", "user: two"]
    assert noted(read(*lines)[1], "boundary")
    assert say(*lines[:2]) == []


def test_a_compaction_of_a_sub_agent_is_none_of_the_history(say):
    data = {"success": True, "summaryContent": "All."}
    side = event("session.compaction_complete", data) | {"agentId": "one"}
    assert say(user("one"), side, user("two")) == ["user: one", "user: two"]


def test_a_rewind_over_a_compaction_takes_it_back(say):
    data = {"success": True, "summaryContent": "All."}
    lines = (
        user("one"),
        event("session.compaction_complete", data, "c"),
        event("session.snapshot_rewind", {"upToEventId": "c"}),
        user("two"),
    )
    assert say(*lines) == ["user: one", "user: two"]


def test_a_rewind_may_name_any_event(say, read, noted):
    lines = (
        user("one"),
        event("assistant.turn_start", {}, "t"),
        model("m", "Two."),
        event("session.snapshot_rewind", {"upToEventId": "t"}, "r"),
    )
    assert say(*lines, user("three")) == ["user: one", "user: three"]
    again = (*lines, event("session.snapshot_rewind", {"upToEventId": "r"}, "s"))
    assert len(noted(read(*again)[1], "branch")) == 1
    assert say(*lines[:2], event("session.snapshot_rewind", {})) == ["user: one"]


def test_an_event_that_nests_too_deep_is_skipped_alone(read, told, noted):
    import orjson

    deep = orjson.dumps(user("x", extra=0)).replace(
        b'"extra":0', b'"extra":' + b"[" * 300 + b"]" * 300
    )
    messages, report = read(user("one"), deep, user("two"))
    assert told(messages) == ["user: one", "user: two"]
    assert noted(report, "skipped") == [(2, "nested too deep")]
