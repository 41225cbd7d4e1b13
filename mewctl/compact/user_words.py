"""Section 6: the user's messages, verbatim, and a count and address of the others.

Owns which messages are shown when room is short, their lines, and the pointer. Never
shortens or words a message: it is shown whole, or counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mewctl.compact.quote import fence, inline, moment, name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mewctl.compact.sections import Words
    from mewctl.history.facts import Facts, UserWords

#: Where facts that were read back from a text keep what that text did not show.
UNSEEN = "users_not_shown"
DOT = " · "


@dataclass(frozen=True, slots=True)
class Unseen:
    """Messages that are not in a text: (number, boundary) pairs, and characters."""

    messages: tuple[tuple[int, str], ...] = ()
    characters: int = 0

    def to_json(self) -> dict[str, Any]:
        """As it stands in ``Facts.extra``."""
        pairs = [list(pair) for pair in self.messages]
        return {"messages": pairs, "characters": self.characters}


def unseen_before(facts: Facts) -> Unseen:
    """What an earlier text did not show; anything of another shape counts as none."""
    value = facts.extra.get(UNSEEN)
    if not isinstance(value, dict):
        return Unseen()
    pairs, characters = value.get("messages"), value.get("characters")
    if not isinstance(pairs, list | tuple):
        return Unseen()
    known = {user.n for user in facts.users}
    good = (
        (pair[0], pair[1])
        for pair in pairs
        if isinstance(pair, list | tuple)
        and len(pair) == 2  # noqa: PLR2004 - a pair
        and isinstance(pair[0], int)
        and isinstance(pair[1], str)
        and pair[0] not in known
    )
    return Unseen(tuple(good), characters if isinstance(characters, int) else 0)


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
    by_boundary: dict[str, list[int]] = {}
    for number, boundary in unseen.messages:
        by_boundary.setdefault(boundary, []).append(number)
    places = "; ".join(
        f"{name(boundary)} {ranges(numbers)}"
        for boundary, numbers in by_boundary.items()
    )
    count = words.not_shown.format(len(unseen.messages), unseen.characters)
    command = recall(next(iter(by_boundary)))
    address = words.recall + inline(command) if command else ""
    return f"{count} ({places}){address}"


def ranges(numbers: Iterable[int]) -> str:
    """Numbers in few words: ``2–4, 7``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return ", ".join("–".join(map(str, run)) for run in runs)


def with_unseen(earlier: Unseen, users: Iterable[UserWords]) -> Unseen:
    """``earlier`` and these messages too."""
    more = tuple(users)
    return Unseen(
        earlier.messages + tuple((user.n, user.boundary) for user in more),
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
