"""Where the verbatim tail begins; a cut never parts a call from its result. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mewctl.history.view import Role


@dataclass(frozen=True, slots=True)
class Item:
    """What the policy knows of one record: its role and size in tokens.

    ``results``: the record holds results and no words of the user.
    """

    role: Role
    tokens: int
    results: bool = False


@dataclass(frozen=True, slots=True)
class Tail:
    """A tail: it starts at record ``start``; ``reason`` says why it is that long."""

    start: int
    tokens: int
    reason: str


def last_unit(items: Sequence[Item], first: int, end: int) -> int:
    """Where the last unit of ``items[first:end]`` starts.

    That is the newest user message, else the newest assistant message with its results.
    """
    at = end
    while at > first:
        at -= 1
        if not items[at].results:
            break
    return at


def choose(
    items: Sequence[Item], first: int, room: int, *, tokens: int, messages: int
) -> Tail:
    """The shortest suffix with ``tokens`` tokens and ``messages`` messages.

    It starts at ``first`` or later, and ``room`` (tokens beyond the last unit) beats
    both minima. The results of one assistant message count as one message.
    """
    start = last_unit(items, first, len(items))
    size = sum(item.tokens for item in items[start:])
    count = _count(items, start)
    spent = 0
    reason = "the minimal tail"
    while start > first and (size < tokens or count < messages):
        at = last_unit(items, first, start)
        step = sum(item.tokens for item in items[at:start])
        if spent + step > room:
            reason = "its share of the target"
            break
        start, size, spent = at, size + step, spent + step
        count = _count(items, start)
    if start == first and not (size < tokens or count < messages):
        reason = "the whole history"
    return Tail(start, size, reason)


def _count(items: Sequence[Item], start: int) -> int:
    """Messages from ``start`` on: a run of results is one message."""
    count, in_results = 0, False
    for item in items[start:]:
        if not (item.results and in_results):
            count += 1
        in_results = item.results
    return count
