"""The lists of the timeline's page: boundaries, spills, biggest items, turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.streams.printable import counted
from mewctl.tokens.page_words import bar, number, shown
from mewctl.tokens.timeline_events import Cut, Spill
from mewctl.tokens.timeline_report import items as item_records

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mewctl.tokens.timeline import Timeline
    from mewctl.tokens.timeline_events import Turn

_KINDS = {
    "marker": "Compaction",
    "summary": "Compaction",
    "fall": "Something left the context",
}


def boundaries(timeline: Timeline) -> Iterator[str]:
    """Every boundary with its cost."""
    cuts = [event for event in timeline.events if isinstance(event, Cut)]
    if not cuts:
        return
    yield "<h2>Boundaries</h2>"
    yield '<ol class="list card">'
    for index, cut in enumerate(cuts, 1):
        yield f'<li id="boundary-{index}" tabindex="-1">'
        yield f'<div class="row">{_turn_link(cut.turn)}<span class="mark">'
        yield f"{_KINDS[cut.kind]}</span>{_reason(cut)}</div>"
        yield f'<p class="number">{number(cut.before)} → {number(cut.after)} tokens</p>'
        yield f'<p class="soft">{_cost(cut)}</p>'
        yield "</li>"
    yield "</ol>"


def _reason(cut: Cut) -> str:
    words = [cut.about.reason, cut.about.provider, "" if cut.complete else "cut short"]
    found = ", ".join(word for word in words if word)
    address = f"<code>{shown(cut.about.id)}</code>" if cut.about.id else ""
    return f'<span class="words">{shown(found)}</span>{address}'


def _cost(cut: Cut) -> str:
    anew = f"The next request had {number(cut.rewritten)} tokens that no cache held."
    if cut.before is None or cut.after is None:
        return f"The input begins with it. {anew}"
    freed = cut.before.tokens - cut.after.tokens
    told = "Freed" if freed >= 0 else "Added"
    return f"{told} {abs(freed):,} tokens. {anew}"


def spills(timeline: Timeline) -> Iterator[str]:
    """The spills that freed most."""
    found = [event for event in timeline.events if isinstance(event, Spill)]
    if not found:
        return
    found.sort(key=lambda spill: spill.after - spill.before)
    chosen = found[: limits.TIMELINE_TURNS]
    yield "<h2>Spills</h2>"
    yield '<ol class="list card">'
    for spill in chosen:
        yield f'<li><div class="row">{_turn_link(spill.turn)}'
        yield f'<span class="mark spill words">{shown(spill.tool)}</span>'
        yield f'<span class="number">~{spill.before:,} → ~{spill.after:,} tokens</span>'
        yield f'<span class="soft number">{spill.known.size:,} bytes</span></div>'
        yield f'<code class="words">{shown(spill.call_id)}</code></li>'
    yield "</ol>"
    if len(found) > len(chosen):
        left = len(found) - len(chosen)
        yield f'<p class="soft">{counted(left, "smaller spill")} not shown.</p>'


def items(timeline: Timeline) -> Iterator[str]:
    """The biggest items."""
    found = item_records(timeline)
    if not found:
        return
    most = max(item["tokens"] for item in found) or 1
    yield "<h2>Biggest items</h2>"
    yield '<ol class="list card">'
    for item in found:
        name = shown(item.get("tool") or item["class"].replace("_", " "))
        yield f'<li><div class="row">{_turn_link(item["turn"])}'
        yield f'<strong class="words">{name}</strong>'
        yield f'<span class="number">~{item["tokens"]:,} tokens</span>'
        yield f'<span class="soft number">message {item["message"]:,}</span></div>'
        yield bar(item["tokens"] / most)
        yield f'<code class="words" dir="auto">{shown(item["head"])}</code></li>'
    yield "</ol>"


def turns(timeline: Timeline) -> Iterator[str]:
    """All turns, the newest in sight."""
    most = max(turn.peak.tokens for turn in timeline.turns) or 1
    early = timeline.turns[: -limits.TIMELINE_TURNS]
    late = timeline.turns[-limits.TIMELINE_TURNS :]
    yield '<h2 id="turns" tabindex="-1">Turns</h2>'
    yield '<div class="card">'
    if early:
        yield f"<details><summary>{counted(len(early), 'earlier turn')}</summary>"
        yield from _turns(early, most)
        yield "</details>"
    yield from _turns(late, most)
    yield "</div>"


def _turns(chosen: Iterable[Turn], most: int) -> Iterator[str]:
    yield '<ol class="list">'
    for turn in chosen:
        yield f'<li id="turn-{turn.number}" tabindex="-1"><div class="row">'
        yield f"<strong>Turn {turn.number}</strong>"
        yield f'<span class="number">{number(turn.size)} tokens</span>'
        yield f'<span class="soft number">{turn.size.tokens - turn.start:+,}</span>'
        yield f'<span class="soft">{counted(turn.requests, "request")}</span>'
        yield f"{_marks(turn)}</div>"
        yield bar(turn.size.tokens / most)
        if turn.head:
            yield f'<p class="words" dir="auto">{shown(turn.head)}</p>'
        yield "</li>"
    yield "</ol>"


def _marks(turn: Turn) -> str:
    found = ""
    if turn.cuts:
        words = counted(turn.cuts, "boundary", "boundaries")
        found += f'<span class="mark">{words}</span>'
    if turn.spills:
        found += f'<span class="mark spill">{counted(turn.spills, "spill")}</span>'
    return found


def _turn_link(turn: int) -> str:
    return f'<a href="#turn-{turn}">Turn {turn}</a>'
