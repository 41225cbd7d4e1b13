"""The live branch of a transcript, and what outlives a compaction."""

from __future__ import annotations

import orjson
import pytest


def notes(report, kind):
    return [(n.line, n.text) for n in report.notes if n.kind == kind]


# --- the live branch ---


def test_a_rewound_branch_is_left_out(log, read, told):
    start = log.user("Go.")
    log.assistant("m1", "Wrong.")
    log.user("No!")
    log.assistant("m2", "Still wrong.")
    log.user("Go, but well.", parentUuid=start)
    log.assistant("m3", "Right.")
    messages, report = read(log)
    assert told(messages) == ["user: Go.", "user: Go, but well.", "assistant: Right."]
    assert notes(report, "left-out") == [(0, "3 records of rewound branches")]


def test_progress_notes_and_attachments_stand_in_the_chain(log, read, told):
    log.record("progress", data={"type": "hook_progress"})
    log.user("Go.")
    log.record("progress", data={"type": "bash_progress"})
    log.system("turn_duration", durationMs=1)
    log.attachment("auto_mode")
    log.assistant("m1", "Done.")
    messages, report = read(log)
    assert told(messages) == ["user: Go.", "assistant: Done."]
    assert notes(report, "left-out") == [
        (0, "1 attachments auto_mode"),
        (0, "2 progress records"),
        (0, "1 system records"),
    ]


def test_what_is_written_late_beside_the_branch_hides_nothing(log, read, told):
    start = log.user("Go.")
    log.assistant("m1", "Done.")
    log.record("progress", parentUuid=start)
    log.system("away_summary", parentUuid=start, content="You were away.")
    assert told(read(log)[0]) == ["user: Go.", "assistant: Done."]


def test_writes_that_overtake_each_other_do_not_matter(log, read, told, call):
    log.user("Go.")
    log.assistant("m1", call("c1"))
    log.result("c1", "ok")
    log.attachment("queued_command", prompt="Faster.")
    log.lines[1], log.lines[2], log.lines[3] = log.lines[3], log.lines[2], log.lines[1]
    assert told(read(log)[0]) == [
        "user: Go.",
        "assistant: call c1",
        "tool: result c1=ok",
        "user: Faster.",
    ]


def test_a_prompt_may_stand_before_the_answer_it_follows(log, read, told):
    log.user("Go.")
    log.assistant("m1", "Done.")
    log.user("Thanks.")
    log.lines[1], log.lines[2] = log.lines[2], log.lines[1]
    assert told(read(log)[0]) == ["user: Go.", "assistant: Done.", "user: Thanks."]


def test_a_missing_parent_means_the_record_before_and_is_reported(log, read, told):
    log.user("Go.")
    log.assistant("m1", "One.")
    log.user("On.", parentUuid="lost")
    log.assistant("m2", "Two.")
    messages, report = read(log)
    assert told(messages)[2:] == ["user: On.", "assistant: Two."]
    assert len(messages) == 4
    assert notes(report, "branch") == [
        (3, "the parent is missing: the record before was taken")
    ]


def test_a_history_may_begin_with_a_missing_parent(log, read, told):
    log.user("Go on.", parentUuid="lost")
    messages, report = read(log)
    assert told(messages) == ["user: Go on."]
    assert notes(report, "branch") == [
        (1, "the parent is missing: the history begins here")
    ]


def test_records_without_any_link_are_taken_in_order(read, told):
    lines = [
        orjson.dumps({"type": kind, "message": {"role": kind, "content": f"words {n}"}})
        for n, kind in enumerate(["user", "assistant", "user"])
    ]
    messages, report = read(lines)
    assert told(messages) == ["user: words 0", "assistant: words 1", "user: words 2"]
    assert notes(report, "branch") == [
        (0, "3 records name no parent: the one before each was taken")
    ]


def test_a_circle_of_parents_is_cut(log, read, told):
    log.user("One.")
    log.assistant("m1", "Two.", parentUuid="u3")
    log.user("Three.", parentUuid="u2")
    messages, report = read(log)
    assert told(messages) == ["user: One.", "assistant: Two.", "user: Three."]
    assert notes(report, "branch") == [(2, "a circle of parents was cut here")]


def test_a_record_that_is_its_own_parent_hangs_on_the_one_before(log, read, told):
    log.user("One.")
    log.user("Two.", parentUuid="u2")
    messages, report = read(log)
    assert told(messages) == ["user: One.", "user: Two."]
    assert len(notes(report, "branch")) == 1


def test_a_record_that_was_written_twice_is_told_once(log, read, told):
    log.user("Go.")
    log.assistant("m1", "One.")
    log.lines.append(log.lines[-1])
    log.user("On.")
    messages, report = read(log)
    assert told(messages) == ["user: Go.", "assistant: One.", "user: On."]
    assert notes(report, "left-out") == [(0, "1 copies of records")]


