"""pi: the live branch, and compactions of all versions."""

from __future__ import annotations

import pytest

HEADER = {"type": "session", "version": 3, "id": "s-1", "cwd": "/r"}


@pytest.fixture
def log(pi_log):
    return pi_log


@pytest.fixture
def read(read_pi):
    return read_pi


# --- the branch ---


def test_the_last_entry_is_the_leaf(log, read, told, noted):
    first = log.user("one")
    log.model("left")
    log.user("left, too")
    log.leaf = first
    log.model("kept")
    log.entry("label", targetId=first, label="x")
    messages, report = read(log)
    assert told(messages) == ["user: one", "assistant: kept"]
    left = noted(report, "left-out")
    assert (0, "2 records of other branches") in left
    assert (0, "1 label records") in left


def test_a_missing_parent_means_the_record_before(log, read, told, noted):
    log.user("one")
    log.leaf = "lost"
    log.model("two")
    messages, report = read(log)
    assert told(messages) == ["user: one", "assistant: two"]
    assert noted(report, "branch") == [
        (3, "the parent is missing: the record before was taken")
    ]


def test_a_missing_first_parent_is_where_the_history_begins(log, read, told, noted):
    log.leaf = "lost"
    log.user("one")
    messages, report = read(log)
    assert told(messages) == ["user: one"]
    assert noted(report, "branch") == [
        (2, "the parent is missing: the history begins here")
    ]


def test_a_circle_of_parents_is_cut(log, read, told, noted):
    log.user("one")
    log.user("two")
    log.lines[1]["parentId"] = "e2"
    messages, report = read(log)
    assert told(messages) == ["user: one", "user: two"]
    assert noted(report, "branch") == [(2, "a circle of parents was cut here")]


def test_the_record_before_is_one_that_was_not_passed_yet(log, read, told):
    for words in ("one", "two", "three", "four"):
        log.user(words)
    _, one, two, three, four = log.lines
    one["parentId"], four["parentId"] = None, "e2"
    two["parentId"], three["parentId"] = "e3", "lost"
    assert told(read(log)[0]) == ["user: one", "user: three", "user: two", "user: four"]


def test_a_parent_of_itself_is_cut(log, read, told):
    log.user("one")
    log.user("two")
    log.lines[2]["parentId"] = "e2"
    assert told(read(log)[0]) == ["user: one", "user: two"]


def test_a_new_root_is_where_the_history_begins(log, read, told):
    log.user("one")
    log.leaf = None
    log.user("again")
    assert told(read(log)[0]) == ["user: again"]


def test_an_empty_session_has_no_history(read, noted):
    messages, report = read([HEADER])
    assert (messages, report.origin) == ([], "s-1")
    assert noted(report, "left-out") == [(0, "1 session records")]


# --- compactions ---


def compacted(log, **fields):
    log.user("one")
    log.model("First.")
    kept = log.user("two")
    log.model("Second.")
    fields = {"summary": "All was done.", "tokensBefore": 9, **fields}
    log.entry("compaction", **{"firstKeptEntryId": kept, **fields})
    log.user("three")
    log.model("Third.")


SUMMARY = (
    "injected: The conversation history before this point was compacted into the "
    "following summary://<summary>/All was done./</summary>"
)


def test_the_history_begins_with_the_summary_and_what_was_kept(log, read, told, noted):
    compacted(log)
    messages, report = read(log)
    assert told(messages) == [
        SUMMARY,
        "user: two",
        "assistant: Second.",
        "user: three",
        "assistant: Third.",
    ]
    usages = [m.usage is not None for m in messages if m.role == "assistant"]
    assert usages == [False, True]
    assert noted(report, "boundary") == [
        (6, "the history begins after a compaction (4 entries before)")
    ]
    assert (0, "2 records before the compaction") in noted(report, "left-out")


def test_in_full_nothing_is_left_out_and_the_summary_stands_in_its_place(
    log, read, told, noted
):
    compacted(log)
    messages, report = read(log, full=True)
    assert told(messages) == [
        "user: one",
        "assistant: First.",
        "user: two",
        "assistant: Second.",
        SUMMARY,
        "user: three",
        "assistant: Third.",
    ]
    usages = [m.usage is not None for m in messages if m.role == "assistant"]
    assert usages == [True, True, False]
    assert noted(report, "boundary") == [(6, "a compaction (4 entries before)")]


def test_in_the_first_version_entries_follow_each_other(log, read, told, noted):
    compacted(log, firstKeptEntryId=None, firstKeptEntryIndex=3)
    messages, report = read(log.first_version())
    assert told(messages)[:3] == [SUMMARY, "user: two", "assistant: Second."]
    assert len(messages) == 5
    assert noted(report, "branch") == []
    assert len(read(log.first_version(), full=True)[0]) == 7


@pytest.mark.parametrize("kept", ["lost", "", None, 7])
def test_without_a_first_kept_entry_nothing_was_kept(log, read, told, noted, kept):
    compacted(log, firstKeptEntryId=kept)
    messages, report = read(log)
    assert told(messages) == [SUMMARY, "user: three", "assistant: Third."]
    assert (0, "4 records before the compaction") in noted(report, "left-out")


def test_of_two_compactions_the_last_counts(log, read, told, noted):
    compacted(log)
    log.entry("compaction", summary="More.", firstKeptEntryId="e3", tokensBefore=1)
    log.user("four")
    assert told(read(log)[0]) == [
        SUMMARY.replace("All was done.", "More."),
        "user: two",
        "assistant: Second.",
        "user: three",
        "assistant: Third.",
        "user: four",
    ]
    bounds = [noted(read(log, full=full)[1], "boundary") for full in (False, True)]
    assert [[line for line, _ in found] for found in bounds] == [[9], [6, 9]]


def test_of_entries_that_share_an_id_the_nearest_before_is_the_parent(log, read, told):
    log.user("one")
    log.user("two")
    log.user("three")
    log.lines[2]["id"] = "e1"
    log.lines[3]["parentId"] = "e1"
    assert told(read(log)[0]) == ["user: one", "user: two", "user: three"]
