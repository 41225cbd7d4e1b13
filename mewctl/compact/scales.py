"""Weighing a history for decisions: estimator, anchor, overhead, calibration. Pure.

Puts ``tokens`` to the use of a compaction: cautious numbers, usage from before the
boundary no anchor, and the unseen overhead in the size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mewctl.compact.options import Meter, Size
from mewctl.tokens.estimator import Estimator, Tokens
from mewctl.tokens.gauge import Gauge

if TYPE_CHECKING:
    from mewctl.history.view import Message
    from mewctl.tokens.calibrate import Anchor


@dataclass(frozen=True, slots=True)
class Weights:
    """How to weigh histories of one model.

    ``beside``: tokens that every request has besides history and unseen overhead (the
    sizes of ``--system`` and ``--tools``). ``overhead``: the unseen overhead, None for
    what the first usage shows. ``ratio``: real to estimated, None for what usages
    teach; with it no anchor counts.
    """

    estimator: Estimator
    anchor: Anchor | None = None
    beside: int = 0
    overhead: int | None = None
    ratio: float | None = None

    def scale(self) -> Scale:
        """A scale for one history."""
        return Scale(self)

    def meter(self, ratio: float) -> Meter:
        """Cautious sizes of single things, corrected by ``ratio``."""
        estimator = self.estimator

        def text(words: str) -> float:
            return estimator.tokens(words).cautious * ratio

        def message(view: Message) -> int:
            return math.ceil(estimator.count(view).tokens.cautious * ratio)

        return Meter(text, message)

    def anew(self, size: Size) -> Weights:
        """The same without any anchor, with ``size``'s ratio and overhead for good."""
        return replace(self, anchor=None, overhead=size.overhead, ratio=size.ratio)

    def scaled(self, factor: float) -> Weights:
        """The same without any anchor, every estimate times ``factor``."""
        return replace(self, anchor=None, ratio=factor)


class Scale:
    """Weighs one history, message by message."""

    def __init__(self, by: Weights) -> None:
        self._by = by
        self._gauge = Gauge(by.anchor)
        self._unseen = 0

    def kept(self, assistants: int) -> None:
        """The next so many assistant messages were there before the boundary."""
        self._gauge.ignore_usage(assistants)

    def add(self, message: Message, *, aside: bool = False) -> int:
        """The cautious tokens of the next message; ``aside``: it is our own."""
        tokens = self._by.estimator.count(message).tokens
        usage = None if aside else message.usage
        self._gauge.add(tokens, usage, "user" if aside else message.role)
        if message.usage is not None:
            self._unseen = message.usage.unseen or self._unseen
        return math.ceil(tokens.cautious)

    def size(self, kept_overhead: int) -> Size:
        """The size of all. ``kept_overhead`` is what the last compaction knew of it."""
        by, gauge = self._by, self._gauge
        overhead = by.overhead
        if overhead is None:
            overhead = gauge.unseen(by.beside)
        if overhead is None:
            overhead = kept_overhead
        known = Tokens(by.beside + overhead, by.beside + overhead)
        if by.ratio is None:
            found = gauge.context(overhead=known)
        else:
            found = gauge.anew(overhead=known, ratio=by.ratio)
        return Size(found.cautious, overhead, self._unseen, found.ratio)
