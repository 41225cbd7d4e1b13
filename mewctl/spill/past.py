"""What of a stream is behind us, as far as it may be asked for again. Pure.

Counts bytes and lines, and holds the beginning of the stream (to tell the user's
language) and its newest piece (to find the calls of a result). Bounded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.history.view import Text
from mewctl.spill.unit import Unit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mewctl.history.formats import Format
    from mewctl.history.view import Call


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
        self._newest = (b"", 0, 0)

    @property
    def lines(self) -> int:
        """How many lines went by."""
        if self._recount is not None and self._counted < self.offset:
            self._lines += self._recount(self._counted, self.offset)
            self._counted = self.offset
        return self._lines

    def add(self, data: bytes, start: int, end: int) -> None:
        """Take in a piece: the whole lines ``data[start:end]``."""
        if self.offset < limits.LANG_SAMPLE:
            self._sample.append(data[start:end])
        self.offset += end - start
        if self._recount is None:
            self._lines += data.count(b"\n", start, end)
        if not data[start : start + 1].isspace() or not data[start:end].isspace():
            self._newest = data, start, end

    def mark(self) -> Mark:
        """Here: what can be asked later about what came before."""
        data, start, end = self._newest
        return Mark(self.offset, self._sample, data, start, end)


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a stream, and what is held of what came before it."""

    offset: int
    sample: Sequence[bytes]
    data: bytes
    start: int
    end: int

    def calls(self, form: Format) -> Mapping[str, Call]:
        """The calls in the record right before, by id; none if it cannot be read."""
        unit = _unit(_last_line(self.data, self.start, self.end), form)
        return {call.id: call for call in unit.message.calls} if unit else {}

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


def _last_line(data: bytes, start: int, end: int) -> bytes:
    """The last line of ``data[start:end]`` that is not blank."""
    while True:
        begin = max(start, data.rfind(b"\n", start, end - 1) + 1)
        line = data[begin:end]
        if begin == start or not line.isspace():
            return line
        end = begin


def _unit(line: bytes, form: Format) -> Unit | None:
    try:
        return Unit(line, form)
    except ValueError:
        return None
