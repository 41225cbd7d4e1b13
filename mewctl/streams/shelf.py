"""What waits in memory: records and lines, their bytes once, in blocks.

A ``Record`` is four objects, which for short lines is many times the line; here it
costs 24 bytes for its place beside its bytes. Must not parse anything.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

from mewctl import limits
from mewctl.streams.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Shelf(Sequence[Record]):
    """Records in the order they were put there; each is made anew when asked for."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self._blocks: list[bytes] = []
        self._firsts: list[int] = []  # of each block, which record it begins with
        self._open: list[bytes] = []  # the last records, not yet in a block
        self._open_size = 0
        self._sealed = 0  # records that are in blocks
        self._ends = array("Q", (0,))  # where records end in the bytes of all of them
        self._lines = array("Q")
        self._offsets = array("Q")
        for record in records:
            self.put(record)

    def put(self, record: Record) -> None:
        """One more record."""
        size = len(record.raw)
        if self._open_size + size > limits.SHELF_BLOCK:
            self._seal()
        self._open.append(record.raw)
        self._open_size += size
        self._ends.append(self._ends[-1] + size)
        self._lines.append(record.line)
        self._offsets.append(record.offset)

    def _seal(self) -> None:
        if self._open:
            self._firsts.append(self._sealed)
            self._blocks.append(b"".join(self._open))  # one alone is not copied
            self._sealed += len(self._open)
            self._open, self._open_size = [], 0

    def __len__(self) -> int:
        return len(self._lines)

    @overload
    def __getitem__(self, at: int) -> Record: ...

    @overload
    def __getitem__(self, at: slice) -> list[Record]: ...

    def __getitem__(self, at: int | slice) -> Record | list[Record]:
        if isinstance(at, slice):
            return [self[place] for place in range(*at.indices(len(self)))]
        place = range(len(self))[at]
        if place >= self._sealed:
            return self._record(place, self._open[place - self._sealed])
        number = bisect_right(self._firsts, place) - 1
        return self._record(place, self._cut(number, place))

    def __iter__(self) -> Iterator[Record]:
        for number, first in enumerate(self._firsts):
            yield from self._of_block(number, first)
        for place in range(self._sealed, len(self)):
            yield self[place]

    def drain(self) -> Iterator[Record]:
        """The records, for the last time: what was given is not held any more."""
        for number, first in enumerate(self._firsts):
            yield from self._of_block(number, first)
            self._blocks[number] = b""
        for place in range(self._sealed, len(self)):
            yield self[place]

    def _of_block(self, number: int, first: int) -> Iterator[Record]:
        later = self._firsts[number + 1 : number + 2]
        for place in range(first, later[0] if later else self._sealed):
            yield self._record(place, self._cut(number, place))

    def _cut(self, number: int, place: int) -> bytes:
        base = self._ends[self._firsts[number]]
        return self._blocks[number][
            self._ends[place] - base : self._ends[place + 1] - base
        ]

    def _record(self, place: int, raw: bytes) -> Record:
        return Record(raw, self._lines[place], self._offsets[place])


def ended(lines: Iterable[bytes]) -> Iterator[bytes]:
    """``lines``, each followed by its line end."""
    for line in lines:
        yield line
        yield b"\n"


def in_blocks(pieces: Iterable[bytes]) -> list[bytes]:
    """``pieces`` one after the other, held in blocks; none for nothing."""
    blocks: list[bytes] = []
    held: list[bytes] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= limits.SHELF_BLOCK:
            blocks.append(b"".join(held))
            held, size = [], 0
    if held:
        blocks.append(b"".join(held))
    return blocks
