"""What a summary shows when room is short: shares, and filling them by rank. Pure.

All sizes are tokens. Knows pieces and their costs; must not write text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mewctl.compact.piece import Item, Piece

FactKey: TypeAlias = tuple[int, int]  # item, and its detail or -1 for its head
ProseKey: TypeAlias = tuple[int, int]  # section, and which part of its prose


@dataclass(slots=True)
class Draft:
    """What is shown, in the order it was taken: the last is worth least.

    ``users`` are indices of messages; facts and prose are texts by their keys.
    """

    users: list[int] = field(default_factory=list)
    facts: dict[FactKey, str] = field(default_factory=dict)
    prose: dict[ProseKey, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Costs:
    """Tokens of each message of the user, form of a piece, group's heading, prose part.

    ``label`` is the line above the prose of a section.
    """

    users: Sequence[float]
    forms: Mapping[str, float]
    groups: Mapping[str, float]
    prose: Mapping[ProseKey, float]
    label: float


def pieces(items: Sequence[Item]) -> Iterator[tuple[FactKey, Piece]]:
    """Every piece of the items with its key, in the order of the text."""
    for index, item in enumerate(items):
        yield (index, -1), item.head
        for place, detail in enumerate(item.details):
            yield (index, place), detail


def share_out(
    wants: Sequence[float], shares: Sequence[float], room: float
) -> list[float]:
    """``room`` split by ``shares``; what one does not want passes on, in order."""
    whole = sum(shares) or 1.0
    given = [min(w, room * s / whole) for w, s in zip(wants, shares, strict=True)]
    left = room - sum(given)
    for index, want in enumerate(wants):
        more = min(left, want - given[index])
        given[index] += more
        left -= more
    return given


def fill_facts(items: Sequence[Item], room: float, costs: Costs) -> dict[FactKey, str]:
    """The pieces that fit, by rank.

    A detail needs its head, and an item the item it refers to.
    """
    taken: dict[FactKey, str] = {}
    groups: set[str] = {""}
    left = room
    for (index, place), piece in sorted(pieces(items), key=lambda pair: pair[1].rank):
        item = items[index]
        if place >= 0 and (index, -1) not in taken:
            continue
        if item.needs is not None and (item.needs, -1) not in taken:
            continue
        extra = 0.0 if item.group in groups else costs.groups[item.group]
        form = _form(piece, left - extra, piece.share * room, costs.forms)
        if form is not None:
            taken[index, place] = form
            left -= costs.forms[form] + extra
            groups.add(item.group)
    return taken


def _form(
    piece: Piece, room: float, share: float, costs: Mapping[str, float]
) -> str | None:
    """The longest form within its share and half the room; the shortest may fill it."""
    for form in piece.forms[:-1]:
        if costs[form] <= min(share, room / 2):
            return form
    return piece.forms[-1] if costs[piece.forms[-1]] <= room else None


def fill_prose(
    parts: Mapping[ProseKey, str], room: float, costs: Costs
) -> tuple[dict[ProseKey, str], float]:
    """The parts that fit, in their order, and the room they leave."""
    shown: dict[ProseKey, str] = {}
    sections: set[int] = set()
    for key, part in parts.items():
        size = costs.prose[key] + (0.0 if key[0] in sections else costs.label)
        if size <= room:
            shown[key] = part
            sections.add(key[0])
            room -= size
    return shown, room
