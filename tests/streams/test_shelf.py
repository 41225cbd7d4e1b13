"""What waits in memory comes back as it was put there, and costs little more."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl import limits
from mewctl.streams.records import Record
from mewctl.streams.shelf import Shelf, ended, in_blocks

RAW = st.binary(min_size=1, max_size=30)


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    monkeypatch.setattr(limits, "SHELF_BLOCK", 64)


@given(st.lists(st.builds(Record, RAW, st.integers(0, 2**40), st.integers(0, 2**40))))
def test_records_come_back_as_they_were_put_there(records):
    shelf = Shelf(records)
    assert len(shelf) == len(records)
    assert list(shelf) == records
    assert [shelf[at] for at in range(len(records))] == records
    assert shelf[1:-1] == records[1:-1]
    assert shelf[:0:-2] == records[:0:-2]
    assert list(shelf.drain()) == records


def test_places_that_are_not_there_are_an_index_error():
    shelf = Shelf([Record(b"a", 1, 2)])
    assert shelf[-1] == Record(b"a", 1, 2)
    for at in (1, -2):
        with pytest.raises(IndexError):
            shelf[at]


def test_a_record_larger_than_a_block_is_not_copied():
    large = b"x" * 1000
    shelf = Shelf([Record(b"a"), Record(large), Record(b"b")])
    assert shelf[1].raw is large


def test_short_records_cost_their_bytes_and_24_more(monkeypatch):
    monkeypatch.setattr(limits, "SHELF_BLOCK", 256 * 1024)
    tracemalloc.start()
    shelf = Shelf(Record(b"%030d" % n, n, 31 * n) for n in range(100_000))
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(shelf) == 100_000
    assert used < 100_000 * (30 + 24) * 1.25 + 2 * limits.SHELF_BLOCK + 100_000


def test_what_was_drained_is_not_held_any_more():
    shelf = Shelf(Record(b"x" * 60) for _ in range(50))
    assert sum(len(record.raw) for record in shelf.drain()) == 3000
    assert shelf[0].raw == b""


@given(st.lists(st.binary(max_size=200)))
def test_blocks_hold_all_pieces_in_order(pieces):
    blocks = in_blocks(iter(pieces))
    assert b"".join(blocks) == b"".join(pieces)
    assert all(len(block) >= 64 for block in blocks[:-1])
    assert b"".join(ended(pieces)) == b"".join(piece + b"\n" for piece in pieces)


def test_nothing_makes_no_block():
    assert in_blocks(()) == []
