"""What hangs beside the live branch: results, sub-agents, queued prompts."""

from __future__ import annotations

import pytest

from mewctl.history.view import Image
from mewctl.history.words import user_words


def notes(report, kind):
    return [(n.line, n.text) for n in report.notes if n.kind == kind]


# --- results ---


def test_results_of_parallel_calls_become_one_message(log, read, told, call):
    log.user("Go.")
    first = log.assistant("m1", call("c1"))
    second = log.assistant("m1", call("c2"))
    log.result("c1", "one", parentUuid=first)
    log.result("c2", "two", parentUuid=second)
    log.assistant("m2", "Done.")
    assert told(read(log)[0]) == [
        "user: Go.",
        "assistant: call c1 call c2",
        "tool: result c1=one result c2=two",
        "assistant: Done.",
    ]


def test_calls_and_results_beside_the_branch_are_live(log, read, told, call):
    log.user("Go.")
    first = log.assistant("m1", call("c1"))
    beside = log.assistant("m1", call("c2"), parentUuid=first)
    log.result("c2", "two", parentUuid=beside)
    last = log.assistant("m1", call("c3"), parentUuid=first)
    log.result("c1", "one", parentUuid=first)
    log.result("c3", "three", parentUuid=last)
    log.assistant("m2", "Done.")
    assert told(read(log)[0]) == [
        "user: Go.",
        "assistant: call c1 call c2 call c3",
        "tool: result c2=two result c1=one result c3=three",
        "assistant: Done.",
    ]


def test_what_hangs_on_a_result_beside_the_branch_is_live(log, read, told, call):
    first = log.assistant("m1", call("c1"))
    second = log.assistant("m1", call("c2"))
    log.result("c1", "one", parentUuid=first)
    log.attachment("queued_command", prompt="And the tests.")
    log.result("c2", "two", parentUuid=second)
    log.assistant("m2", "Done.")
    assert told(read(log)[0]) == [
        "assistant: call c1 call c2",
        "tool: result c1=one result c2=two",
        "user: And the tests.",
        "assistant: Done.",
    ]


def test_words_that_hang_on_a_result_beside_the_branch_are_rewound(
    log, read, told, call
):
    first = log.assistant("m1", call("c1"))
    second = log.assistant("m1", call("c2"))
    log.result("c1", "one", parentUuid=first)
    log.user("No!")
    log.result("c2", "two", parentUuid=second)
    assert told(read(log)[0]) == [
        "assistant: call c1 call c2",
        "tool: result c1=one result c2=two",
    ]


def test_a_call_keeps_the_result_of_the_live_branch(log, read, told, call):
    made = log.assistant("m1", call("c1"))
    log.result("c1", "interrupted", parentUuid=made)
    log.user("stop", parentUuid=log.leaf)
    log.result("c1", "done", parentUuid=made)
    log.assistant("m2", "Good.")
    messages, report = read(log)
    assert told(messages) == [
        "assistant: call c1",
        "tool: result c1=done",
        "assistant: Good.",
    ]
    assert notes(report, "left-out") == [(0, "2 records of rewound branches")]


def test_of_several_results_beside_the_branch_the_newest_is_live(log, read, told, call):
    made = log.assistant("m1", call("c1"))
    log.result("c1", "old", parentUuid=made)
    log.result("c1", "new", parentUuid=made)
    log.user("Go on.", parentUuid=made)
    assert told(read(log)[0])[1] == "tool: result c1=new"


def test_results_come_right_after_their_call(log, read, told, call):
    log.assistant("m1", call("c1"))
    log.user("Wait.")
    log.attachment("file", filename="/a", content={"file": {"content": "x"}})
    log.result("c1", "late")
    assert told(read(log)[0]) == [
        "assistant: call c1",
        "tool: result c1=late",
        "user: Wait.",
        "injected: [file /a]/x",
    ]


def test_words_that_came_with_a_result_follow_it(log, read, told, call):
    log.assistant("m1", call("c1"))
    block = {"type": "tool_result", "tool_use_id": "c1", "content": "ok"}
    log.user([block, {"type": "text", "text": "And mind the tests."}])
    messages, _ = read(log)
    assert told(messages)[1:] == ["tool: result c1=ok", "user: And mind the tests."]
    assert user_words(messages[2]) == "And mind the tests."


def test_a_result_without_a_call_stays_where_it_is(log, read, told):
    log.user("Go.")
    log.result("lost", "text")
    log.assistant("m1", "Hm.")
    assert told(read(log)[0]) == [
        "user: Go.",
        "tool: result lost=text",
        "assistant: Hm.",
    ]


