"""Where the verbatim tail begins; a cut never parts a call from its result. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Item(NamedTuple):
    """What the policy knows of one record: its size in tokens.

    ``follows``: it goes with the record before it, because it holds results, is more of
    the same message, or is no message. ``results``: it holds results; a run of such
    records is one message.
    """

    tokens: int
    follows: bool = False
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
        if not items[at].follows:
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
    size, count = _extent(items, start, len(items))
    spent = 0
    while size < tokens or count < messages:
        if start == first:
            return Tail(start, size, "the whole history")
        at = last_unit(items, first, start)
        step, more = _extent(items, at, start)
        if spent + step > room:
            return Tail(start, size, "its share of the target")
        start, size, count, spent = at, size + step, count + more, spent + step
    return Tail(start, size, "the minimal tail")


def _extent(items: Sequence[Item], start: int, end: int) -> tuple[int, int]:
    """Tokens and messages of a range that starts with a unit."""
    part = items[start:end]
    return sum(item.tokens for item in part), messages_in(part)


def messages_in(items: Sequence[Item]) -> int:
    """How many messages there are: a run of results is one, no message is none."""
    count, in_results = 0, False
    for item in items:
        count += not item.follows or (item.results and not in_results)
        in_results = item.results
    return count
