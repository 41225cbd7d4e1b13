"""The parts of a timeline: sizes, turns, spills, boundaries, and a bounded curve.

Values alone; ``timeline`` fills them and ``timeline_report`` tells them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from mewctl.history.offloaded import Known
    from mewctl.history.view import Usage

#: What tells of a cut: a compact marker of a log, a summary, or usage that shrank.
Kind: TypeAlias = Literal["marker", "summary", "fall"]


class Size(NamedTuple):
    """Tokens of a context. ``measured``: a provider reported them."""

    tokens: int = 0
    measured: bool = False

    @property
    def method(self) -> str:
        """How the number came about."""
        return "usage" if self.measured else "estimate"


NOTHING = Size()


@dataclass(frozen=True, slots=True)
class About:
    """What a compact marker says of itself. ``messages``: those of its snapshot."""

    id: str = ""
    reason: str = ""
    provider: str = ""
    messages: int = 0


@dataclass(slots=True)
class Turn:
    """A turn. ``first``: number of its first message, from 1; 0 is before any user.

    ``start``: tokens of the context before it, ``size`` behind it. ``usage``: of all
    its requests together.
    """

    number: int
    first: int
    time: float | None = None
    head: str = ""
    start: int = 0
    size: Size = NOTHING
    peak: Size = NOTHING
    messages: int = 0
    requests: int = 0
    spills: int = 0
    cuts: int = 0
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Spill:
    """A preview. ``before``: tokens of its body, ``after``: its own."""

    message: int
    turn: int
    tool: str
    call_id: str
    known: Known
    before: int
    after: int


@dataclass(slots=True)
class Cut:
    """A boundary, or a context that shrank without one.

    ``before`` is None where the input begins with it. ``rewritten``: tokens of the next
    request that no cache held. ``complete``: no record of a snapshot is missing.
    """

    kind: Kind
    message: int
    turn: int
    before: Size | None
    time: float | None = None
    about: About = field(default_factory=About)
    after: Size | None = None
    rewritten: Size | None = None
    complete: bool = True


class Point(NamedTuple):
    """A size of the context, through a message."""

    message: int
    turn: int
    size: Size


class Points:
    """A curve of ``room`` to twice as many points, however long it becomes.

    Of neighbours that have no room the larger stays, so that no peak is lost.
    """

    def __init__(self, room: int) -> None:
        self._room = room
        self._step = 1  # points that become one
        self._count = 0
        self.kept: list[Point] = []

    def add(self, message: int, turn: int, size: Size) -> None:
        """The next point."""
        point = Point(message, turn, size)
        if self._count % self._step:
            self.kept[-1] = _larger(self.kept[-1], point)
        else:
            self.kept.append(point)
        self._count += 1
        if len(self.kept) >= 2 * self._room and self._count % self._step == 0:
            pairs = zip(self.kept[::2], self.kept[1::2], strict=True)
            self.kept = [_larger(*pair) for pair in pairs]
            self._step *= 2


def _larger(first: Point, second: Point) -> Point:
    return first if first.size.tokens >= second.size.tokens else second
