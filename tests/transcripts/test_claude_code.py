"""What the reader tells of a transcript: messages, errors, damage, detection."""

from __future__ import annotations

import pytest

from mewctl.history.view import Image, Opaque, Text, Thinking, Usage
from mewctl.streams.jsonvalue import dumps
from mewctl.transcripts import claude_code, load
from mewctl.transcripts.telling import seconds as read_seconds


def notes(report, kind):
    return [(n.line, n.text) for n in report.notes if n.kind == kind]


# --- messages ---


def test_the_registry_knows_the_reader():
    assert load("claude-code").NAME == "claude-code"
    with pytest.raises(KeyError):
        load("claude")


def test_a_plain_conversation_is_told_in_order(log, read, told):
    log.user("Mend the lock.")
    log.assistant("m1", "It is mended.")
    messages, report = read(log)
    assert told(messages) == ["user: Mend the lock.", "assistant: It is mended."]
    assert report.notes == []
    assert report.origin == "s-1"


def test_a_message_has_its_id_model_time_and_usage(log, read):
    log.user("Go.")
    usage = {
        "input_tokens": 3,
        "cache_read_input_tokens": 50,
        "cache_creation_input_tokens": 7,
        "output_tokens": 11,
    }
    log.assistant("m1", "Done.", message={"usage": usage})
    _, answer = read(log)[0]
    assert (answer.id, answer.model) == ("m1", "claude-made-up")
    assert answer.usage == Usage(input=3, cache_read=50, cache_write=7, output=11)
    assert answer.time == 1_769_999_202 + 800  # 2026-02-02T02:40:02Z


def test_parts_carry_no_raw_block_but_opaque_ones_do(log, read, call):
    source = {"type": "base64", "media_type": "image/png", "data": "aaaa"}
    image = {"type": "image", "source": source}
    log.user([image, {"type": "text", "text": "See?"}])
    thinking = {"type": "thinking", "thinking": "Hm.", "signature": "sig"}
    hidden = {"type": "redacted_thinking", "data": "secret"}
    odd = {"type": "server_tool_use", "id": "x"}
    log.assistant("m1", thinking, hidden, "Yes.", call("c1", command="ls"), odd)
    log.result("c1", [{"type": "text", "text": "a"}, image], is_error=True)
    user, answer, tool = read(log)[0]
    assert user.parts == (Image("image/png", "aaaa"), Text("See?"))
    assert answer.parts[:3] == (
        Thinking("Hm.", "sig"),
        Thinking("", "secret", redacted=True),
        Text("Yes."),
    )
    assert all(p.raw is None for p in answer.parts[:4])
    assert answer.calls[0].input == {"command": "ls"}
    assert isinstance(answer.parts[4], Opaque)
    assert answer.parts[4].raw == odd
    assert tool.role == "tool"
    assert tool.results[0].content == (Text("a"), Image("image/png", "aaaa"))


def test_the_records_of_one_message_are_joined_and_the_last_usage_counts(
    log, read, told, call
):
    log.user("Go.")
    log.assistant("m1", {"type": "thinking", "thinking": "Hm."})
    log.assistant("m1", "Looking.")
    log.assistant(
        "m1", call("c1"), message={"usage": {"input_tokens": 9, "output_tokens": 40}}
    )
    log.result("c1", "files")
    log.assistant("m2", "Done.")
    messages, _ = read(log)
    assert told(messages) == [
        "user: Go.",
        "assistant: Looking. call c1",
        "tool: result c1=files",
        "assistant: Done.",
    ]
    assert isinstance(messages[1].parts[0], Thinking)
    assert messages[1].usage == Usage(input=9, output=40)


def test_a_last_record_without_usage_leaves_the_one_before(log, read):
    log.assistant("m1", "One.", message={"usage": {"input_tokens": 9}})
    log.assistant("m1", "Two.", message={"usage": None})
    assert read(log)[0][0].usage == Usage(input=9)


def test_a_block_that_two_records_repeat_is_taken_once(log, read, told, call):
    log.assistant("m1", "One.")
    log.assistant("m1", "One.", call("c1"))
    log.assistant("m2", "Twice.", "Twice.")
    assert told(read(log)[0]) == ["assistant: One. call c1", "assistant: Twice./Twice."]


def test_blocks_that_differ_in_a_letter_of_their_json_are_two(log, read):
    for flag in (1, True):
        use = {"type": "tool_use", "id": "c1", "name": "Run", "input": {"flag": flag}}
        log.assistant("m1", use)
    calls = read(log)[0][0].calls
    assert [dumps(call.input) for call in calls] == [b'{"flag":1}', b'{"flag":true}']


def test_messages_without_an_id_are_not_joined(log, read, told):
    log.assistant("", "One.")
    log.assistant("", "Two.")
    messages, _ = read(log)
    assert told(messages) == ["assistant: One.", "assistant: Two."]
    assert messages[0].id is None


def test_an_empty_text_is_nothing(log, read):
    log.user("")
    log.assistant("m1", "")
    messages, report = read(log)
    assert messages == []
    assert notes(report, "left-out") == [(0, "1 records without content")]


@pytest.mark.parametrize(
    ("stamp", "seconds"),
    [
        ("2026-02-02T02:40:00.500Z", 1_770_000_000.5),
        ("2026-02-02T03:40:00+01:00", 1_770_000_000.0),
        ("2026-02-02T02:40:00", 1_770_000_000.0),
        (1_770_000_000, 1_770_000_000.0),
        (1_770_000_000_000, 1_770_000_000.0),
        ("yesterday", None),
        ("0001-01-01T00:00:00+00:00", -62_135_596_800.0),
        (True, None),
        (None, None),
        ([1], None),
        (10**400, None),
    ],
)
def test_times_are_unix_seconds(stamp, seconds):
    assert read_seconds(stamp) == seconds


