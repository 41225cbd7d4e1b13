"""The timeline as one page that needs nothing else: no network, no script, no font.

All that comes from the input is escaped, and a content policy forbids everything but
the style sheet in the page. The same timeline gives the same bytes. Writes no file.
"""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from typing import TYPE_CHECKING

from mewctl import __version__
from mewctl.streams.printable import counted
from mewctl.tokens.page_chart import chart
from mewctl.tokens.page_lists import boundaries, items, spills, turns
from mewctl.tokens.page_style import STYLE
from mewctl.tokens.page_words import number, shown
from mewctl.tokens.timeline_report import summary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mewctl.tokens.report import Bounds
    from mewctl.tokens.timeline import Timeline

_HASH = b64encode(sha256(STYLE.encode()).digest()).decode()
POLICY = (
    f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none';"
    " form-action 'none'"
)


def page(timeline: Timeline, bounds: Bounds) -> str:
    """The page, a whole HTML document."""
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="referrer" content="no-referrer">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta name="generator" content="mewctl {__version__}">',
        "<title>Context timeline</title>",
        f"<style>{STYLE}</style>",
        "</head>",
        "<body>",
        '<a class="skip" href="#turns">To the turns</a>',
        *_head(timeline, bounds),
        "<main>",
        *_curve(timeline, bounds),
        *boundaries(timeline),
        *spills(timeline),
        *items(timeline),
        *turns(timeline),
        "</main>",
        *_foot(timeline),
        "</body>",
        "</html>",
    ]
    return "\n".join(parts) + "\n"


def _head(timeline: Timeline, bounds: Bounds) -> Iterator[str]:
    told = summary(timeline, bounds)
    top = max(timeline.turns, key=lambda turn: turn.peak.tokens)
    yield "<header>"
    yield "<h1>Context timeline</h1>"
    yield (
        f'<p class="soft words">{shown(bounds.model or "unknown model")},'
        f" {counted(told['turns'], 'turn')}, {counted(told['requests'], 'request')}</p>"
    )
    yield '<dl class="facts">'
    yield _fact("Now", number(timeline.last), _left(timeline, bounds))
    yield _fact("Most", number(top.peak), f"in turn {top.number}")
    if bounds.threshold and bounds.window:
        yield _fact("Threshold", f"{bounds.threshold:,}", f"window {bounds.window:,}")
    if told.get("unseen"):
        yield _fact("Unseen", f"~{told['unseen']:,}", "system text and tools")
    yield _fact("Boundaries", f"{told['boundaries']:,}", "where history was cut")
    freed = told["spills"]["freed"]
    yield _fact("Spills", f"{told['spills']['count']:,}", f"~{freed:,} tokens freed")
    share = _cached(timeline)
    if share is not None:
        yield _fact("From cache", f"{share:.0%}", "of all request tokens")
    yield "</dl>"
    yield "</header>"


def _fact(name: str, value: str, words: str) -> str:
    small = f"<small>{words}</small>" if words else ""
    return f'<div><dt>{name}</dt><dd class="number">{value}{small}</dd></div>'


def _left(timeline: Timeline, bounds: Bounds) -> str:
    if not bounds.threshold:
        return "tokens"
    left = bounds.threshold - timeline.last.tokens
    return f"{abs(left):,} {'below' if left > 0 else 'over'} threshold"


def _cached(timeline: Timeline) -> float | None:
    """The part of all requests' tokens that a cache held; None where unknown."""
    usages = [turn.usage for turn in timeline.turns if turn.usage is not None]
    read = sum(usage.cache_read for usage in usages)
    whole = read + sum(usage.input + usage.cache_write for usage in usages)
    return read / whole if read else None


def _curve(timeline: Timeline, bounds: Bounds) -> Iterator[str]:
    yield "<h2>Size of the context</h2>"
    picture = chart(timeline, bounds)
    if not picture:
        yield '<p class="card soft">Too few requests for a curve.</p>'
        return
    yield '<figure class="card">'
    yield picture
    first, last = timeline.turns[0].number, timeline.turns[-1].number
    yield (
        f"<figcaption>Tokens after each request, from turn {first} to turn {last}."
        "</figcaption>"
    )
    yield '<ul class="legend soft">'
    yield from _legend(timeline)
    yield "</ul>"
    yield "</figure>"


def _legend(timeline: Timeline) -> Iterator[str]:
    methods = {point.size.method for point in timeline.points.kept}
    line = '<svg class="chart" aria-hidden="true" viewBox="0 0 28 12">{}</svg>'
    if "usage" in methods:
        yield f"<li>{line.format(_path('usage'))}reported by the provider</li>"
    if "estimate" in methods:
        yield f"<li>{line.format(_path('estimate'))}estimated</li>"
    if any(turn.cuts for turn in timeline.turns):
        dot = '<g class="cut"><circle class="dot" cx="14" cy="6" r="5"/></g>'
        yield f"<li>{line.format(dot)}boundary</li>"
    if any(turn.spills for turn in timeline.turns):
        tick = '<line class="spill" x1="14" x2="14" y1="1" y2="11"/>'
        yield f"<li>{line.format(tick)}spill</li>"


def _path(method: str) -> str:
    return f'<path class="{method}" d="M1,6 L27,6"/>'


def _foot(timeline: Timeline) -> Iterator[str]:
    family = shown(timeline.tally.meter.estimator.family)
    yield "<footer>"
    yield (
        "<p>A number with ~ is an estimate, by measured weights of the tokenizer family"
        f" {family}; others are what the provider reported. This page holds"
        " beginnings of messages; what looks like a secret is masked.</p>"
    )
    yield f"<p>Made by mewctl {__version__}. Nothing is loaded or sent.</p>"
    yield "</footer>"
