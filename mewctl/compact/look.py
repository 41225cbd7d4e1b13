"""A look at a whole history: what there is, how big it is, the floor. Pure.

Weighs no more than is needed: of a history much larger than the window the newest part
and the front are weighed message by message, the rest by its bytes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.compact.scales import Taken
from mewctl.compact.tail import Item, last_unit, messages_in
from mewctl.tokens.calibrate import reading
from mewctl.tokens.estimator import NOTHING, Tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mewctl.compact.options import Options, Records
    from mewctl.compact.scales import Size, Weights
    from mewctl.compact.survey import Entry, Survey
    from mewctl.history.lens import Lens


@dataclass(frozen=True, slots=True)
class Scene:
    """What to look with. ``overhead``: the unseen one that the last run knew of."""

    lens: Lens
    options: Options
    weights: Weights
    overhead: int = 0


@dataclass(frozen=True, slots=True)
class Look:
    """What there is, how big it is, and what no compaction can remove.

    ``sent``: the records as they were last sent, as far as that is known; ``perhaps``:
    what previews in some may have stood for then; ``now``: as they are. ``items`` are
    corrected by the scale of ``size``. ``floor`` is in tokens; ``fills`` says what it
    is made of, biggest first.
    """

    seen: Survey
    sent: tuple[Tokens, ...]
    perhaps: Mapping[int, Tokens]
    now: tuple[Tokens, ...]
    size: Size
    items: tuple[Item, ...]
    floor: int
    fills: Mapping[str, int]

    def tokens(self, start: int, end: int | None = None) -> int:
        """The tokens of a range of records."""
        return sum(item.tokens for item in self.items[start:end])

    def messages(self, start: int, end: int) -> int:
        """How many messages a range of records holds: a run of results is one."""
        return messages_in(self.items[start:end])

    @property
    def end(self) -> int:
        """How many records there are."""
        return len(self.items)

    @property
    def unit(self) -> int:
        """Where the last unit starts, which no compaction takes away."""
        return last_unit(self.items, self.seen.body, self.end)


def look(records: Records, seen: Survey, scene: Scene) -> Look:
    """Weigh a history that was surveyed."""
    weighed = tuple(_weighed(records, seen, scene))
    sent, perhaps = _as_sent(records, seen, weighed, scene)
    return _look(seen, sent, perhaps, weighed, scene)


def look_again(
    before: Look, old: Records, new: Records, fresh: frozenset[int], scene: Scene
) -> Look:
    """The look at a history of which some records changed their texts.

    ``fresh``: those that nobody was sent in their new form; the others perhaps were,
    unless the usage is that of an old agent.
    """
    sent, now = list(before.sent), list(before.now)
    perhaps = dict(before.perhaps)
    old_agent = any(_is_marked(entry) for entry in before.seen.entries)
    for at, record in enumerate(new):
        if record is not old[at]:
            now[at] = _count(record.mapping(), scene)
            if at not in fresh and not old_agent:
                sent[at] = now[at]
                perhaps[at] = before.now[at] - now[at]
    return _look(before.seen, tuple(sent), perhaps, tuple(now), scene)


def weigh_again(before: Look, scene: Scene) -> Look:
    """The same look by other weights of the same estimator."""
    return _look(before.seen, before.sent, before.perhaps, before.now, scene)


def _look(
    seen: Survey,
    sent: tuple[Tokens, ...],
    perhaps: Mapping[int, Tokens],
    now: tuple[Tokens, ...],
    scene: Scene,
) -> Look:
    since = {
        at: was - tokens
        for at, (was, tokens) in enumerate(zip(sent, now, strict=True))
        if was is not tokens
    }
    size = scene.weights.size(seen, sent, Taken(since, perhaps), scene.overhead)
    items = tuple(
        Item(
            math.ceil(tokens.cautious * size.scale),
            follows=entry.results or entry.continues or entry.role is None,
            results=entry.results,
        )
        for entry, tokens in zip(seen.entries, now, strict=True)
    )
    bare = Look(seen, sent, perhaps, now, size, items, 0, {})
    parts = {
        "system messages": bare.tokens(0, seen.systems),
        "--system": scene.options.system,
        "--tools": scene.options.tools,
        "unseen overhead": size.overhead,
        "the last message with its results": bare.tokens(bare.unit),
    }
    fills = sorted(parts.items(), key=lambda part: -part[1])
    shown = {name: tokens for name, tokens in fills if tokens}
    return replace(bare, floor=sum(parts.values()), fills=shown)


# --- weighing ---


def _count(value: Mapping[str, object], scene: Scene) -> Tokens:
    return scene.weights.estimator.count(scene.lens.view(value)).tokens


def _weighed(records: Records, seen: Survey, scene: Scene) -> list[Tokens]:
    """The tokens of each record, exact or by its bytes."""
    enough = limits.EXACT_WINDOWS * scene.options.numbers.window
    front = _front(seen)
    found: list[Tokens | None] = [None] * len(records)
    for at in range(front):
        found[at] = _count(records[at].mapping(), scene)
    total = 0.0
    for at in range(len(records) - 1, front - 1, -1):
        if total > enough:
            break
        tokens = found[at] = _count(records[at].mapping(), scene)
        total += tokens.cautious
    by_bytes = _by_bytes(seen, found)
    return [
        tokens if tokens is not None else by_bytes(at)
        for at, tokens in enumerate(found)
    ]


def _as_sent(
    records: Records, seen: Survey, now: tuple[Tokens, ...], scene: Scene
) -> tuple[tuple[Tokens, ...], dict[int, Tokens]]:
    """The tokens of each record when it was last sent, and what perhaps came on top.

    An old agent, whose usage its transcript's reader marks, was sent the bodies of
    what stand as previews now; any other may have been.
    """
    sent = list(now)
    perhaps: dict[int, Tokens] = {}
    marked = False
    for at, entry in enumerate(seen.entries):
        marked = marked or _is_marked(entry)
        if entry.results and entry.previews:
            message = scene.lens.view(records[at].mapping())
            taken_out = scene.weights.estimator.offloaded(message)
            if taken_out != NOTHING and marked:
                sent[at] = now[at] + taken_out
            elif taken_out != NOTHING:
                perhaps[at] = taken_out
    return tuple(sent), perhaps


def _is_marked(entry: Entry) -> bool:
    return entry.usage is not None and entry.usage.unseen > 0


def _front(seen: Survey) -> int:
    """How many records at the front are weighed: through the first usage, if near."""
    for at, entry in enumerate(seen.entries[: limits.UNSEEN_LOOK]):
        if reading(entry.usage):
            return at + 1
    return seen.body


def _by_bytes(seen: Survey, found: Sequence[Tokens | None]) -> Callable[[int], Tokens]:
    """Tokens of any record by its bytes, as many a byte as what was weighed has."""
    bulk = flat = 0
    shown = cautious = 0.0
    for entry, tokens in zip(seen.entries, found, strict=True):
        if tokens is not None:
            bulk += entry.bulk
            flat += entry.flat
            shown += tokens.shown
            cautious += tokens.cautious
    shown = max(0.0, shown - flat) / max(1, bulk)
    cautious = max(0.0, cautious - flat) / max(1, bulk)

    def tokens_of(at: int) -> Tokens:
        entry = seen.entries[at]
        return Tokens(
            entry.bulk * shown + entry.flat, entry.bulk * cautious + entry.flat
        )

    return tokens_of