def test_big_integers_of_a_call_are_kept(log, read, call):
    log.assistant("m1", call("c1", n=0))
    log.lines[-1] = log.lines[-1].replace(b'"n":0', b'"n":12345678901234567890123')
    assert read(log)[0][0].calls[0].input == {"n": 12345678901234567890123}


def test_a_record_that_nests_too_deep_is_skipped_alone(log, read, told, call):
    log.user("Go.")
    log.assistant("m1", "One.")
    log.assistant("m1", call("c1", n=0))
    log.lines[-1] = log.lines[-1].replace(b'"n":0', b'"n":' + b"[" * 300 + b"]" * 300)
    messages, report = read(log)
    assert told(messages) == ["user: Go.", "assistant: One."]
    assert notes(report, "skipped") == [(3, "nested too deep")]


# --- errors and refusals ---


def test_errors_of_the_api_are_no_words_of_a_model(log, read, told):
    log.user("Go.")
    log.assistant("e1", "API Error: 529", isApiErrorMessage=True)
    log.system("api_error", retryAttempt=1)
    log.assistant("e2", "No response.", message={"model": "<synthetic>"})
    log.user("Again.")
    log.assistant("m1", "Done.")
    messages, report = read(log)
    assert told(messages) == ["user: Go.", "user: Again.", "assistant: Done."]
    assert (0, "2 errors of the API") in notes(report, "left-out")


def test_retracted_messages_are_left_out(log, read, told):
    log.user("Go.")
    log.assistant("m1", "I will n")
    log.system("api_refusal", retractedMessageUuids=["u2", 7, "lost"])
    log.assistant("m2", "Done.")
    messages, report = read(log)
    assert told(messages) == ["user: Go.", "assistant: Done."]
    assert (0, "1 records taken back or replaced") in notes(report, "left-out")


def test_superseded_messages_are_left_out(log, read, told):
    log.user("Go.")
    log.assistant("m1", "Half of")
    log.assistant("m2", "Half of it, and the rest.", supersedesUuids=["u2"])
    assert told(read(log)[0]) == ["user: Go.", "assistant: Half of it, and the rest."]


def test_only_a_live_message_replaces_another(log, read, told):
    log.user("Go.")
    log.assistant("m1", "Kept.")
    log.assistant("m2", "Not kept.", supersedesUuids=["u2"])
    log.system("api_refusal", retractedMessageUuids=["u3"])
    log.user("On.")
    assert told(read(log)[0]) == ["user: Go.", "assistant: Kept.", "user: On."]


def test_a_part_of_a_message_may_be_taken_back(log, read, told):
    log.assistant("m1", "Bad half.")
    log.assistant("m1", "Good half.")
    log.system("api_refusal", retractedMessageUuids=["u1"])
    log.user("On.")
    assert told(read(log)[0]) == ["assistant: Good half.", "user: On."]


def test_a_name_that_several_records_share_takes_none_of_them_back(log, read):
    log.user("Go.", uuid="x", parentUuid=None)
    log.assistant("m1", "Yes.", uuid="x", parentUuid="x")
    log.system("api_refusal", uuid="x", retractedMessageUuids=["x"])
    assert len(read(log)[0]) == 2
    assert len(read(log, full=True)[0]) == 2


# --- detection ---


@pytest.mark.parametrize(
    "value",
    [
        {"type": "user", "parentUuid": None, "sessionId": "s", "message": {}},
        {"type": "assistant", "uuid": "u", "sessionId": "s", "message": {}},
        {"type": "user", "uuid": "u", "sessionId": 7, "message": "odd"},
        {"type": "progress", "parentUuid": "u", "sessionId": "s"},
        {"type": "summary", "leafUuid": "u"},
        {"type": "file-history-snapshot", "messageId": "m"},
        {"type": "queue-operation"},
    ],
)
def test_records_of_claude_code_are_known(value):
    assert claude_code.sniff(value)


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"type": "user"},
        {"type": 7, "uuid": "u", "sessionId": "s"},
        {"type": "summary", "text": "x"},
        {"type": "user", "uuid": "u", "message": {"content": "x"}},
        {"type": "session", "version": 3, "id": "x"},
        {"type": "message", "id": "x", "parentId": None, "message": {}},
        {"type": "response_item", "payload": {}},
        {"role": "user", "content": "x"},
        {"sessionId": "s", "projectHash": "h", "messages": []},
        {
            "type": "user",
            "uuid": "u",
            "parentUuid": None,
            "sessionId": "s",
            "message": {"role": "user", "parts": [{"text": "x"}]},
        },
    ],
)
def test_records_of_other_agents_are_not(value):
    assert not claude_code.sniff(value)


# --- damage ---


def test_a_glued_line_loses_no_message(log, read, told):
    log.user("Go.")
    log.assistant("m1", "Done.")
    log.beside("summary", leafUuid="x", summary="A title")
    log.lines[1:] = [log.lines[1] + log.lines[2]]
    log.user("On.")
    messages, report = read(log)
    assert told(messages) == ["user: Go.", "assistant: Done.", "user: On."]
    assert notes(report, "recovered") == [(2, "2 whole records in a damaged line")]


def test_notes_come_in_the_order_of_the_input(log, read):
    log.raw(b"torn")
    log.user("Go.", parentUuid="lost")
    log.raw(b"torn")
    log.user("On.", parentUuid="lost")
    log.beside("mode")
    lines = [note.line for note in read(log)[1].notes]
    assert lines == [1, 2, 3, 4, 0]