def test_the_leaf_that_the_user_went_back_to_ends_the_history(log, read, told):
    log.user("Go.")
    back = log.assistant("m1", "One.")
    log.user("No.")
    log.attachment("queued_command", prompt="No, no!", record={"parentUuid": back})
    log.beside("last-prompt", leafUuid=back, explicit=True)
    log.beside("last-prompt", leafUuid=back)
    assert told(read(log)[0]) == ["user: Go.", "assistant: One."]
    log.beside("last-prompt", leafUuid="u1")
    assert told(read(log)[0])[2] == "user: No."
    log.beside("last-prompt", leafUuid=back, explicit=True)
    log.user("On.", parentUuid=back)
    assert told(read(log)[0]) == ["user: Go.", "assistant: One.", "user: On."]


def test_a_leaf_that_is_not_there_is_not_followed(log, read):
    log.user("Go.")
    log.user("The prompt of an agent.", isSidechain=True, parentUuid=None)
    log.beside("last-prompt", leafUuid="lost", explicit=True)
    assert len(read(log)[0]) == 1
    log.beside("last-prompt", leafUuid="u2", explicit=True)
    assert [m.text for m in read(log)[0]] == ["Go."]


# --- compaction ---


def compacted(log):
    log.user("First.")
    log.assistant("m1", "One.")
    log.boundary()
    log.summary()
    log.user("Second.")
    log.assistant("m2", "Two.")


def test_the_history_begins_after_the_last_compaction(log, read, told):
    compacted(log)
    messages, report = read(log)
    assert told(messages) == [
        "injected: What went before.",
        "user: Second.",
        "assistant: Two.",
    ]
    assert notes(report, "boundary") == [
        (3, "the history begins after a compaction (auto, 150000 tokens before)")
    ]
    assert notes(report, "left-out") == [(0, "2 records before the compaction")]


def test_the_full_history_goes_on_before_the_compaction(log, read, told):
    compacted(log)
    messages, report = read(log, full=True)
    assert told(messages) == [
        "user: First.",
        "assistant: One.",
        "injected: What went before.",
        "user: Second.",
        "assistant: Two.",
    ]
    assert [m.usage is None for m in messages if m.role == "assistant"] == [False, True]
    assert notes(report, "boundary") == [
        (3, "a compaction (auto, 150000 tokens before)")
    ]


@pytest.mark.parametrize("logical", ["lost", None, 7])
def test_full_takes_the_record_before_a_boundary_that_names_none(
    log, read, told, logical
):
    log.user("First.")
    log.boundary(logicalParentUuid=logical)
    log.summary()
    messages, report = read(log, full=True)
    assert told(messages) == ["user: First.", "injected: What went before."]
    assert len(notes(report, "branch")) == (logical == "lost")


def test_a_summary_without_a_boundary_begins_the_history(log, read, told):
    log.user("First.")
    log.summary(parentUuid=None)
    log.user("Second.")
    assert told(read(log)[0]) == ["injected: What went before.", "user: Second."]
    assert told(read(log, full=True)[0])[0] == "user: First."


def test_a_compaction_that_was_never_finished_changes_nothing(log, read, told):
    log.user("First.")
    log.assistant("m1", "One.")
    log.boundary(parentUuid="u2")
    messages, report = read(log)
    assert told(messages) == ["user: First.", "assistant: One."]
    assert notes(report, "boundary") == []


def test_of_two_compactions_the_last_counts(log, read, told):
    compacted(log)
    log.boundary()
    log.summary("What went before again.")
    messages, _ = read(log)
    assert told(messages) == ["injected: What went before again."]
    messages, _ = read(log, full=True)
    assert [m.text for m in messages] == [
        "First.",
        "One.",
        "What went before.",
        "Second.",
        "Two.",
        "What went before again.",
    ]


def preserved(log, **metadata):
    log.user("Old.")
    log.user("Kept one.")
    log.assistant("m1", "Kept two.")
    anchor = f"u{5}"
    log.boundary(metadata={k: v | {"anchorUuid": anchor} for k, v in metadata.items()})
    return log.summary()


KEPT = [
    "injected: What went before.",
    "user: Kept one.",
    "assistant: Kept two.",
    "user: New.",
]


@pytest.mark.parametrize(
    "metadata",
    [
        {"preservedSegment": {"headUuid": "u2", "tailUuid": "u3"}},
        {"preservedMessages": {"uuids": ["u2", "u3"]}},
        {"preservedMessages": {"allUuids": ["u2", "u3"]}},
    ],
)
def test_preserved_messages_follow_the_summary(log, read, told, metadata):
    preserved(log, **metadata)
    log.user("New.")
    messages, report = read(log)
    assert told(messages) == KEPT
    assert notes(report, "left-out") == [(0, "1 records before the compaction")]
    assert messages[2].usage is None  # it counts the context that is gone
    full = told(read(log, full=True)[0])
    assert full == ["user: Old.", KEPT[1], KEPT[2], KEPT[0], KEPT[3]]


