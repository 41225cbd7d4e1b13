"""What is wrong on the disk, and a log written anew without it."""

from __future__ import annotations

import os

import pytest

from mewctl.session.damage import findings, repaired
from mewctl.session.lines import Marker, read_marker
from mewctl.session.reading import LogReader
from mewctl.transcripts import Report

A, B, C = (b'{"role":"user","content":"%s"}' % text for text in (b"a", b"b", b"c"))
TORN = b'{"role":"user","content":"to'


def log(layout, *lines, end=b"\n"):
    with open(layout.log, "wb") as file:
        file.write(b"\n".join(lines) + end)
    os.chmod(layout.log, 0o600)


def kinds(layout):
    return [(f.kind, f.line) for f in findings(layout)]


def test_a_sound_session_has_no_findings(layout):
    log(layout, A, Marker(messages=1).line(), B)
    assert kinds(layout) == []


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([A, B + C], [("recovered-line", 2)]),
        ([A, b"\0" * 9, B], [("skipped-line", 2)]),
        ([A, TORN, B], [("skipped-line", 2)]),
        ([A, Marker(messages=3).line(), B], [("cut-short", 0)]),
        (
            [b'{"role":"assistant","tool_calls":[{"id":"x","name":"f"}]}', A],
            [("leading-message", 1), ("orphan-call", 1)],
        ),
    ],
    ids=["glued", "nul", "torn", "cut", "orphan"],
)
def test_damage_in_the_log_is_found(layout, lines, expected):
    log(layout, *lines)
    assert set(expected) <= set(kinds(layout))


def test_an_orphan_after_a_marker_has_the_line_of_the_whole_log(layout):
    call = b'{"role":"assistant","content":"","tool_calls":[{"id":"x","name":"f"}]}'
    log(layout, A, Marker(messages=1).line(), A, call, B)
    assert kinds(layout) == [("orphan-call", 4)]


def test_a_torn_end_is_found(layout):
    log(layout, A, end=b"")
    assert kinds(layout) == [("torn-end", 0)]


def test_what_is_beside_the_log_is_looked_at(layout):
    log(layout, A)
    os.chmod(layout.log, 0o644)
    with open(layout.meta, "w") as file:
        file.write("{")
    os.chmod(layout.meta, 0o600)
    os.mkdir(layout.spill, 0o755)
    leftover = os.path.join(layout.spill, ".tmp-1234")
    with open(leftover, "w"):
        os.chmod(leftover, 0o600)
    found = {(f.kind, f.path) for f in findings(layout)}
    assert found == {
        ("wide-mode", layout.log),
        ("wide-mode", layout.spill),
        ("damaged-file", layout.meta),
        ("leftover", leftover),
    }


def test_a_log_that_cannot_be_read_is_a_finding(layout):
    os.mkfifo(layout.log, 0o600)
    assert [f.kind for f in findings(layout)] == ["unreadable"]


def read(layout):
    with LogReader(layout.log) as reader:
        data = repaired(reader)
    return data.splitlines()


def test_a_repaired_log_has_each_whole_record_on_its_line(layout):
    odd = b'{"content":"a" , "role":"user"}'
    log(layout, odd, B + C, TORN, A, b"\0", b'{"role":"user","content":"x', b'y"}')
    assert read(layout) == [odd, B, C, A, b'{"role":"user","content":"x\\ny"}']


def test_a_sound_log_is_the_same_bytes(layout):
    log(layout, A, Marker(messages=1).line(), B, C)
    with LogReader(layout.log) as reader, open(layout.log, "rb") as file:
        assert repaired(reader) == file.read()


@pytest.mark.parametrize(
    ("snapshot", "count"),
    [([A, TORN, B], 2), ([A + B, C], 3), ([b"\0", b"\0", A], 1)],
)
def test_a_marker_says_how_many_records_its_snapshot_still_has(layout, snapshot, count):
    log(layout, A, Marker(reason="auto", messages=3).line(), *snapshot, C, C)
    marker = read_marker(read(layout)[1])
    assert marker == Marker(reason="auto", messages=count)
    os.rename(layout.log, layout.log + ".old")
    with LogReader(layout.log + ".old") as reader:
        data = repaired(reader)
    with open(layout.log, "wb") as file:
        file.write(data)
    os.chmod(layout.log, 0o600)
    with LogReader(layout.log) as reader:
        last = reader.chapters()[-1]
        assert len(list(reader.since(last, Report()))) == 2


def test_a_snapshot_cut_short_is_left_out(layout):
    log(layout, A, Marker(messages=3).line(), B)
    assert read(layout) == [A]
