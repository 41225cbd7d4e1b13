"""How far a long read or a model's answer is, for people at a terminal, on stderr.

Off until a command that may show it says so. Nothing is drawn in the first half second,
and what is drawn goes away: at the end of the input, and before anything else is said.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Self

from mewctl import limits
from mewctl.streams.printable import cell

if TYPE_CHECKING:
    from threading import Event, Thread
    from types import TracebackType

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
        from rich.filesize import decimal

        size = (
            decimal(done) if total is None else f"{decimal(done)} of {decimal(total)}"
        )
        self.show(name, size, f"{decimal(round(done / seconds))}/s")

    def show(self, name: str, amount: str, rate: str) -> None:
        """Show one line: what is going on, how much came, and how quickly."""
        from rich.console import Console
        from rich.text import Text

        line = Text.assemble(
            cell(name, limits.PROGRESS_NAME),
            "  ",
            (amount, "green"),
            "  ",
            (rate, "cyan"),
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


class Answer:
    """An answer that is waited for: the time that has passed, and how much of it came.

    A context manager; a thread of its own draws while the others wait.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._letters = 0
        self._over: Event | None = None
        self._thread: Thread | None = None

    def __enter__(self) -> Self:
        if _screen.on:
            import threading

            self._over = threading.Event()
            self._thread = threading.Thread(
                target=self._draw, args=(self._over,), daemon=True
            )
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._over is not None and self._thread is not None:
            self._over.set()
            self._thread.join()
            _screen.clear()

    def heard(self, text: str) -> None:
        """Count a piece of it."""
        self._letters += len(text)

    def _draw(self, over: Event) -> None:
        began = time.monotonic()
        pause = limits.PROGRESS_AFTER
        while not over.wait(pause):
            tokens = self._letters // limits.LETTERS_PER_TOKEN
            passed = time.monotonic() - began
            _screen.show(self._name, f"about {tokens} tokens", f"{passed:.0f} s")
            pause = limits.PROGRESS_EVERY
