"""A limit on the time that a user's regular expression may take for one line.

Some patterns take longer than anybody lives. Python's engine cannot be given a limit,
but it lets signals in.
"""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator


class Watched:
    """A compiled pattern that counts its searches."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._pattern = pattern
        self.searches = 0
        self.busy = False

    def search(self, text: str) -> re.Match[str] | None:
        """The first match in ``text``."""
        self.searches += 1
        self.busy = True
        found = self._pattern.search(text)
        self.busy = False
        return found


@contextmanager
def watched(pattern: re.Pattern[str], seconds: float) -> Iterator[Watched]:
    """``pattern``, given up on when one search takes ``seconds``, or twice that.

    Raises ``click.UsageError`` then. For the main thread alone.
    """
    made = Watched(pattern)
    seen = 0

    def tick(_number: int, _frame: object) -> None:
        nonlocal seen
        if made.busy and made.searches == seen:
            raise click.UsageError(
                f"{pattern.pattern}: no answer for one line within {seconds:g} s;"
                " give a simpler pattern"
            )
        seen = made.searches

    before = signal.signal(signal.SIGALRM, tick)
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
    try:
        yield made
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