def test_an_id_that_stands_twice_goes_to_the_record_the_result_names(
    log, read, told, call
):
    one = log.assistant("m1", call("REDACTED"))
    log.result("REDACTED", "first", sourceToolAssistantUUID=one)
    two = log.assistant("m2", call("REDACTED"))
    log.result("REDACTED", "second", sourceToolAssistantUUID=two)
    log.assistant("m3", call("REDACTED"))
    log.result("REDACTED", "third", parentUuid=two)
    log.leaf = "u5"
    log.result("REDACTED", "fourth", sourceToolAssistantUUID="gone")
    assert told(read(log)[0]) == [
        "assistant: call REDACTED",
        "tool: result REDACTED=first",
        "assistant: call REDACTED",
        "tool: result REDACTED=second",
        "assistant: call REDACTED",
        "tool: result REDACTED=fourth",
    ]


def test_an_unanswered_call_does_not_take_a_result_of_before(log, read, told, call):
    old = log.assistant("m1", call("REDACTED"))
    log.result("REDACTED", "old", sourceToolAssistantUUID=old)
    log.boundary()
    log.summary()
    log.assistant("m2", call("REDACTED"))
    assert told(read(log)[0]) == [
        "injected: What went before.",
        "assistant: call REDACTED",
    ]


# --- sub-agents ---


def agents(log, call):
    log.user("Build it.")
    log.assistant("m1", call("t1", "Task"), call("t2", "Task"))
    a = log.user("Build A.", isSidechain=True, parentUuid=None)
    b = log.user("Build B.", isSidechain=True, parentUuid=None)
    b = log.assistant("b1", call("c1"), isSidechain=True, parentUuid=b)
    a = log.assistant("a1", "A stands.", isSidechain=True, parentUuid=a)
    b = log.result("c1", "ok", isSidechain=True, parentUuid=b)
    log.assistant("b2", "B stands.", isSidechain=True, parentUuid=b)
    log.result("t1", "A stands.")
    log.result("t2", "B stands.")
    log.assistant("m2", "Built.")


def test_sub_agents_are_left_out(log, read, told, call):
    agents(log, call)
    messages, report = read(log)
    assert told(messages) == [
        "user: Build it.",
        "assistant: call t1 call t2",
        "tool: result t1=A stands. result t2=B stands.",
        "assistant: Built.",
    ]
    assert notes(report, "left-out") == [(0, "6 records of sub-agents")]


def test_sub_agents_follow_the_message_that_began_them(log, read, told, call):
    agents(log, call)
    messages, report = read(log, sidechains=True)
    assert told(messages) == [
        "user: Build it.",
        "assistant: call t1 call t2",
        "tool: result t1=A stands. result t2=B stands.",
        "injected: Build A.",
        "assistant: A stands.",
        "injected: Build B.",
        "assistant: call c1",
        "tool: result c1=ok",
        "assistant: B stands.",
        "assistant: Built.",
    ]
    assert report.notes == []


def test_a_sub_agent_of_a_rewound_branch_is_left_out(log, read, told):
    start = log.user("Go.")
    log.assistant("m1", "Wrong.")
    log.user("An agent's task.", isSidechain=True, parentUuid=None)
    log.user("Better.", parentUuid=start)
    assert told(read(log, sidechains=True)[0]) == ["user: Go.", "user: Better."]


def test_a_sub_agent_without_its_beginning_is_no_part_of_another(log, read, told):
    log.user("Go.")
    log.user("A task.", isSidechain=True, parentUuid=None)
    log.assistant("a1", "The rest of a task.", isSidechain=True, parentUuid="lost")
    messages, report = read(log, sidechains=True)
    assert told(messages) == [
        "user: Go.",
        "injected: A task.",
        "assistant: The rest of a task.",
    ]
    assert notes(report, "branch") == [
        (3, "the parent is missing: the history begins here")
    ]


def test_sub_agents_and_queued_prompts_keep_their_order(log, read, told):
    log.user("Go.")
    log.user("A task.", isSidechain=True, parentUuid=None)
    queue(log, "enqueue", "Quick.")
    queue(log, "remove")
    assert told(read(log, sidechains=True)[0]) == [
        "user: Go.",
        "injected: A task.",
        "user: Quick.",
    ]


def test_a_sub_agent_before_everything_comes_first(log, read, told):
    log.user("An agent's task.", isSidechain=True, parentUuid="lost")
    log.user("Go.")
    assert told(read(log, sidechains=True)[0]) == [
        "injected: An agent's task.",
        "user: Go.",
    ]


