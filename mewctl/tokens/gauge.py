"""The size of a context while its messages go by: anchor, and estimate of what follows.

Constant memory and time for each message. Owns how an anchor, the calibration and the
estimate are put together; must not know what a message costs (``estimator`` does) or
what the size is compared with.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mewctl.tokens.calibrate import Anchor, Growth, bounded, reading
from mewctl.tokens.estimator import NOTHING, Tokens, added

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mewctl.history.view import Message, Usage
    from mewctl.tokens.estimator import Estimator, MessageTokens, PartTokens

#: Position of a message (from 0) -> tokens taken out of it since it was last sent.
Freed = Mapping[int, Tokens]


@dataclass(frozen=True, slots=True)
class ContextEstimate:
    """The size of a context. ``tokens`` to show, ``cautious`` to decide limits with.

    ``estimated``: how many messages are no part of the anchor. ``ratio``: what their
    estimate was multiplied by, learned from ``pairs`` stretches between usages.
    """

    tokens: int
    cautious: int
    estimated: int
    ratio: float = 1.0
    pairs: int = 0
    anchor: Anchor | None = None

    @property
    def method(self) -> str:
        """How the number came about, in words."""
        words = f"estimate of {_messages(self.estimated)}"
        if self.anchor is not None:
            counted = (
                "the usage of" if self.anchor.source == "usage" else "the anchor of"
            )
            words = f"{counted} {_messages(self.anchor.messages)}, {words}"
        if self.ratio != 1.0:
            words += f", corrected by {self.ratio:.2f}"
        return words


def _messages(count: int) -> str:
    return f"{count} message" if count == 1 else f"{count} messages"


class Gauge:
    """Adds up messages in order, each as the provider saw it when it was last sent.

    ``anchor``: one that the user gave. It counts once so many messages have gone by,
    and until a later usage. ``not_before``: usage of messages before this position
    (from 0) is no anchor, because a compaction happened after it was reported.
    """

    __slots__ = (
        "_at",
        "_bodies",
        "_counted",
        "_first",
        "_given",
        "_growth",
        "_ignored",
        "_ignoring",
        "_not_before",
        "_perhaps",
        "anchor",
        "messages",
        "total",
    )

    def __init__(self, anchor: Anchor | None = None, not_before: int = 0) -> None:
        self.messages = 0  # gone by, markers too
        self.total = NOTHING  # the estimate of them all
        self.anchor: Anchor | None = None
        self._given = anchor
        self._not_before = not_before
        self._ignored = 0  # coming usages that are no anchor
        self._ignoring = False  # the usage of the last assistant message was none
        self._growth = Growth()
        self._at = NOTHING  # the estimate of all messages through the anchor
        self._perhaps = NOTHING  # since the anchor, in bodies that may have been sent
        self._bodies = NOTHING  # in bodies that were sent, as far as usage tells
        self._counted = 0.0  # what they cost of the anchor's tokens
        self._first: tuple[int, float] | None = None  # first usage, estimate through it
        if anchor is not None and anchor.messages == 0:
            self._take(anchor)

    def ignore_usage(self, assistants: int) -> None:
        """The next ``assistants`` assistant messages' usage is no anchor.

        For a boundary tag met on the way: its tail's usage predates the compaction.
        """
        self._ignored = assistants

    def add(
        self,
        tokens: Tokens,
        usage: Usage | None = None,
        role: str = "assistant",
        *,
        continues: bool = False,
        perhaps: Tokens = NOTHING,
    ) -> None:
        """The next message: what it costs, and the usage that came with it.

        ``continues``: it is more of the assistant's message before it. ``perhaps``:
        what a preview in it stands for, which may have been sent in its place. The
        next usage tells: it is nearer to the one estimate or to the other. A first
        usage cannot tell, for what is unseen is in it, too.
        """
        position = self.messages
        self.messages += 1
        self.total += tokens
        if perhaps is not NOTHING:
            self._perhaps += perhaps
        ignored = position < self._not_before
        if role == "assistant":
            if not continues:
                self._ignoring = self._ignored > 0
                self._ignored -= self._ignoring
            ignored = ignored or self._ignoring
        context = 0 if ignored else reading(usage)
        if context:
            if self._first is None:
                self._first = context, self.total.shown
            self._take(Anchor(context, self.messages))
        if self._given is not None and self._given.messages == self.messages:
            self._take(self._given)

    def _take(self, anchor: Anchor) -> None:
        if self.anchor is not None:
            real = anchor.tokens - self.anchor.tokens
            self._tell_previews(real)
            self._growth.add(real, self.total.shown - self._at.shown)
        self.anchor = anchor
        self._at = self.total
        self._perhaps = NOTHING

    def _tell_previews(self, real: int) -> None:
        """Whether the growth since the anchor, in tokens, is that of the bodies."""
        ratio = self._growth.ratio
        grown = ratio * (self.total.shown - self._at.shown)
        bodies = ratio * self._perhaps.shown
        if abs(real - grown - bodies) < abs(real - grown):
            self.total += self._perhaps
            self._bodies += self._perhaps
            self._counted += min(bodies, real - grown)

    def context(
        self, freed: Freed | None = None, overhead: Tokens = NOTHING
    ) -> ContextEstimate:
        """The size now. ``overhead`` (system text, tools, unseen) counts if no anchor.

        ``freed`` is what previews made since took out of the messages.
        """
        anchor = self.anchor
        if anchor is None:
            return self.anew(freed, overhead)
        before = after = NOTHING
        for position, tokens in (freed or {}).items():
            if position < anchor.messages:
                before += tokens
            else:
                after += tokens
        rest = self.total - self._at - after
        # What left the anchored part was counted for real: of the two estimates of it
        # the cautious size may take off no more than the likely one.
        base = anchor.tokens - self._counted
        return self._estimate(
            Tokens(rest.shown - before.shown, rest.cautious - before.shown),
            Tokens(base, base),
            self._growth.ratio,
        )

    def anew(
        self,
        freed: Freed | None = None,
        overhead: Tokens = NOTHING,
        ratio: float | None = None,
    ) -> ContextEstimate:
        """The size without any anchor, every message estimated.

        ``ratio``: what is known of real to estimated size (of an error message, say);
        within the limits of calibration. By default what usages taught.
        """
        rest = self.total - self._bodies
        for tokens in (freed or {}).values():
            rest -= tokens
        known = self._growth.ratio if ratio is None else bounded(ratio)
        return self._estimate(rest, overhead, known, anchored=False)

    def _estimate(
        self, rest: Tokens, base: Tokens, ratio: float, *, anchored: bool = True
    ) -> ContextEstimate:
        anchor = self.anchor if anchored else None
        return ContextEstimate(
            max(0, round(base.shown + ratio * rest.shown)),
            max(0, math.ceil(base.cautious + ratio * rest.cautious)),
            self.messages - (anchor.messages if anchor else 0),
            ratio,
            self._growth.pairs,
            anchor,
        )

    @property
    def ratio(self) -> float:
        """Real to estimated growth, 1.0 where unknown."""
        return self._growth.ratio

    def unseen(self, known: float = 0.0) -> int | None:
        """Tokens an agent sends beside its messages, by the first usage, if any.

        ``known``: the estimate of what is at hand of that, system text and tools.
        """
        if self._first is None:
            return None
        context, estimate = self._first
        return max(0, round(context - estimate - known))


class Meter:
    """A gauge that is fed with messages themselves."""

    __slots__ = ("_before", "estimator", "gauge")

    def __init__(
        self, estimator: Estimator, anchor: Anchor | None = None, not_before: int = 0
    ) -> None:
        self.estimator = estimator
        self.gauge = Gauge(anchor, not_before)
        self._before: Message | None = None

    def add(self, message: Message) -> MessageTokens:
        """Weigh the next message."""
        return self.add_parts(message, self.estimator.parts(message))

    def add_parts(
        self,
        message: Message,
        parts: Sequence[PartTokens],
        taken_out: Tokens = NOTHING,
        perhaps: Tokens = NOTHING,
    ) -> MessageTokens:
        """The next message, whose parts were weighed already.

        ``taken_out``: what was in it when it was last sent, and is not now;
        ``perhaps``: what may have been.
        """
        found = added(parts)
        continues = message.continues(self._before)
        self._before = message
        self.gauge.add(
            found.tokens + taken_out,
            message.usage,
            message.role,
            continues=continues,
            perhaps=perhaps,
        )
        return found

    def context(
        self, freed: Freed | None = None, overhead: Tokens = NOTHING
    ) -> ContextEstimate:
        """The size now; see ``Gauge.context``."""
        return self.gauge.context(freed, overhead)
