"""A look at a whole history: survey, size and floor in one pass. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from mewctl.compact.survey import Surveyor
from mewctl.compact.tail import last_unit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewctl.compact.options import Options, Records, Scales, Size, State
    from mewctl.compact.survey import Survey
    from mewctl.history.facts import Facts
    from mewctl.history.lens import Lens

#: Keys of ``Facts.extra`` by which a later run knows what this one left.
TAIL = "tail"
TRIGGER = "trigger"


@dataclass(frozen=True, slots=True)
class Look:
    """What there is, how big it is, and what no compaction can remove.

    ``floor`` is in tokens; ``fills`` says what it is made of, biggest first.
    """

    seen: Survey
    size: Size
    floor: int
    fills: Mapping[str, int]


def look(
    records: Records, lens: Lens, options: Options, scales: Scales, state: State
) -> Look:
    """Look at every record once."""
    scale = scales.scale()
    surveyor = Surveyor()
    for record in records:
        message = lens.view(record.mapping())
        aside = surveyor.is_placeholder(message)
        surveyor.add(message, scale.add(message, aside=aside))
        if kept := surveyor.kept_by():
            scale.kept(kept - 1)
    seen = surveyor.result()
    facts = None if seen.boundary is None else state.facts(seen.boundary.id)
    size = scale.size(facts.overhead if facts else 0)
    unit = last_unit(seen.items, seen.body, len(seen.items))
    parts = {
        "system messages": seen.tokens(0, seen.systems),
        "--system": options.system,
        "--tools": options.tools,
        "unseen overhead": size.overhead,
        "the last message with its results": seen.tokens(unit),
    }
    fills = sorted(parts.items(), key=lambda part: -part[1])
    fills = [(name, tokens) for name, tokens in fills if tokens]
    return Look(seen, size, sum(parts.values()), dict(fills))


def digest(records: Records) -> str:
    """What tells one tail from another: sha256 of its records, in hex."""
    total = sha256()
    for record in records:
        total.update(record.raw + b"\n")
    return total.hexdigest()


def is_fresh(found: Look, records: Records, facts: Facts | None) -> bool:
    """Whether anything came after the last boundary.

    ``facts`` are those of that boundary. Without them the tag's count decides.
    """
    seen = found.seen
    if seen.boundary is None:
        return True
    left = facts.extra.get(TAIL) if facts is not None else None
    if isinstance(left, str):
        return digest(records[seen.body :]) != left
    return seen.kept_end < len(records)


def last_trigger(found: Look, facts: Facts | None) -> str:
    """What triggered the last compaction; "" where that is not known."""
    if found.seen.boundary is None or facts is None:
        return ""
    trigger = facts.extra.get(TRIGGER)
    return trigger if isinstance(trigger, str) else ""