def test_a_sub_agent_may_hang_on_what_started_it(log, read, told):
    log.user("Go.")
    log.record("progress", isSidechain=True, parentUuid="u1")
    log.user("An agent's task.", isSidechain=True, parentUuid="u2")
    log.record("progress", isSidechain=True, parentUuid=None)
    log.user("On.", parentUuid="u3")
    assert told(read(log)[0]) == ["user: Go.", "user: On."]
    messages, _ = read(log, sidechains=True)
    assert told(messages) == ["user: Go.", "injected: An agent's task.", "user: On."]


def test_the_transcript_of_a_sub_agent_alone_is_a_conversation(log, read, told):
    log.user("Build A.", isSidechain=True, parentUuid=None)
    log.assistant("a1", "A stands.", isSidechain=True, parentUuid="u1")
    log.user("And B.", isSidechain=True, parentUuid="lost")
    messages, _ = read(log)
    assert told(messages) == ["user: Build A.", "assistant: A stands.", "user: And B."]


# --- queued prompts ---


def test_a_queued_prompt_is_the_users(log, read, told):
    log.user("Go.")
    log.attachment("queued_command", prompt="Faster.", commandMode="prompt")
    source = {"type": "base64", "media_type": "image/png", "data": "aa"}
    blocks = [{"type": "image", "source": source}, {"type": "text", "text": "See."}]
    log.attachment("queued_command", prompt=blocks, origin={"kind": "human"})
    log.beside("queue-operation", operation="enqueue", content="Faster.")
    messages, _ = read(log)
    assert told(messages) == ["user: Go.", "user: Faster.", "user: See."]
    assert messages[2].images == (Image("image/png", "aa"),)


@pytest.mark.parametrize(
    "fields",
    [
        {"commandMode": "task-notification"},
        {"isMeta": True},
        {"origin": {"kind": "peer"}},
        {"prompt": "<task-notification>done</task-notification>"},
    ],
)
def test_a_queued_notification_is_injected(log, read, fields):
    log.attachment("queued_command", **({"prompt": "Done."} | fields))
    assert read(log)[0][0].injected


def queue(log, operation, content=None):
    log.beside("queue-operation", operation=operation, content=content)


def test_older_releases_have_queued_prompts_in_the_queue_alone(log, read, told, call):
    log.user("Go.")
    log.assistant("m1", call("c1"))
    queue(log, "enqueue", "Are there tests?")
    queue(log, "enqueue", "And docs?")
    queue(log, "remove", "And docs?")
    log.result("c1", "ok")
    log.record("progress", parentUuid="u2")
    log.leaf = "u3"
    queue(log, "remove")
    log.assistant("m2", "There are.")
    queue(log, "remove")
    assert told(read(log)[0]) == [
        "user: Go.",
        "assistant: call c1",
        "tool: result c1=ok",
        "user: And docs?",
        "user: Are there tests?",
        "assistant: There are.",
    ]


def test_prompts_that_left_the_queue_otherwise_are_not_told_twice(log, read, told):
    queue(log, "enqueue", "Go.")
    queue(log, "dequeue")
    log.user("Go.")
    queue(log, "enqueue", "Taken back.")
    queue(log, "popAll")
    queue(log, "remove")
    queue(log, "enqueue", "Told below.")
    queue(log, "remove")
    queue(log, "enqueue", 7)
    log.attachment("queued_command", prompt="Told below.")
    queue(log, "enqueue", "Cancelled.")
    queue(log, "remove")
    assert told(read(log)[0]) == ["user: Go.", "user: Told below."]


def test_a_prompt_after_what_is_not_told_is_told(log, read, told):
    log.user("Go.")
    log.assistant("m1", "I will n")
    queue(log, "enqueue", "Quick.")
    queue(log, "remove")
    log.system("api_refusal", retractedMessageUuids=["u2"])
    log.assistant("m2", "Done.")
    twice = log.lines[-1]
    queue(log, "enqueue", "Well?")
    queue(log, "remove")
    log.raw(twice)
    log.user("On.")
    assert told(read(log)[0]) == [
        "user: Go.",
        "user: Quick.",
        "assistant: Done.",
        "user: Well?",
        "user: On.",
    ]


def test_a_prompt_from_the_time_of_a_compaction_is_told(log, read, told):
    log.user("Go.")
    log.boundary()
    queue(log, "enqueue", "Quick.")
    queue(log, "remove")
    log.summary()
    assert told(read(log)[0]) == ["user: Quick.", "injected: What went before."]


def test_a_prompt_of_a_rewound_branch_is_left_out(log, read, told):
    queue(log, "enqueue", "Before all.")
    queue(log, "remove")
    start = log.user("Go.")
    log.assistant("m1", "Wrong.")
    queue(log, "enqueue", "No!")
    queue(log, "remove")
    log.user("Better.", parentUuid=start)
    assert told(read(log)[0]) == ["user: Before all.", "user: Go.", "user: Better."]
