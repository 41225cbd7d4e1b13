"""How far a long read is, for people at a terminal: bytes and rate, on stderr.

Off until a command that may show it says so. Nothing is drawn in the first half second,
and what is drawn goes away: at the end of the input, and before anything else is said.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.streams.printable import cell

if TYPE_CHECKING:
    from mewctl.streams.records import Read

_ERASE = "\r\x1b[2K"


class _Screen:
    """The one line of progress that a terminal can have."""

    def __init__(self) -> None:
        self.on = False
        self.color = False
        self._drawn = False

    def draw(self, name: str, done: int, total: int | None, seconds: float) -> None:
        """Show that ``done`` bytes of ``total`` came in so many ``seconds``."""
        from rich.console import Console
        from rich.filesize import decimal
        from rich.text import Text

        size = (
            decimal(done) if total is None else f"{decimal(done)} of {decimal(total)}"
        )
        line = Text.assemble(
            cell(name, limits.PROGRESS_NAME),
            "  ",
            (size, "green"),
            "  ",
            (f"{decimal(round(done / seconds))}/s", "cyan"),
        )
        self.clear()
        console = Console(file=sys.stderr, force_terminal=True, no_color=not self.color)
        console.print(line, end="", no_wrap=True, overflow="crop")
        self._drawn = True

    def clear(self) -> None:
        """Take the line away; the next draw brings it back."""
        if self._drawn:
            self._drawn = False
            sys.stderr.write(_ERASE)
            sys.stderr.flush()


_screen = _Screen()


def enable(*, color: bool) -> None:
    """Show progress from now on. Standard error must be a terminal."""
    _screen.on = True
    _screen.color = color


def clear() -> None:
    """Make room for other words on the terminal."""
    _screen.clear()


def metered(read: Read, name: str, total: int | None) -> Read:
    """``read``, with its progress shown; ``total`` in bytes where that is known."""
    if not _screen.on:
        return read
    began = last = time.monotonic()
    done = 0

    def metering(size: int) -> bytes:
        nonlocal done, last
        block = read(size)
        done += len(block)
        now = time.monotonic()
        if not block:
            _screen.clear()
        elif now - began > limits.PROGRESS_AFTER and now - last > limits.PROGRESS_EVERY:
            last = now
            _screen.draw(name, done, total, now - began)
        return block

    return metering
