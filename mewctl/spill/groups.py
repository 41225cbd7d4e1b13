"""Which results of a group leave the history: sizes and limits, nothing else. Pure.

A group is the results that answer one assistant message. Must not know where a body
would go or what a preview looks like.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from mewctl import limits as numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

#: ``open``: not decided yet. ``kept`` and ``replaced``: decided for good. ``aside``:
#: takes no part and has no size here (a preview, or what was read back from a store).
State: TypeAlias = Literal["open", "kept", "replaced", "aside"]
#: ``leave``: nothing to write down, for the same group will be decided the same way.
Action: TypeAlias = Literal["replace", "keep", "leave"]


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one result and of a group's sum, in bytes of UTF-8."""

    single: int = numbers.SINGLE_LIMIT
    aggregate: int = numbers.AGGREGATE_LIMIT

    @property
    def smallest(self) -> int:
        """Texts that are no longer than this together exceed neither."""
        return min(self.single, self.aggregate)

    def exceeded(self, sizes: Sequence[int]) -> bool:
        """Whether one of these sizes, or their sum, is over its limit."""
        return max(sizes, default=0) > self.single or sum(sizes) > self.aggregate


@dataclass(frozen=True, slots=True)
class Item:
    """One result: its size in bytes, and its key: equal keys share one fate."""

    size: int
    key: Hashable
    state: State = "open"


@dataclass(frozen=True, slots=True)
class Choice:
    """What becomes of an item, and why."""

    action: Action
    reason: str


_UNDER = Choice("leave", "under the limits")
_HELD = Choice("keep", "the group is not complete")


def plan(
    items: Sequence[Item],
    limits: Limits,
    shrinks: Callable[[int], bool],
    *,
    complete: bool,
) -> list[Choice]:
    """A choice for each item, biggest first, of equal sizes the earlier first.

    ``shrinks(i)`` says whether item ``i`` may be replaced and a preview of it would be
    smaller; it is asked of those over a limit only. What is replaced leaves the sum. In
    a group that is not ``complete`` nothing stays open: later results may not change
    what was written out before them.
    """
    choices = [Choice("leave", item.state) for item in items]
    rest = sum(i.size for i in items if i.state in ("open", "kept"))
    fate: dict[Hashable, Choice] = {}
    undecided = [n for n, item in enumerate(items) if item.state == "open"]
    for n in sorted(undecided, key=lambda n: (-items[n].size, n)):
        item = items[n]
        choice = fate.get(item.key)
        if choice is None:
            choice = _choose(n, item.size, rest, limits, shrinks)
            if choice is _UNDER and not complete:
                choice = _HELD
            fate[item.key] = choice
        if choice.action == "replace":
            rest -= item.size
        choices[n] = choice
    return choices


def _choose(
    n: int, size: int, rest: int, limits: Limits, shrinks: Callable[[int], bool]
) -> Choice:
    if size > limits.single:
        reason = f"over the single limit of {limits.single} bytes"
    elif rest > limits.aggregate:
        reason = f"the group is over the aggregate limit of {limits.aggregate} bytes"
    else:
        return _UNDER
    if shrinks(n):
        return Choice("replace", reason)
    return Choice("keep", f"{reason}, but a preview is not wanted or not smaller")
