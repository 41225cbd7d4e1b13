"""Markers are found from the end, and nothing else is taken for one."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl import limits
from mewctl.session import backward
from mewctl.session.lines import Marker, read_marker


def reader(data: bytes):
    return lambda offset, size: data[offset : offset + size]


def found(data: bytes):
    return list(backward.marks_back(reader(data), len(data)))


def user(text="hi"):
    return json.dumps({"role": "user", "content": text}).encode()


MARK = b'{"type":"compact","ts":1}'
TRAPS = [
    user('{"type":"compact","ts":1}'),
    user('\n{"type":"compact"}\n'),
    b'{"role":"assistant","tool_calls":[{"input":{"type":"compact","ts":1}}]}',
    b'{"role":"user","type":"compact"}',
    b'{"kind":"compact"}',
]


@pytest.mark.parametrize("trap", TRAPS)
def test_the_text_of_a_marker_is_none(trap):
    assert found(trap + b"\n") == []
    data = MARK + b"\n" + trap + b"\n"
    assert [(m.start, m.stop) for m in found(data)] == [(0, len(MARK))]


@pytest.mark.parametrize(
    "mark",
    [
        MARK,
        b'{ "type" : "compact" }',
        b'{"ts":1,"type":"compact"}',
        MARK + b"\r",
    ],
)
def test_a_marker_is_found_however_it_is_spelled(mark):
    data = user() + b"\n" + mark + b"\n" + user() + b"\n"
    (one,) = found(data)
    assert data[one.start : one.stop].strip() == mark.strip()


def test_markers_come_the_newest_first():
    data = b"\n".join([MARK, user(), MARK, user(), MARK])
    starts = [mark.start for mark in found(data)]
    assert starts == sorted(starts, reverse=True)
    assert len(starts) == 3


def test_a_marker_glued_to_its_neighbours_is_found():
    data = user() + MARK + user() + b"\n"
    (one,) = found(data)
    assert data[one.start : one.stop] == MARK


@pytest.mark.parametrize("block", [10, 11, 16, 37, 64, 1000])
@given(st.lists(st.sampled_from([*TRAPS, MARK, user("x" * 50), b""]), max_size=12))
def test_every_size_of_block_finds_the_same(block, lines):
    data = b"\n".join(lines)
    expected = [m for line in lines if (m := read_marker(line)) is not None]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "BACK_BLOCK", block)
        marks = found(data)
    assert [m.marker for m in marks] == expected[::-1]
    assert all(read_marker(data[m.start : m.stop]) == m.marker for m in marks)


# --- snapshots cut short ---


def log(*lines: bytes, end: bytes = b"\n") -> bytes:
    return b"\n".join(lines) + end


def live(data: bytes):
    return backward.live(reader(data), len(data))


COUNTED = Marker(messages=2).line()


def test_the_history_begins_after_the_last_marker():
    data = log(user("a"), MARK, user("b"))
    extent = live(data)
    assert data[extent.start : extent.end].strip() == user("b")
    assert extent.cut is None


def test_without_a_marker_all_is_the_history():
    data = log(user("a"))
    assert live(data) == backward.Extent(0, len(data))


@pytest.mark.parametrize(
    "tail",
    [
        [],
        [user("b")],
        [user("b"), user("c")[:-3]],
        [user("b"), b""],
    ],
)
def test_a_snapshot_with_fewer_messages_than_it_says_is_ignored(tail):
    data = log(user("a"), COUNTED, *tail, end=b"")
    extent = live(data)
    assert data[extent.start : extent.end].strip() == user("a")
    assert extent.cut is not None
    assert extent.cut.start == len(user("a")) + 1


@pytest.mark.parametrize(
    "tail",
    [
        [user("b"), user("c")],
        [user("b") + user("c")],  # glued
        [user("b"), user("c"), user("d")[:-3]],  # the torn one is not of the snapshot
        [b"\0" * 8, user("c")],  # damaged, yet it was there
    ],
)
def test_a_whole_snapshot_counts_even_if_it_is_damaged(tail):
    data = log(user("a"), COUNTED, *tail)
    assert live(data).cut is None


def test_a_complete_last_line_without_its_end_counts():
    data = log(user("a"), COUNTED, user("b"), user("c"), end=b"")
    assert live(data).cut is None


def test_a_marker_without_a_count_is_never_cut_short():
    assert live(log(user("a"), MARK)).cut is None