def test_preserved_messages_that_were_written_again_stand_once(log, read, told):
    preserved(log, preservedMessages={"uuids": ["u2", "u3"]})
    log.user("Kept one.", uuid="u2")
    log.assistant("m1", "Kept two.", uuid="u3")
    log.user("New.")
    messages, report = read(log)
    assert told(messages) == KEPT
    assert messages[2].usage is None
    assert (0, "2 copies of records") in notes(report, "left-out")
    full = told(read(log, full=True)[0])
    assert full == ["user: Old.", KEPT[1], KEPT[2], KEPT[0], KEPT[3]]


def test_preserved_messages_written_again_without_being_listed_are_live(
    log, read, told
):
    log.user("Old.")
    log.user("Kept one.")
    log.boundary()
    log.summary()
    log.user("Kept one.", uuid="u2", timestamp="2026-02-02T02:40:02.000Z")
    log.user("New.")
    messages, _ = read(log)
    assert told(messages) == [KEPT[0], KEPT[1], KEPT[3]]
    assert messages[1].time < messages[0].time


def test_a_message_written_again_has_no_answers_of_before(log, read, told):
    log.user("Old.")
    log.user("Kept one.")
    log.assistant("m1", "Gone.")
    log.boundary()
    log.summary()
    log.user("Kept one.", uuid="u2")
    assert told(read(log)[0]) == KEPT[:2]


def test_a_boundary_that_preserves_itself_preserves_nothing(log, read):
    log.user("Old.")
    log.boundary(uuid="u1", metadata={"preservedMessages": {"uuids": ["u1"]}})
    log.beside("last-prompt", leafUuid="u1", explicit=True)
    assert read(log)[0] == []


def test_preserved_messages_in_part_written_again_keep_their_order(log, read, told):
    preserved(log, preservedMessages={"uuids": ["u2", "u3"]})
    log.assistant("m1", "Kept two.", uuid="u3")
    log.user("New.")
    assert told(read(log)[0]) == KEPT


def test_preserved_messages_may_stand_before_the_summary(log, read, told):
    preserved(log, preservedMessages={"uuids": ["u2"]})
    log.lines[3] = log.lines[3].replace(b'"anchorUuid":"u5"', b'"anchorUuid":"u4"')
    assert told(read(log)[0]) == [KEPT[1], KEPT[0]]


@pytest.mark.parametrize(("lines", "place"), [(5, 1), (4, 0)])
def test_without_an_anchor_they_follow_the_summary(log, read, told, lines, place):
    preserved(log, preservedMessages={"uuids": ["u2"]})
    log.lines[3] = log.lines[3].replace(b'"anchorUuid":"u5"', b'"anchorUuid":"u9"')
    log.lines[lines - 1 :] = log.lines[lines - 1 : lines]
    log.user("New.", parentUuid="u5" if lines == 5 else "u4")
    assert told(read(log)[0])[place] == KEPT[1]


def test_preserved_messages_that_are_missing_are_reported(log, read, told):
    preserved(log, preservedMessages={"uuids": ["u2", "lost", "u3"]})
    messages, report = read(log)
    assert told(messages) == KEPT[:3]
    assert notes(report, "branch") == [(4, "1 of 3 preserved messages are missing")]


def test_a_preserved_run_that_is_broken_is_reported(log, read, told):
    preserved(log, preservedSegment={"headUuid": "lost", "tailUuid": "u3"})
    messages, report = read(log)
    assert told(messages) == KEPT[:1]
    assert notes(report, "branch") == [(4, "the preserved messages are not all there")]


def test_what_was_preserved_twice_stands_once(log, read, told):
    log.user("Kept one.")
    anchors = {"uuids": ["u1"], "anchorUuid": "u3"}
    log.boundary(metadata={"preservedMessages": anchors})
    log.summary()
    log.user("New.")
    log.boundary(metadata={"preservedMessages": anchors | {"anchorUuid": "u6"}})
    log.summary("Again.")
    log.user("Newer.")
    assert told(read(log)[0]) == ["injected: Again.", KEPT[1], "user: Newer."]
    assert [m.text for m in read(log, full=True)[0]] == [
        "Kept one.",
        "What went before.",
        "New.",
        "Again.",
        "Newer.",
    ]


def test_a_microcompaction_is_noted_only(log, read, told, call):
    log.assistant("m1", call("c1"))
    log.result("c1", "long")
    cleared = {"trigger": "auto", "compactedToolIds": ["c1"]}
    log.system("microcompact_boundary", microcompactMetadata=cleared)
    log.assistant("m2", "Done.")
    messages, report = read(log)
    assert told(messages)[1] == "tool: result c1=long"
    assert notes(report, "boundary") == [
        (3, "1 results were cleared from the old context; they are kept here")
    ]
