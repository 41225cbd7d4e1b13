"""Many decisions in one commit where nobody waits, and never too many in memory."""

from __future__ import annotations

import json
import os

import pytest
from spilling import FORMATS, Sink, gone, lines, reader, spill, step, user

from mewctl import limits
from mewctl.spill import bodies
from mewctl.spill.ledger import Ledger
from mewctl.spill.scan import scan
from mewctl.spill.spiller import Options, Spiller
from mewctl.spill.vault import Vault
from mewctl.spill.weave import Setting
from mewctl.streams.inputs import may_wait

BIG = "a line of output\n" * 5000


@pytest.fixture
def commits(monkeypatch):
    """How many decisions each commit had."""
    counts: list[int] = []
    real = Ledger.append

    def append(self, records):
        counts.append(sum("id" in record for record in records))
        real(self, records)

    monkeypatch.setattr(Ledger, "append", append)
    return counts


def run(read, place, waits) -> bytes:
    sink = Sink()
    spiller = Spiller(Vault(str(place)), Options(), lambda _: None)
    scan(read(sink), Setting(sink, spiller, lambda _: None, "test"), may_wait=waits)
    return sink.data


@pytest.mark.parametrize("form", FORMATS)
def test_a_file_costs_fewer_commits_and_gives_the_same(tmp_path, form, commits):
    steps = (r for n in range(40) for r in step(form, [(f"c{n}", BIG)]))
    data = lines(user(form, "hi"), *steps, user(form, "next"))
    place = tmp_path / "spill"
    waiting = spill(data, place, sizes=(len(BIG),)).data
    assert len(commits) >= 20
    commits.clear()
    for path in place.iterdir():
        path.unlink()
    small = reader(data, (len(BIG),))
    assert run(lambda _: small, place, lambda: False) == waiting
    assert sum(commits) == 40
    assert len(commits) <= 2 + len(data) // limits.SPILL_BATCH_BYTES


def held_back(blocks: list[bytes], place) -> tuple[bytes, list[int]]:
    """What comes out, and how many bytes were held back at each read."""
    held: list[int] = []
    given = 0

    def make(sink):
        def read(_size):
            nonlocal given
            held.append(given - sum(map(len, sink.pieces)))
            given += len(blocks[0]) if blocks else 0
            return blocks.pop(0) if blocks else b""

        return read

    return run(make, place, lambda: False), held


@pytest.mark.parametrize("form", FORMATS)
def test_a_decision_that_waits_does_not_hold_up_what_follows_for_long(tmp_path, form):
    block = lines(user(form, "x" * 900)) * 500
    blocks = [lines(*step(form, [("c", BIG)]), user(form, "next")), *[block] * 20]
    data, held = held_back(blocks, tmp_path / "spill")
    assert gone(data) == [True]
    assert max(held) <= limits.SPILL_BATCH_BYTES + len(BIG) + 2 * len(block)
    assert held[-1] < len(block)  # with no decision to come, nothing waits


@pytest.mark.parametrize("form", FORMATS)
def test_a_long_record_with_a_short_text_makes_nothing_wait(tmp_path, form):
    block = lines(user(form, "x" * 900)) * 100
    answers = step(form, [("c", "错" * 10_000)])
    escaped = b"".join(json.dumps(record).encode() + b"\n" for record in answers)
    blocks = [escaped + lines(user(form, "next")), *[block] * 5]
    data, held = held_back(blocks, tmp_path / "spill")
    assert gone(data) == [False]
    assert max(held) == 0


def test_what_may_wait_is_told(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"x")
    assert not may_wait(str(path))()
    os.mkfifo(tmp_path / "fifo")
    assert may_wait(str(tmp_path / "fifo"))()
    out, into = os.pipe()
    real = os.dup(0)
    os.dup2(out, 0)
    try:
        waits = may_wait("-")
        assert waits()
        os.write(into, b"x")
        assert not waits()
        os.read(out, 1)
        assert waits()
        os.close(into)
        assert not waits()  # the end is at hand as well
    finally:
        os.dup2(real, 0)
        os.close(real)
        os.close(out)


def test_old_results_are_written_many_at_a_time(tmp_path, monkeypatch):
    from mewctl.history.formats import load
    from mewctl.spill.whole import Whole
    from mewctl.streams.records import Record

    sizes: list[int] = []
    real = bodies.create_all

    def create_all(directory, files):
        sizes.append(len(files))
        return real(directory, files)

    monkeypatch.setattr(bodies, "create_all", create_all)
    old = "an old line\n" * 1000
    data = lines(
        *(r for n in range(60) for r in step("mew", [(f"c{n}", old + "x" * n)]))
    )
    records = [Record(line, n) for n, line in enumerate(data.splitlines(), 1)]
    spiller = Spiller(Vault(str(tmp_path / "spill")), Options(), lambda _: None)
    done = Whole(spiller, load("mew"), lambda _: None).by_age(records, 0, 1, len)
    assert len(done.ids) == 60
    assert sum(sizes) == 60
    assert len(sizes) == 1
