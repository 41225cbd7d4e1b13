"""The curve of a timeline as SVG that keeps its text readable at any width.

Coordinates are percentages, so that the letters do not shrink with the picture; the
curve itself is in a picture within, which is stretched. Owns the scale; knows no table.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from mewctl.tokens.page_words import number, shown
from mewctl.tokens.timeline_events import Cut, Spill

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mewctl.tokens.report import Bounds
    from mewctl.tokens.timeline import Timeline
    from mewctl.tokens.timeline_events import Point, Turn

_LABEL = "Size of the context after each request; lists of all it shows follow"
_STRETCHED = 'preserveAspectRatio="none" aria-hidden="true"'
_WIDE, _HIGH = 1000, 100  # units of the picture within
_TICKS = 4  # lines of the grid, about
_COLUMNS = 400  # turns that a pointer finds
_NEAR = 0.4  # the threshold is shown from this part of it on
_AIR = 1.06  # above the highest point


class _Scale(NamedTuple):
    """Positions in percent, from the left and from the top."""

    curve: Sequence[Point]
    top: float

    def x(self, message: int) -> float:
        """Where a message is: at the first size that holds it."""
        at = bisect_left([point.message for point in self.curve], message)
        return self.place(min(at, len(self.curve) - 1))

    def place(self, at: int) -> float:
        """Where the size with the index ``at`` is."""
        return 100 * at / max(1, len(self.curve) - 1)

    def y(self, tokens: float) -> float:
        """How high a number of tokens is."""
        return 100 - 100 * tokens / self.top


def chart(timeline: Timeline, bounds: Bounds) -> str:
    """The picture; empty where there is no curve to draw."""
    curve = timeline.points.kept
    if len(curve) < 2:  # noqa: PLR2004 - a line has two ends
        return ""
    most = max(point.size.tokens for point in curve)
    threshold = bounds.threshold or 0
    near = threshold if most >= _NEAR * threshold else 0
    scale = _Scale(curve, max(most, near) * _AIR or 1)
    parts = [
        f'<svg class="chart" role="group" aria-label="{_LABEL}">',
        *_grid(scale),
        *_columns(scale, timeline.turns),
        f'<svg width="100%" height="100%" viewBox="0 0 {_WIDE} {_HIGH}" {_STRETCHED}>',
        *_paths(scale),
        "</svg>",
        *_limit(scale, near),
        *_spills(scale, [e for e in timeline.events if isinstance(e, Spill)]),
        *_cuts(scale, [e for e in timeline.events if isinstance(e, Cut)]),
        "</svg>",
    ]
    return "\n".join(parts)


def step(most: float) -> int:
    """A round distance of grid lines for values up to ``most``."""
    size = 1
    while True:
        for times in (1, 2, 5):
            if most / (times * size) <= _TICKS:
                return times * size
        size *= 10


def _grid(scale: _Scale) -> Iterator[str]:
    gap = step(scale.top)
    for tokens in range(0, int(scale.top) + 1, gap):
        y = f"{scale.y(tokens):.2f}%"
        yield f'<line class="grid" x1="0" x2="100%" y1="{y}" y2="{y}"/>'
        if tokens:
            yield f'<text x="2" y="{y}" dy="-4">{tokens:,}</text>'


def _columns(scale: _Scale, turns: Sequence[Turn]) -> Iterator[str]:
    """A column for each turn, which tells a pointer what it is."""
    if len(turns) > _COLUMNS:
        return
    starts = [scale.x(turn.first) for turn in turns] + [100.0]
    for turn, (left, right) in zip(turns, pairwise(starts), strict=True):
        words = f"Turn {turn.number}: {number(turn.size)} tokens. {turn.head}"
        yield (
            f'<rect class="turn" x="{left:.2f}%" width="{max(0.0, right - left):.2f}%"'
            f' y="0" height="100%"><title>{shown(words)}</title></rect>'
        )


def _paths(scale: _Scale) -> Iterator[str]:
    wide, high = _WIDE / 100, _HIGH / 100
    places = [
        f"{wide * scale.place(at):.1f},{high * scale.y(point.size.tokens):.2f}"
        for at, point in enumerate(scale.curve)
    ]
    line = " L".join(places)
    yield f'<path class="area" d="M0,{_HIGH} L{line} L{_WIDE},{_HIGH} Z"/>'
    start = 0
    for at in range(1, len(places) + 1):
        if at < len(places) and _method(scale, at) == _method(scale, start or 1):
            continue
        run = places[max(0, start - 1) : at]
        yield f'<path class="{_method(scale, start or 1)}" d="M{" L".join(run)}"/>'
        start = at


def _method(scale: _Scale, at: int) -> str:
    """How the stretch that ends at ``at`` is known."""
    return scale.curve[at].size.method


def _limit(scale: _Scale, threshold: int) -> Iterator[str]:
    if threshold:
        y = f"{scale.y(threshold):.2f}%"
        yield f'<line class="limit" x1="0" x2="100%" y1="{y}" y2="{y}"/>'
        yield (
            f'<text class="limit" x="100%" y="{y}" dy="-4" text-anchor="end">'
            f"threshold {threshold:,}</text>"
        )


def _spills(scale: _Scale, spills: Sequence[Spill]) -> Iterator[str]:
    for x in sorted({f"{scale.x(spill.message):.2f}" for spill in spills}, key=float):
        yield f'<line class="spill" x1="{x}%" x2="{x}%" y1="95%" y2="100%"/>'


def _cuts(scale: _Scale, cuts: Sequence[Cut]) -> Iterator[str]:
    for index, cut in enumerate(cuts, 1):
        x = f"{scale.x(cut.message):.2f}%"
        high = cut.before or cut.after
        y = f"{scale.y(high.tokens if high else 0):.2f}%"
        words = f"Boundary {index}, in turn {cut.turn}"
        yield (
            f'<a class="cut" href="#boundary-{index}" aria-label="{words}">'
            f"<title>{words}</title>"
            f'<line x1="{x}" x2="{x}" y1="0" y2="100%"/>'
            f'<circle class="reach" cx="{x}" cy="{y}" r="14"/>'
            f'<circle class="dot" cx="{x}" cy="{y}" r="6"/></a>'
        )
