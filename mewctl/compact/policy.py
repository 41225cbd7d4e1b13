"""When to compact and how much room each part gets: arithmetic on tokens. Pure.

All numbers come from ``limits``, scaled so that windows from 8k to 1M work.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from mewctl import limits

Trigger: TypeAlias = Literal["auto", "manual", "emergency"]


@dataclass(frozen=True, slots=True)
class Numbers:
    """The settings of the window arithmetic, in tokens; shares are parts of 1."""

    window: int = limits.WINDOW
    reserve: int = limits.RESERVE
    margin: int = limits.MARGIN
    manual_margin: int = limits.MARGIN_MANUAL
    threshold_share: float = limits.THRESHOLD_SHARE
    target_share: float = limits.TARGET_SHARE
    tail_tokens: int = limits.TAIL_MIN_TOKENS
    tail_messages: int = limits.TAIL_MIN_MESSAGES
    keep_recent: int = limits.KEEP_RECENT

    def margin_for(self, trigger: Trigger) -> int:
        """The distance kept to the window, capped so that small windows work."""
        margin = self.margin if trigger == "auto" else self.manual_margin
        return min(margin, int(self.window * limits.MARGIN_SHARE))

    @property
    def reserve_tokens(self) -> int:
        """Room for the answer, also the summary request's max_tokens."""
        return min(self.reserve, int(self.window * limits.RESERVE_SHARE))

    def threshold(self, trigger: Trigger = "auto") -> int:
        """An estimate of this size or more compacts (auto); 167,000 for 200k."""
        room = self.window - self.reserve_tokens - self.margin_for(trigger)
        return max(1, min(room, int(self.window * self.threshold_share)))

    @property
    def hard_limit(self) -> int:
        """What an emergency must come under: the window less the small margin."""
        return self.window - self.margin_for("emergency")


@dataclass(frozen=True, slots=True)
class Shares:
    """The room of each part of a compacted history, in tokens.

    ``target`` is the size of the whole. The parts share what the floor leaves of it.
    """

    target: int
    tail: int
    attachment: int
    users: int
    facts: int
    prose: int

    @property
    def summary(self) -> int:
        """What summary and attachment may take together."""
        return self.attachment + self.users + self.facts + self.prose


def shares(threshold: int, floor: int, numbers: Numbers) -> Shares:
    """Split the room between ``floor`` and the target. ``floor`` < ``threshold``.

    The target leaves room for a small summary wherever the threshold does.
    """
    most = max(0, threshold - floor)
    room = max(int(most * numbers.target_share), min(limits.SUMMARY_MIN, most))
    return Shares(
        target=floor + room,
        tail=int(room * limits.SHARE_TAIL),
        attachment=int(room * limits.SHARE_ATTACHMENT),
        users=int(room * limits.SHARE_USER_WORDS),
        facts=int(room * limits.SHARE_FACTS),
        prose=int(room * limits.SHARE_PROSE),
    )


def after_tail(given: Shares, used: int) -> Shares:
    """The shares once the tail is cut: what it left passes on to the attachment.

    Summary and attachment together stay under ``limits.SUMMARY_MAX``: where the room is
    larger, the shares fill that in proportion, and nothing needs to pass on.
    """
    left = max(0, given.tail - used)
    spare = limits.SUMMARY_MAX - given.summary
    if spare < 0:
        return within(given, limits.SUMMARY_MAX)
    return replace(given, attachment=given.attachment + min(left, spare))


def within(given: Shares, whole: int) -> Shares:
    """The shares with summary and attachment shrunk to ``whole`` tokens together."""
    return given if given.summary <= whole else scaled(given, whole)


def scaled(given: Shares, whole: int) -> Shares:
    """The shares with ``whole`` tokens for summary and attachment, in proportion."""
    factor = max(0, whole) / given.summary if given.summary else 0.0
    return replace(
        given,
        attachment=int(given.attachment * factor),
        users=int(given.users * factor),
        facts=int(given.facts * factor),
        prose=int(given.prose * factor),
    )


def keep_recent_tokens(numbers: Numbers) -> int:
    """How much tool output age spill leaves alone."""
    share = int(numbers.threshold() * limits.KEEP_RECENT_SHARE)
    return min(numbers.keep_recent, share)


def age_gain_needed(window: int) -> int:
    """What age spill must free to act, so that the cached prefix changes rarely."""
    return min(limits.AGE_MIN_GAIN, int(window * limits.AGE_MIN_GAIN_SHARE))
