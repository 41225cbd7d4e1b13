r"""Cutting a byte stream into runs of short lines and single long ones. Pure.

A short line cannot hold enough text to matter: each byte of text takes a byte of JSON
or more. So a run of short lines is found by one search for its last line end, and its
lines are never looked at. Splits on ``\n`` only. Must not parse anything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from mewctl import limits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mewctl.streams.records import Read

#: ``run``: whole short lines. ``long``: one whole long line. ``rest``: a last line
#: without an end. ``pause``: all that has arrived was given; the next read may wait.
#: ``bad`` (never given here): a line that is known to be no record.
Kind: TypeAlias = Literal["run", "long", "rest", "pause", "bad"]
#: Kind, data, start and end: a piece is a part of the data, so that none is copied.
Piece: TypeAlias = tuple[Kind, bytes, int, int]

PAUSE: Piece = ("pause", b"", 0, 0)
_BLANK = re.compile(rb"\s*\n")


class TooLong(Exception):
    """The line after all that was given is longer than it may be."""


@dataclass(slots=True)
class Cutter:
    """Cuts the stream of ``read`` into pieces.

    ``short``: the longest line, in bytes, that counts as short; it may be changed
    between two pieces. ``most``: the longest line there may be.
    """

    read: Read
    short: int = 0
    most: int = limits.MAX_RECORD

    def pieces(self) -> Iterator[Piece]:
        """The stream in pieces; joined they are the very bytes of it.

        Raises ``TooLong`` for a line of more than ``most`` bytes.
        """
        held: list[bytes] = []  # a line whose end has not arrived
        size = 0
        while block := self.read(limits.SPILL_BLOCK):
            at = 0
            if held:
                at = block.find(b"\n") + 1
                self._guard(size + (at or len(block)))
                if not at:
                    held.append(block)
                    size += len(block)
                    yield PAUSE
                    continue
                line = b"".join((*held, block[:at]))
                held = []
                kind: Kind = "run" if len(line) - 1 <= self.short else "long"
                yield kind, line, 0, len(line)
            for piece in self._cut(block, at):
                yield piece
                at = piece[3]
            if at < len(block):
                held = [block[at:]]
                size = len(block) - at
                self._guard(size)
            yield PAUSE
        if held:
            rest = b"".join(held)
            yield "rest", rest, 0, len(rest)

    def _cut(self, block: bytes, at: int) -> Iterator[Piece]:
        """The whole lines of ``block`` from ``at`` on."""
        start = at
        while True:
            if not self.short and (blank := _BLANK.match(block, at)):
                at = blank.end()  # one by one they would be as slow as records
            reach = self.short + 1
            end = block.rfind(b"\n", at, at + reach) + 1
            if end:
                at = end
                continue
            end = block.find(b"\n", at + reach) + 1
            if at > start:
                yield "run", block, start, at
                start = at
            if not end:
                return
            self._guard(end - at)
            yield "long", block, at, end
            start = at = end

    def _guard(self, size: int) -> None:
        if size > self.most:
            raise TooLong
