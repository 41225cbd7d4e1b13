"""Weighing a history for decisions: estimator, anchor, overhead, calibration. Pure.

Puts ``tokens`` to the use of a compaction: cautious numbers, usage from before the
boundary no anchor, and the unseen overhead in the size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mewctl.tokens.calibrate import bounded
from mewctl.tokens.estimator import NOTHING, Tokens
from mewctl.tokens.gauge import Gauge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mewctl.compact.survey import Survey
    from mewctl.history.view import Message
    from mewctl.tokens.calibrate import Anchor
    from mewctl.tokens.estimator import Estimator
    from mewctl.tokens.gauge import Freed


@dataclass(frozen=True, slots=True)
class Taken:
    """What previews took out of records, by the numbers of the records.

    ``since``: since they were last sent. ``perhaps``: since or before, which only
    usage can tell.
    """

    since: Freed = field(default_factory=dict)
    perhaps: Freed = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a history as the provider would see it, in tokens.

    ``tokens``: anchor and estimate, unseen overhead included. ``overhead``: the unseen
    part of it; ``unseen``: what a transcript's reader noted of the old agent's.
    ``ratio`` is real to estimated growth, by the history's own usage.
    """

    tokens: int
    overhead: int = 0
    unseen: int = 0
    ratio: float = 1.0


@dataclass(frozen=True, slots=True)
class Meter:
    """Cautious sizes of single things, corrected by ``ratio``."""

    estimator: Estimator
    ratio: float = 1.0

    def text(self, words: str) -> float:
        """The tokens of a text."""
        return self.estimator.tokens(words).cautious * self.ratio

    def message(self, message: Message) -> int:
        """The tokens of a message."""
        return math.ceil(self.estimator.count(message).tokens.cautious * self.ratio)


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

    def meter(self, ratio: float) -> Meter:
        """Sizes of single things, corrected by ``ratio``."""
        return Meter(self.estimator, ratio)

    def size(
        self, seen: Survey, sent: Sequence[Tokens], taken: Taken, known_overhead: int
    ) -> Size:
        """The size of a history; its records weighed ``sent`` when last sent.

        ``taken``: what was taken out of some since, or perhaps before.
        ``known_overhead``: what the last compaction knew of the unseen.
        """
        gauge = Gauge(self.anchor)
        unseen = 0
        for at, (entry, tokens) in enumerate(zip(seen.entries, sent, strict=True)):
            usage = entry.usage
            if usage is not None and usage.unseen:
                unseen = usage.unseen
                # an old agent's; it was never sent our summary
                usage = None if seen.boundary is not None else usage
            role = entry.role or "system"
            gauge.add(
                tokens,
                usage,
                role,
                continues=entry.continues,
                perhaps=taken.perhaps.get(at, NOTHING),
            )
            if at == seen.summary and seen.boundary is not None:
                placeholders = seen.body - at - 1
                gauge.ignore_usage(seen.boundary.tail + placeholders)
        overhead = self._overhead(gauge, known_overhead)
        base = Tokens(self.beside + overhead, self.beside + overhead)
        if self.ratio is None:
            found = gauge.context(taken.since, base)
        else:
            found = gauge.anew(taken.since, base, self.ratio)
        return Size(found.cautious, overhead, unseen, found.ratio)

    def _overhead(self, gauge: Gauge, known: int) -> int:
        if self.overhead is not None:
            return self.overhead
        found = gauge.unseen(self.beside)
        return known if found is None else found

    def anew(self) -> Weights:
        """The same without anchor or calibration: every message is estimated."""
        return replace(self, anchor=None, ratio=1.0)

    def calibrated(self, size: Size, actual: int) -> Weights:
        """Weights by which what weighed ``size`` by these weighs ``actual`` tokens.

        An estimate is off by so much at most; what is more is unseen overhead.
        """
        base = self.beside + size.overhead
        estimate = max(1.0, (size.tokens - base) / (self.ratio or 1.0))
        ratio = bounded((actual - base) / estimate)
        rest = max(0, actual - base - math.ceil(estimate * ratio))
        return replace(self, anchor=None, ratio=ratio, overhead=size.overhead + rest)
