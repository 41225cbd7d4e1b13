"""pi: what is known, messages, whose words they are, and what is left out."""

from __future__ import annotations

import orjson
import pytest

from mewctl.history.view import Call, Image, Opaque, Result, Text, Thinking, Usage
from mewctl.transcripts import pi

STAMP = "2026-05-01T08:00:00.000Z"
MILLISECONDS = 1_777_622_400_000
HEADER = {"type": "session", "version": 3, "id": "s-1", "timestamp": STAMP, "cwd": "/r"}


def call(name, tool="bash", **given):
    return {"type": "toolCall", "id": name, "name": tool, "arguments": given}


@pytest.fixture
def log(pi_log):
    return pi_log


@pytest.fixture
def read(read_pi):
    return read_pi


# --- what is known ---


@pytest.mark.parametrize(
    ("value", "known"),
    [
        (HEADER, True),
        ({"type": "session", "id": "s"}, False),
        ({"type": "model_change", "provider": "p", "modelId": "m"}, True),
        ({"type": "model_change", "model": "m"}, False),
        ({"type": "thinking_level_change", "thinkingLevel": "off"}, True),
        ({"type": "compaction", "summary": "x", "tokensBefore": 1}, True),
        ({"type": "compaction", "content": "x"}, False),
        ({"type": "label", "targetId": "a", "parentId": None}, True),
        ({"type": "message", "message": {"role": "user", "timestamp": 1}}, True),
        ({"type": "message", "message": {"role": "user"}}, False),
        ({"type": "message", "message": {"role": "toolResult"}}, True),
        ({"type": "message", "message": {"role": ["x"]}}, False),
        ({"type": "message", "message": "x"}, False),
        ({"type": "message", "role": "user", "content": "x"}, False),
        ({"type": ["session"]}, False),
        ({"type": "other"}, False),
    ],
)
def test_a_record_is_known_by_its_type_and_what_stands_beside(value, known):
    assert pi.sniff(value) is known


# --- messages ---


def test_a_response_and_its_results_are_two_messages(log, read):
    thought = {"type": "thinking", "thinking": "Hm.", "thinkingSignature": "sig"}
    hidden = {
        "type": "thinking",
        "thinking": "gone",
        "thinkingSignature": "red",
        "redacted": True,
    }
    log.model(
        thought,
        hidden,
        {"type": "thinking", "thinking": 7},
        "I look.",
        "",
        call("c1", command="ls"),
        call("c2", "read", path="a"),
        {"type": "new", "x": 1},
        "plain",
        7,
        responseId="msg_1",
    )
    log.result("c1", "a", "")
    log.result("c2", isError=True)
    message, results = read(log)[0]
    assert message.parts == (
        Thinking("Hm.", "sig"),
        Thinking("", "red", redacted=True),
        Opaque("thinking", 32, {"type": "thinking", "thinking": 7}),
        Text("I look."),
        Call("c1", "bash", {"command": "ls"}),
        Call("c2", "read", {"path": "a"}),
        Opaque("new", 20, {"type": "new", "x": 1}),
        Text("plain"),
        Text("7"),
    )
    assert message.usage == Usage(1, 3, 4, 2)
    assert (message.model, message.id, message.cwd) == ("m", "msg_1", "/r")
    assert message.time == MILLISECONDS / 1000
    assert results.results == (Result("c1", (Text("a"),)), Result("c2", (), True))


def test_images_are_kept(log, read):
    image = {"type": "image", "data": "aa", "mimeType": "image/png"}
    linked = {"type": "image", "source": {"type": "url", "url": "https://a"}}
    log.say("user", ["see", image, linked, {"type": "image"}])
    log.say("toolResult", [image, call("c9")], toolCallId="c1")
    user, results = read(log)[0]
    assert user.parts == (
        Text("see"),
        Image("image/png", "aa"),
        Image(url="https://a"),
        Opaque("image", 16, {"type": "image"}),
    )
    assert results.results[0].content[0] == Image("image/png", "aa")
    assert results.results[0].content[1].kind == "toolCall"


