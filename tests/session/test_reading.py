"""A log as readers see it: chapters, damage, revisions."""

from __future__ import annotations

import os

import pytest

from mewctl.errors import NotFound, StorageError, Unsafe
from mewctl.session.lines import Marker
from mewctl.session.reading import LogReader, find_chapter
from mewctl.transcripts import Report


def said(text):
    return {"role": "user", "content": text}


def texts(pairs):
    return [value["content"] for _, value in pairs]


CHAPTERS = [
    said("a"),
    said("b"),
    Marker(1, "aaa1", "auto", 1).line(),
    said("S1"),
    said("c"),
    Marker(2, "bbb2", "manual", 2).line(),
    said("S2"),
    said("c"),
    said("d"),
]


def test_chapters_have_their_snapshots_and_what_came_since(write):
    with LogReader(write(*CHAPTERS)) as reader:
        chapters = reader.chapters()
        assert [c.number for c in chapters] == [0, 1, 2]
        report = Report()
        snapshots = [texts(reader.snapshot(c, report)) for c in chapters]
        since = [texts(reader.since(c, report)) for c in chapters]
        assert snapshots == [[], ["S1"], ["S2", "c"]]
        assert since == [["a", "b"], ["c"], ["d"]]
        assert texts(reader.everything(report)) == ["a", "b", "c", "d"]
        assert report.notes == []


def test_a_marker_without_a_count_is_told_when_all_is_read(write):
    path = write(said("a"), {"type": "compact", "ts": 1}, said("S"), said("b"))
    report = Report()
    with LogReader(path) as reader:
        assert texts(reader.everything(report)) == ["a", "S", "b"]
    assert [(n.line, n.kind) for n in report.notes] == [(2, "branch")]


@pytest.mark.parametrize(("name", "number"), [("1", 1), ("2", 2), ("bbb", 2)])
def test_a_checkpoint_is_found_by_number_or_id(write, name, number):
    with LogReader(write(*CHAPTERS)) as reader:
        assert find_chapter(reader.chapters(), name).number == number


@pytest.mark.parametrize("name", ["0", "3", "x", "", "-1", "²"])
def test_another_checkpoint_is_not_found(write, name):
    with LogReader(write(*CHAPTERS)) as reader, pytest.raises(NotFound, match="has 2"):
        find_chapter(reader.chapters(), name)


GLUED = b'{"role":"user","content":"g1"}{"role":"user","content":"g2"}'
TORN = b'{"role":"user","content":"to'


@pytest.mark.parametrize(
    ("lines", "found", "kinds"),
    [
        ([said("a"), GLUED], ["a", "g1", "g2"], ["recovered"]),
        ([said("a"), b"\0" * 20, said("b")], ["a", "b"], ["skipped"]),
        ([said("a"), TORN, said("b")], ["a", "b"], ["skipped"]),
        ([TORN + b'{"role":"user","content":"x"}'], ["x"], ["recovered", "skipped"]),
        (
            [b'{"role":"user","content":"two', b'lines"}', said("b")],
            ["two\nlines", "b"],
            ["recovered"],
        ),
        ([said("a\u2028b\u0085c")], ["a\u2028b\u0085c"], []),
        ([b'{"role":"user","content":"\xff"}', said("b")], ["b"], ["skipped"]),
        ([b"[1]", said("b")], ["b"], ["skipped"]),
    ],
    ids=["glued", "nul", "torn", "spliced", "spread", "separators", "utf8", "array"],
)
def test_whole_records_of_damaged_lines_are_recovered(
    write, history, lines, found, kinds
):
    values, notes = history(write(*lines))
    assert [v["content"] for v in values] == found
    assert [n.kind for n in notes] == kinds


def test_damage_is_told_with_the_line_of_the_whole_log(write, history):
    path = write(said("a"), said("b"), {"type": "compact"}, said("c"), TORN, said("d"))
    values, notes = history(path)
    assert [v["content"] for v in values] == ["c", "d"]
    assert [(n.line, n.kind) for n in notes] == [(5, "skipped")]


@pytest.mark.parametrize(
    "snapshot",
    [[said("S"), TORN, said("T")], [GLUED, said("T")], [b"\0", b"\0", said("T")]],
)
def test_a_damaged_snapshot_takes_nothing_of_what_came_since(write, snapshot):
    path = write(said("a"), Marker(messages=3).line(), *snapshot, said("b"), said("c"))
    with LogReader(path) as reader:
        last = reader.chapters()[-1]
        assert texts(reader.since(last, Report())) == ["b", "c"]
        assert texts(reader.snapshot(last, Report()))[-1] == "T"


def test_a_revision_changes_with_every_record(write):
    revisions = set()
    for count in range(4):
        with LogReader(write(*[said("a")] * count, name=f"log{count}")) as reader:
            revisions.add(reader.revision())
    assert len(revisions) == 4


def test_reading_leaves_the_time_of_the_file_alone(write, history):
    path = write(said("a"))
    os.utime(path, (1000, 1000))
    history(path)
    assert os.stat(path).st_mtime == 1000


def test_a_log_that_is_no_plain_file_of_ours_is_refused(tmp_path, write):
    path = write(said("a"))
    os.link(path, tmp_path / "other")
    with pytest.raises(Unsafe, match="second name"):
        LogReader(path)
    os.unlink(tmp_path / "other")
    os.symlink(path, tmp_path / "link")
    with pytest.raises(Unsafe, match="symbolic link"):
        LogReader(str(tmp_path / "link"))
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(Unsafe, match="regular file"):
        LogReader(str(tmp_path / "fifo"))
    with pytest.raises(StorageError):
        LogReader(str(tmp_path / "none"))


@pytest.mark.skipif(os.geteuid() != 0, reason="giving a file away needs root")
def test_a_log_of_another_user_is_refused(write):
    path = write(said("a"))
    os.chown(path, 12345, 12345)
    with pytest.raises(Unsafe, match="another user"):
        LogReader(path)


def test_needles_are_found_across_blocks(write, monkeypatch):
    from mewctl import limits

    path = write({"role": "user", "content": "xxxxxneedleyyy"})
    for block in range(5, 20):
        monkeypatch.setattr(limits, "READ_BLOCK", block)
        with LogReader(path) as reader:
            assert reader.holds(b"needle", 0, reader.size)
            assert not reader.holds(b"pin", 0, reader.size)
