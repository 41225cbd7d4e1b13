"""Facts collected while a history is read, so that its records are viewed once. Pure.

Where a compaction will cut is not known then, but it is near the end: the newest
messages are held back, and all before them are collected. Must give no other facts than
a collector that is fed afterwards; where it cannot know, it gives none.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.history.collect import Collector
from mewctl.history.formats.blocks import is_unknown

if TYPE_CHECKING:
    from mewctl.history.view import Message


class Ahead:
    """Fed with the messages of a history, in order. ``end``: records up to which.

    ``held``: bytes of records that are held back.
    """

    def __init__(self, held: int = limits.COLLECT_HELD) -> None:
        self.end = 0
        self._body = -1  # the first record that is no system text at the front
        self._most = held
        self._size = 0
        self._held: deque[tuple[Message, int]] = deque()
        self._collector: Collector | None = Collector()

    def add(self, message: Message, size: int) -> None:
        """Take the next message, whose record has ``size`` bytes."""
        if self._body < 0:
            if message.role == "system" and not (message.marker or is_unknown(message)):
                self.end += 1
                return
            self._body = self.end
        self._held.append((message, size))
        self._size += size
        if self._size > 2 * self._most and self._collector is not None:
            self._collect(self._collector)

    def _collect(self, collector: Collector) -> None:
        """Collect what is before the newest messages.

        Many at a time: reading and collecting by turns, message by message, is slower.
        """
        while self._size > self._most:
            message, size = self._held.popleft()
            self._size -= size
            collector.add(message)
            self.end += 1

    def collector(self, body: int, tail: int) -> Collector | None:
        """The collector of the records from ``body`` to ``end``, to be fed on.

        None if it saw others (a summary stands before ``body``, whose facts it has not)
        or some behind ``tail``. Can be had once: what is added then is in it for good.
        """
        if self._body != body or self.end > tail:
            return None
        found, self._collector = self._collector, None
        return found
