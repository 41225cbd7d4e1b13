"""Records that are held back until it is known what they are part of. Pure.

Many short lines as so many objects would take ten times the room of their bytes. So the
bytes stand in one buffer, with a note only where a line is not where it is expected.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from mewctl.streams.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterator

_NOTE = 24  # bytes of a note: three numbers


class Held:
    """Records in the order they came, as the lines of a document that they may be."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._notes = array("Q")  # position in the buffer, line, offset; ...
        self._next = (0, 0)  # line and offset at which the next record is expected
        self._end = 1  # bytes of a line end, as seen last
        self._last = b""  # the newest record

    @property
    def size(self) -> int:
        """About how many bytes of memory it takes."""
        return len(self._bytes) + _NOTE * (len(self._notes) // 3)

    def add(self, record: Record) -> None:
        """Hold one more."""
        self._last = record.raw
        at = record.line, record.offset
        if at != self._next:
            self._end = 1 + (at == (self._next[0], self._next[1] + 1))
            self._notes.extend((len(self._bytes), *at))
        self._bytes += record.raw
        self._bytes += b"\n"
        size = len(record.raw) + self._end
        self._next = record.line + 1, record.offset + size

    def parts_from(self, record: Record) -> bool:
        """Whether ``record`` cannot be of the same JSON value as what is held.

        Between the end of an object and the beginning of another stands a comma.
        """
        opens = record.raw.lstrip().startswith((b"{", b"["))
        return opens and self._last.rstrip().endswith((b"}", b"]"))

    def may_be_whole(self) -> bool:
        """Whether what is held ends as it begins: with a bracket of one kind."""
        begins = bytes(self._bytes[:1])
        return begins + self._last.rstrip()[-1:] in (b"[]", b"{}")

    def text(self) -> bytes:
        """All of it, a line each."""
        return bytes(memoryview(self._bytes)[:-1])

    def records(self) -> Iterator[Record]:
        """The records as they came."""
        notes = iter(zip(*[iter(self._notes)] * 3, strict=True))
        note = next(notes, None)
        line = offset = at = 0
        end = 1
        while at < len(self._bytes):
            if note is not None and note[0] == at:
                end = 1 + ((note[1], note[2]) == (line, offset + 1))
                line, offset = note[1], note[2]
                note = next(notes, None)
            stop = self._bytes.index(b"\n", at)
            yield Record(bytes(self._bytes[at:stop]), line, offset)
            line, offset = line + 1, offset + stop - at + end
            at = stop + 1
