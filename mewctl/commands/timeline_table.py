"""The timeline for people: a sparkline over all requests, then the newest turns."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any, NamedTuple

from mewctl.streams.printable import cell, counted
from mewctl.streams.table import heading
from mewctl.tokens.timeline_events import Cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mewctl.tokens.timeline import Timeline
    from mewctl.tokens.timeline_events import Point

_STEPS = "▁▂▃▄▅▆▇█"
_CUT = "▲"
_INDENT = " " * 6
_WIDEST = 100  # columns of a sparkline
_NARROW = 30  # columns that words get at least


class Look(NamedTuple):
    """How the table looks: columns of the terminal, the newest ``turns``, colours."""

    width: int
    turns: int
    color: bool


def rows(
    timeline: Timeline, records: Sequence[Mapping[str, Any]], look: Look
) -> Iterator[str]:
    """The lines of the table; an estimate has a ``~`` before it."""
    yield from _totals(records[0])
    curve = timeline.points.kept
    if len(curve) > 1:
        yield ""
        width = min(look.width, _WIDEST)
        yield from sparkline(curve, [e for e in timeline.events if _is_cut(e)], width)
    yield ""
    yield from _turns(records, look)
    items = [record for record in records if record["type"] == "item"]
    if items:
        yield ""
        yield heading(f"{'turn':>4} {'tokens':>10}  biggest", color=look.color)
        for item in items:
            name = item.get("tool") or item["class"]
            words = cell(f"{name}: {item['head']}", max(_NARROW, look.width - 17))
            yield f"{item['turn']:>4} {'~' + format(item['tokens'], ','):>10}  {words}"


def sparkline(curve: Sequence[Point], cuts: Iterable[Any], width: int) -> Iterator[str]:
    """The curve in ``width`` columns at most, and under it where boundaries are."""
    width = min(width, len(curve))
    top = max(point.size.tokens for point in curve) or 1
    places = [at * width // len(curve) for at in range(len(curve))]
    heights = [0] * width
    for place, point in zip(places, curve, strict=True):
        heights[place] = max(heights[place], point.size.tokens)
    steps = len(_STEPS) - 1
    yield "".join(_STEPS[round(steps * height / top)] for height in heights)
    messages = [point.message for point in curve]
    marked = {
        places[min(bisect_left(messages, cut.message), len(curve) - 1)] for cut in cuts
    }
    if marked:
        line = "".join(_CUT if at in marked else " " for at in range(width))
        yield f"{line.rstrip()}"
        yield f"{_CUT} a boundary"


def _is_cut(event: object) -> bool:
    return isinstance(event, Cut)


def _totals(total: Mapping[str, Any]) -> Iterator[str]:
    model = cell(total.get("model") or "unknown model", 40)
    now = _number(total["tokens"], total["method"])
    peak = total["peak"]
    most = _number(peak["tokens"], peak["method"])
    yield f"{now} tokens now, {most} at most (turn {peak['turn']}), {model}"
    yield f"threshold {total['threshold']:,}, window {total['window']:,}"
    spills = total["spills"]
    words = [
        counted(total["turns"], "turn"),
        counted(total["requests"], "request"),
        counted(total["boundaries"], "boundary", "boundaries"),
        counted(spills["count"], "spill"),
    ]
    freed = f" that freed ~{spills['freed']:,} tokens" if spills["count"] else ""
    yield ", ".join(words) + freed


def _turns(records: Sequence[Mapping[str, Any]], look: Look) -> Iterator[str]:
    numbers = [record["turn"] for record in records if record["type"] == "turn"]
    first = numbers[-look.turns] if 0 < look.turns < len(numbers) else numbers[0]
    if not look.turns:
        return
    head = f"{'turn':>4} {'tokens':>10} {'grew':>9} {'peak':>10} {'requests':>8}  words"
    yield heading(head, color=look.color)
    if first != numbers[0]:
        hidden = numbers.index(first)
        yield f"{'':>4} {counted(hidden, 'earlier turn')}; see --turns"
    for record in records:
        if record.get("turn", -1) < first:
            continue
        if record["type"] == "turn":
            yield _turn(record, max(_NARROW, look.width - 47))
        elif record["type"] == "boundary":
            yield _INDENT + _boundary(record)
        elif record["type"] == "spill":
            name = cell(record["tool"], 24)
            yield f"{_INDENT}spill {name}: ~{record['before']:,} → ~{record['after']:,}"


def _turn(record: Mapping[str, Any], width: int) -> str:
    tokens = _number(record["tokens"], record["method"])
    words = cell(record.get("head", ""), width)
    row = (
        f"{record['turn']:>4} {tokens:>10} {record['grew']:>+9,} {record['peak']:>10,}"
    )
    return f"{row} {record['requests']:>8}  {words}".rstrip()


def _boundary(record: Mapping[str, Any]) -> str:
    names = {"marker": "boundary", "summary": "boundary", "fall": "context cut"}
    before, after, anew = (_sized(record, k) for k in ("before", "after", "rewritten"))
    words = f"{_CUT} {names[record['kind']]}: {before} → {after}, {anew} written anew"
    return words + ("" if record.get("complete", True) else ", cut short")


def _sized(record: Mapping[str, Any], key: str) -> str:
    size = record.get(key)
    return _number(size["tokens"], size["method"]) if size else "?"


def _number(tokens: int, method: str) -> str:
    return f"{tokens:,}" if method == "usage" else f"~{tokens:,}"
