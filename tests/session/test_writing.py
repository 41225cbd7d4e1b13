"""Batches under the lock: seals, cut-short snapshots, revisions."""

from __future__ import annotations

import multiprocessing
import os

import pytest

from mewctl.errors import Locked, Unsafe
from mewctl.session.lines import Marker
from mewctl.session.reading import LogReader
from mewctl.session.writing import Writer

LINE = b'{"role":"user","content":"%d"}'


def lines(path):
    with open(path, "rb") as file:
        return file.read().splitlines()


def test_a_batch_is_there_with_its_revision(layout):
    written = Writer(layout).append([LINE % 1, LINE % 2])
    assert lines(layout.log) == [LINE % 1, LINE % 2]
    assert (written.records, written.size) == (2, 2 * len(LINE % 1) + 2)
    with LogReader(layout.log) as reader:
        assert reader.revision() == written.revision
    assert os.stat(layout.log).st_mode & 0o777 == 0o600


def test_a_torn_tail_is_ended_first(layout):
    with open(layout.log, "wb") as file:
        file.write(b'{"role":"us')
    Writer(layout).append([LINE % 1])
    assert lines(layout.log) == [b'{"role":"us', LINE % 1]


def test_a_snapshot_that_was_cut_short_is_removed(layout):
    writer = Writer(layout)
    writer.append([LINE % 1])
    with open(layout.log, "ab") as file:
        file.write(Marker(messages=3).line() + b"\n" + LINE % 2 + b'\n{"ro')
    writer.append([LINE % 3])
    assert lines(layout.log) == [LINE % 1, LINE % 3]


def test_a_whole_snapshot_stays(layout):
    writer = Writer(layout)
    snapshot = [Marker(messages=1).line(), LINE % 2]
    writer.append(snapshot)
    Writer(layout).append([LINE % 3])
    assert lines(layout.log) == [*snapshot, LINE % 3]


def test_another_revision_is_refused_and_nothing_written(layout):
    writer = Writer(layout)
    before = writer.append([LINE % 1])
    Writer(layout).append([LINE % 2])
    with pytest.raises(Locked, match="changed meanwhile"), writer.locked() as held:
        held.require(before.revision)
    assert lines(layout.log) == [LINE % 1, LINE % 2]


def test_a_session_that_is_gone_is_not_made_anew(layout, tmp_path):
    writer = Writer(layout)
    writer.append([LINE % 1])
    os.rename(layout.directory, tmp_path / "away")
    with pytest.raises(Locked, match="the session is gone"):
        writer.append([LINE % 2])
    assert not os.path.exists(layout.directory)
    assert lines(tmp_path / "away" / "conversation.jsonl") == [LINE % 1]


def test_a_log_with_a_second_name_is_refused(layout, tmp_path):
    Writer(layout).append([LINE % 1])
    os.link(layout.log, tmp_path / "other")
    with pytest.raises(Unsafe, match="second name"):
        Writer(layout).append([LINE % 2])
    assert lines(layout.log) == [LINE % 1]


def _write(layout, who, count):
    writer = Writer(layout, "none")
    for number in range(count):
        body = b"x" * (70_000 if number % 10 == 0 else 50)
        writer.append(
            [b'{"role":"user","content":"%d %d %s"}' % (who, number, body)] * 2
        )


@pytest.mark.parametrize("writers", [2, 8])
def test_writers_at_once_never_mix_their_batches(layout, writers):
    spawn = multiprocessing.get_context("fork")
    count = 160 // writers
    running = [
        spawn.Process(target=_write, args=(layout, who, count))
        for who in range(writers)
    ]
    for process in running:
        process.start()
    for process in running:
        process.join(60)
        assert process.exitcode == 0
    found = lines(layout.log)
    assert len(found) == 2 * count * writers
    assert found[::2] == found[1::2]  # each batch stands together
    heads = [line[: line.index(b" x") if b" x" in line else 60] for line in found[::2]]
    assert len(set(heads)) == count * writers


def test_a_log_that_was_written_anew_meanwhile_is_the_one_that_grows(layout):
    from mewctl.store.files import replace

    with Writer(layout) as writer:
        writer.append([LINE % 1])
        replace(layout.log, LINE % 7 + b"\n" + Marker(messages=2).line() + b"\n")
        writer.append([LINE % 2])
    assert lines(layout.log) == [LINE % 7, LINE % 2]


def test_two_open_writers_take_turns(layout):
    with Writer(layout) as one, Writer(layout) as other:
        for number in range(6):
            (one if number % 2 else other).append([LINE % number])
    assert lines(layout.log) == [LINE % number for number in range(6)]