def test_whose_words_they_are(log, read, told):
    log.say("user", "plain")
    log.say("user", "The conversation history before this point was compacted into x")
    log.entry("custom_message", customType="t", content="A reminder.")
    log.entry("custom_message", customType="t", content=[{"type": "text", "text": "B"}])
    log.entry("custom_message", customType="t", content=None)
    log.say("hookMessage", "A hook speaks.")
    log.say("custom", "An extension speaks.")
    log.entry("branch_summary", fromId="x", summary="In vain.")
    log.entry("branch_summary", fromId="x", summary="")
    log.entry("message", message={"role": "branchSummary", "summary": "Old form."})
    log.entry("message", message={"role": "compactionSummary", "summary": "Older."})
    log.entry("message", message=7)
    branch = (
        "The following is a summary of a branch that this conversation came back from:"
    )
    before = "The conversation history before this point was compacted into"
    messages, report = read(log)
    assert told(messages) == [
        "user: plain",
        f"injected: {before} x",
        "injected: A reminder.",
        "injected: B",
        "injected: A hook speaks.",
        "injected: An extension speaks.",
        f"injected: {branch}//<summary>/In vain./</summary>",
        f"injected: {branch}//<summary>/Old form./</summary>",
        f"injected: {before} the following summary://<summary>/Older./</summary>",
    ]
    assert "3 records that the model does not see" in [n.text for n in report.notes]


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ({"output": "a"}, "Ran `ls`\n```\na\n```"),
        ({"output": ""}, "Ran `ls`\n(no output)"),
        ({"exitCode": 2}, "Ran `ls`\n(no output)\n\nCommand exited with code 2"),
        ({"exitCode": 0}, "Ran `ls`\n(no output)"),
        (
            {"exitCode": 2, "cancelled": True},
            "Ran `ls`\n(no output)\n\n(command cancelled)",
        ),
        (
            {"truncated": True, "fullOutputPath": "/o"},
            "Ran `ls`\n(no output)\n\n[Output truncated. Full output: /o]",
        ),
        ({"truncated": True}, "Ran `ls`\n(no output)"),
    ],
)
def test_a_command_of_the_user_is_told_as_the_model_saw_it(log, read, fields, shown):
    log.entry("message", message={"role": "bashExecution", "command": "ls", **fields})
    (message,) = read(log)[0]
    assert (message.text, message.injected) == (shown, True)


def test_what_the_user_kept_from_the_model_is_left_out(log, read, noted):
    secret = {"role": "bashExecution", "command": "x", "excludeFromContext": True}
    log.entry("message", message=secret)
    messages, report = read(log)
    assert messages == []
    left = noted(report, "left-out")
    assert (0, "1 records that the model does not see") in left


@pytest.mark.parametrize("stop", ["aborted", "error"])
def test_a_response_that_was_broken_off_ran_none_of_its_calls(log, read, noted, stop):
    log.model("I begin", call("c1"), call("c2"), stop=stop)
    log.result("c2", "yet it ran")
    log.user("go on")
    log.model(stop=stop)
    log.model(call("c3"), stop=stop)
    messages, report = read(log)
    assert messages[0].parts == (Text("I begin"), Call("c2", "bash", {}))
    assert messages[0].usage is None
    assert [message.role for message in messages] == ["assistant", "tool", "user"]
    left = noted(report, "left-out")
    assert (0, "2 calls that were never run") in left
    assert (0, "2 responses that say nothing") in left


@pytest.mark.parametrize("usage", [None, "odd", {}, {"input": 0}, {"input": "x"}])
def test_a_usage_that_says_nothing_is_none(log, read, usage):
    log.model("x", usage=usage)
    assert read(log)[0][0].usage is None


def test_a_time_is_the_entry_s_or_the_message_s(log, read):
    log.user("one")
    log.user("two")
    log.lines[1]["timestamp"] = "2026-05-01T08:00:01.000Z"
    del log.lines[2]["timestamp"]
    times = [message.time for message in read(log)[0]]
    assert times == [MILLISECONDS / 1000 + 1, MILLISECONDS / 1000]


# --- damage ---


def test_an_entry_that_nests_too_deep_is_skipped_alone(log, read, told, noted):
    log.user("one")
    log.model(call("c1", n=0))
    log.user("two")
    lines = [orjson.dumps(line) for line in log.lines]
    lines[2] = lines[2].replace(b'"n":0', b'"n":' + b"[" * 300 + b"]" * 300)
    messages, report = read(lines)
    assert told(messages) == ["user: one", "user: two"]
    assert noted(report, "skipped") == [(3, "nested too deep")]


def test_big_integers_of_a_call_are_kept(log, read):
    log.model(call("c1", n=0))
    lines = [orjson.dumps(line) for line in log.lines]
    lines[1] = lines[1].replace(b'"n":0', b'"n":12345678901234567890123')
    assert read(lines)[0][0].calls[0].input == {"n": 12345678901234567890123}
