"""Signals that ask us to stop: they wait for what must be whole, then end the run.

Owns SIGINT, SIGTERM and SIGHUP; must not know what is being written.
"""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_SHELL = 128  # a shell shows a death by signal N as 128 + N
_THIRD = 3  # of the signals that ask to stop: it kills wherever we are


class Stopped(KeyboardInterrupt):
    """A signal asked us to stop; ``exit_code`` is what a shell would show for it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = _SHELL + number


class Interrupts:
    """Stops wait while a block of ours is entered; otherwise they act at once.

    The first ends the run in good order. A second kills if we may be waiting for a
    reader; otherwise we are tidying up, and it changes nothing. A third always kills.
    """

    def __init__(self) -> None:
        self.depth = 0  # blocks that are entered
        self.for_reader = 0  # ... of those that may wait for a reader
        self._asked = 0  # how often
        self._waiting = 0  # the signal that waits for the end of a block

    def handle(self, number: int, _frame: FrameType | None) -> None:
        """Act on the signal ``number``. Raises ``Stopped``."""
        self._asked += 1
        if self._asked == 1:
            self._waiting = number
            self.act()
        elif self.for_reader or self._asked >= _THIRD:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    def act(self) -> None:
        """Stop now if that was asked for and no block is entered any more."""
        if self._waiting and not self.depth:
            number, self._waiting = self._waiting, 0
            raise Stopped(number)


class Block:
    """A context whose end a stop waits for; ``for_reader``: a reader may delay it."""

    def __init__(self, interrupts: Interrupts, *, for_reader: bool) -> None:
        self._interrupts = interrupts
        self._for_reader = for_reader

    def __enter__(self) -> None:
        self._interrupts.depth += 1
        self._interrupts.for_reader += self._for_reader

    def __exit__(self, *_: object) -> None:
        self._interrupts.depth -= 1
        self._interrupts.for_reader -= self._for_reader
        self._interrupts.act()


_interrupts = Interrupts()
#: Enter it to write a record: half of one would be bad input for the next program.
whole_record = Block(_interrupts, for_reader=True)
#: Enter it between making a file and being sure that it gets its name or goes away.
whole_file = Block(_interrupts, for_reader=False)


def guard_interrupts() -> None:
    """Let Ctrl-C, SIGTERM and SIGHUP end us in good order; what is ignored stays so."""
    for number in STOPS:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _interrupts.handle)
