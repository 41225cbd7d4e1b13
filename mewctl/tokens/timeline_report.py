"""A timeline as records: the summary, turns with what happened in them, big items.

Owns their keys; what is not known has no key. Must not lay anything out.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any

from mewctl.history.usage import as_record
from mewctl.tokens.timeline_events import Cut, Spill

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mewctl.tokens.report import Bounds
    from mewctl.tokens.timeline import Timeline
    from mewctl.tokens.timeline_events import Size, Turn


def records(timeline: Timeline, bounds: Bounds) -> Iterator[dict[str, Any]]:
    """``timeline`` first, then each ``turn`` with what happened in it, then items."""
    yield summary(timeline, bounds)
    events: dict[int, list[Spill | Cut]] = {}
    for event in timeline.events:
        events.setdefault(event.turn, []).append(event)
    for turn in timeline.turns:
        yield _turn(turn)
        for event in events.get(turn.number, ()):
            yield _spill(event) if isinstance(event, Spill) else _cut(event)
    yield from items(timeline)


def summary(timeline: Timeline, bounds: Bounds) -> dict[str, Any]:
    """The whole in one record."""
    tally, last = timeline.tally, timeline.last
    top = max(timeline.turns, key=lambda turn: turn.peak.tokens)
    cuts = [event for event in timeline.events if isinstance(event, Cut)]
    spills = [event for event in timeline.events if isinstance(event, Spill)]
    return _known(
        {
            "type": "timeline",
            "method": last.method,
            "family": tally.meter.estimator.family,
            "model": bounds.model,
            "window": bounds.window,
            "threshold": bounds.threshold,
            "tokens": last.tokens,
            "peak": {
                "tokens": top.peak.tokens,
                "turn": top.number,
                "method": top.peak.method,
            },
            "unseen": tally.meter.gauge.unseen(),
            "message_count": tally.messages,
            "turns": sum(turn.number > 0 for turn in timeline.turns),
            "requests": sum(turn.requests for turn in timeline.turns),
            "boundaries": len(cuts),
            "spills": {
                "count": len(spills),
                "freed": sum(spill.before - spill.after for spill in spills),
            },
        }
    )


def items(timeline: Timeline) -> list[dict[str, Any]]:
    """The biggest items, biggest first, each with its turn."""
    firsts = [turn.first for turn in timeline.turns]
    found = []
    for item in timeline.tally.biggest():
        at = max(0, bisect_right(firsts, item["message"]) - 1)
        found.append({"type": "item", "turn": timeline.turns[at].number, **item})
    return found


def _turn(turn: Turn) -> dict[str, Any]:
    return _known(
        {
            "type": "turn",
            "turn": turn.number,
            "message": turn.first,
            "messages": turn.messages,
            "requests": turn.requests,
            "tokens": turn.size.tokens,
            "method": turn.size.method,
            "grew": turn.size.tokens - turn.start,
            "peak": turn.peak.tokens,
            "usage": turn.usage and as_record(turn.usage),
            "spills": turn.spills or None,
            "boundaries": turn.cuts or None,
            "ts": turn.time,
            "head": turn.head or None,
        }
    )


def _spill(spill: Spill) -> dict[str, Any]:
    return _known(
        {
            "type": "spill",
            "turn": spill.turn,
            "message": spill.message,
            "tool": spill.tool,
            "id": spill.call_id,
            "bytes": spill.known.size,
            "before": spill.before,
            "after": spill.after,
            "freed": spill.before - spill.after,
            "method": "estimate",
            "sha256": spill.known.digest or None,
            "path": spill.known.path,
        }
    )


def _cut(cut: Cut) -> dict[str, Any]:
    before, after, rewritten = cut.before, cut.after, cut.rewritten
    value: dict[str, Any] = {
        "type": "boundary",
        "turn": cut.turn,
        "message": cut.message,
        "kind": cut.kind,
        "ts": cut.time,
        "id": cut.about.id or None,
        "reason": cut.about.reason or None,
        "provider": cut.about.provider or None,
        "before": before and _sized(before),
        "after": after and _sized(after),
        "freed": before.tokens - after.tokens if before and after else None,
        "rewritten": rewritten and _sized(rewritten),
        "complete": None if cut.complete else False,
    }
    return _known(value)


def _sized(size: Size) -> dict[str, Any]:
    return {"tokens": size.tokens, "method": size.method}


def _known(value: dict[str, Any]) -> dict[str, Any]:
    return {key: item for key, item in value.items() if item is not None}
