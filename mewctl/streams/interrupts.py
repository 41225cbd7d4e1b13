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
    """Stops wait while a block is entered; otherwise they raise ``Stopped`` at once.

    The first ends the run in good order. A second kills if a block is entered, for that
    may be waiting for a reader; otherwise we are tidying up, and it changes nothing. A
    third always kills.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._asked = 0  # how often
        self._waiting = 0  # the signal that waits for the end of a block

    def handle(self, number: int, _frame: FrameType | None) -> None:
        """Act on the signal ``number``."""
        self._asked += 1
        if self._asked == 1:
            if not self._depth:
                raise Stopped(number)
            self._waiting = number
        elif self._depth or self._asked >= _THIRD:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    def __enter__(self) -> None:
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if self._waiting and not self._depth:
            number, self._waiting = self._waiting, 0
            raise Stopped(number)


#: Enter it for what must not be left half done: one record, one file with its name.
uninterrupted = Interrupts()


def guard_interrupts() -> None:
    """Let Ctrl-C, SIGTERM and SIGHUP end us in good order; what is ignored stays so."""
    for number in STOPS:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, uninterrupted.handle)
