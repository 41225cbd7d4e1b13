"""Section 6: the user's messages, verbatim, and a count and address of the others.

Owns which messages are shown when room is short, their lines, and the pointer. Never
shortens or words a message: it is shown whole, or counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial, reduce
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from mewctl import limits
from mewctl.compact.quote import fence, inline, moment, name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mewctl.compact.sections import Words
    from mewctl.history.facts import Facts, UserWords

#: Where facts that were read back from a text keep what that text did not show.
UNSEEN = "users_not_shown"
DOT = " · "


class Stretch(NamedTuple):
    """``messages`` of the user from ``first`` to ``last``, of one boundary."""

    first: int
    last: int
    messages: int
    boundary: str


@dataclass(frozen=True, slots=True)
class Unseen:
    """Messages that are not in a text: where they are, and their characters."""

    stretches: tuple[Stretch, ...] = ()
    characters: int = 0

    @property
    def count(self) -> int:
        """How many messages."""
        return sum(stretch.messages for stretch in self.stretches)

    def to_json(self) -> dict[str, Any]:
        """As it stands in ``Facts.extra``."""
        stretches = [list(stretch) for stretch in self.stretches]
        return {"stretches": stretches, "characters": self.characters}


def unseen_before(facts: Facts) -> Unseen:
    """What an earlier text did not show; anything of another shape counts as none."""
    value = facts.extra.get(UNSEEN)
    if not isinstance(value, dict):
        return Unseen()
    found, characters = value.get("stretches"), value.get("characters")
    if not isinstance(found, list | tuple):
        return Unseen()
    good = (Stretch(*item) for item in found if _is_stretch(item))
    return Unseen(tuple(good), characters if isinstance(characters, int) else 0)


def _is_stretch(value: Any) -> bool:
    match value:
        case [int(first), int(last), int(messages), str()]:
            return first <= last and messages > 0
    return False


def message_block(user: UserWords, previous: str, words: Words) -> str:
    """A message under its number, time, images and boundary, if that is a new one."""
    notes = [f"### {user.n}"]
    if user.time is not None:
        notes.append(moment(user.time))
    if user.images:
        notes.append(words.images.format(user.images))
    if user.boundary != previous:
        notes.append(words.boundary + name(user.boundary))
    return DOT.join(notes) + "\n" + fence(user.text)


def blocks(users: Sequence[UserWords], words: Words) -> list[str]:
    """The blocks of messages that stand one after the other."""
    previous = ""
    found: list[str] = []
    for user in users:
        found.append(message_block(user, previous, words))
        previous = user.boundary
    return found


def pointer(unseen: Unseen, recall: Callable[[str], str], words: Words) -> str:
    """The line that counts what is not shown and says how to get it back."""
    by_boundary: dict[str, list[str]] = {}
    for stretch in fewer(unseen.stretches, limits.UNSEEN_STRETCHES):
        by_boundary.setdefault(stretch.boundary, []).append(_spelled(stretch))
    places = "; ".join(
        f"{name(boundary)} {', '.join(numbers)}"
        for boundary, numbers in by_boundary.items()
    )
    count = words.not_shown.format(unseen.count, unseen.characters)
    command = recall(next(filter(None, by_boundary), ""))
    address = words.recall + inline(command) if command else ""
    return f"{count} ({places}){address}"


def _spelled(stretch: Stretch) -> str:
    """``7``, ``2–4``, or ``2–40 [12]`` where other messages stand between them."""
    first, last, count, _ = stretch
    if first == last:
        return str(first)
    between = last - first + 1 > count
    return f"{first}–{last} [{count}]" if between else f"{first}–{last}"


def fewer(stretches: Sequence[Stretch], most: int) -> list[Stretch]:
    """At most ``most`` stretches in order: neighbours are joined, the nearest first.

    Where the boundaries alone are more, the oldest become one stretch of no boundary.
    """
    gaps = {
        at: after.first - before.last
        for at, (before, after) in enumerate(pairwise(stretches), 1)
        if before.boundary == after.boundary
    }
    wide = sorted(gap for gap in gaps.values() if gap > 1)
    excess = len(stretches) - (len(gaps) - len(wide)) - most
    near = wide[:excess][-1] if excess > 0 and wide else 1
    found: list[Stretch] = []
    for at, stretch in enumerate(stretches):
        if gaps.get(at, near + 1) <= near:
            found[-1] = _joined(found[-1], stretch, stretch.boundary)
        else:
            found.append(stretch)
    old = len(found) - most + 1
    if old > 1:
        found[:old] = [reduce(partial(_joined, boundary=""), found[:old])]
    return found


def _joined(one: Stretch, other: Stretch, boundary: str) -> Stretch:
    last = max(one.last, other.last)
    return Stretch(one.first, last, one.messages + other.messages, boundary)


def with_unseen(earlier: Unseen, users: Iterable[UserWords]) -> Unseen:
    """``earlier`` and these messages too."""
    more = tuple(users)
    alone = (Stretch(user.n, user.n, 1, user.boundary) for user in more)
    return Unseen(
        tuple(sorted((*earlier.stretches, *alone))),
        earlier.characters + sum(len(user.text) for user in more),
    )


def choose(costs: Sequence[float], room: float, borrow: float) -> list[int]:
    """Which messages to show: the newest and the first, then from the newest back.

    ``borrow`` is what those two may take beyond ``room``, all in tokens. A message that
    does not fit is passed over; smaller ones before it may still fit. Returns indices,
    most valuable first.
    """
    chosen: list[int] = []
    spent = 0.0
    last = len(costs) - 1
    for index in dict.fromkeys([last, 0]) if costs else ():
        if spent + costs[index] <= room + borrow:
            chosen.append(index)
            spent += costs[index]
    for index in range(last - 1, 0, -1):
        if spent + costs[index] <= room:
            chosen.append(index)
            spent += costs[index]
    return chosen
