"""What of a stream is behind us, as far as it may be asked for again. Pure.

Counts bytes and lines, and holds the beginning of the stream (to tell the user's
language) and its newest pieces (to find the calls of a result). Bounded.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from mewctl import limits
from mewctl.history.view import Text
from mewctl.spill.unit import Unit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mewctl.history.formats import Format
    from mewctl.history.view import Call, Message

#: Whole lines: data, start and end.
_Piece: TypeAlias = tuple[bytes, int, int]


class Past:
    """The pieces of a stream that went by, in order.

    ``recount``: counts the line ends in a part of the stream, from its start to its
    end in bytes, where it can be read again; without it lines are counted as they go
    by, which costs time.
    """

    def __init__(self, recount: Callable[[int, int], int] | None = None) -> None:
        self.offset = 0  # bytes
        self._recount = recount
        self._counted = 0  # bytes whose lines ``_lines`` has
        self._lines = 0
        self._sample: list[bytes] = []
        self._newest: deque[_Piece] = deque()
        self._held = 0  # bytes of the newest pieces

    @property
    def lines(self) -> int:
        """How many lines went by."""
        if self._recount is not None and self._counted < self.offset:
            self._lines += self._recount(self._counted, self.offset)
            self._counted = self.offset
        return self._lines

    def add(self, data: bytes, start: int, end: int) -> None:
        """Take in a piece: the whole lines ``data[start:end]``."""
        missing = limits.LANG_SAMPLE - self.offset
        if missing > 0:
            self._sample.append(data[start : min(end, start + missing)])
        self.offset += end - start
        if self._recount is None:
            self._lines += data.count(b"\n", start, end)
        self._newest.append((data, start, end))
        self._held += end - start
        while self._held - _size(self._newest[0]) >= limits.LOOK_BACK:
            self._held -= _size(self._newest.popleft())

    def mark(self) -> Mark:
        """Here: what can be asked later about what came before."""
        return Mark(self.offset, self._sample, tuple(self._newest))


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a stream, and what is held of what came before it."""

    offset: int
    sample: Sequence[bytes]
    newest: Sequence[_Piece] = ()

    def calls(self, form: Format) -> Mapping[str, Call]:
        """The calls of the message right before, by id; none if it cannot be read.

        A message of several records is read as far as ``limits.LOOK_BACK`` reaches.
        """
        calls: dict[str, Call] = {}
        after: Message | None = None
        for line, distance in _lines_back(self.newest):
            unit = _unit(line, form)
            if unit is None or not (after is None or after.continues(unit.message)):
                break
            after = unit.message
            calls = {call.id: call for call in after.calls} | calls
            if not after.item or distance >= limits.LOOK_BACK:
                break
        return calls

    def said(self, form: Format) -> list[str]:
        """Texts of the user from the stream's beginning, as far as it is held.

        They depend on the place alone, not on how the stream arrived.
        """
        most = min(self.offset, limits.LANG_SAMPLE)
        texts: list[str] = []
        for line in b"".join(self.sample)[:most].split(b"\n"):
            unit = _unit(line, form)
            if unit and unit.message.role == "user" and not unit.message.injected:
                texts += [p.text for p in unit.message.parts if isinstance(p, Text)]
        return texts


def _size(piece: _Piece) -> int:
    return piece[2] - piece[1]


def _lines_back(pieces: Sequence[_Piece]) -> Iterator[tuple[bytes, int]]:
    """The lines that are not blank, newest first, and how far back they begin."""
    distance = 0
    for data, start, end in reversed(pieces):
        stop = end
        while stop > start:
            begin = max(start, data.rfind(b"\n", start, stop - 1) + 1)
            line = data[begin:stop]
            distance += stop - begin
            stop = begin
            if not line.isspace():
                yield line, distance


def _unit(line: bytes, form: Format) -> Unit | None:
    try:
        return Unit(line, form)
    except ValueError:
        return None
