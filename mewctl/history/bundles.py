"""The items that are one message, put together for a repair's plan and parted after it.

An answer of the Responses API is several records (``ITEM``). A plan takes the
assistant's in a row for one message; what it says of that message is carried out record
by record, so that only those change that must. Must not judge what is wrong.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

from mewctl.history.pairing import Place
from mewctl.history.shape import (
    BODY,
    DANGLING,
    ENDS_THINKING,
    HOLLOW,
    ITEM,
    MALFORMED,
    THINKING,
    UNTIDY,
    Shape,
)
from mewctl.history.steps import Absent, Answer, Own

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mewctl.history.findings import Finding
    from mewctl.history.planning import Planner
    from mewctl.history.rules import Rules
    from mewctl.history.steps import Piece, Step, Where

T = TypeVar("T")


class Bundle(Generic[T]):
    """Some items that are one message, with their shapes."""

    __slots__ = ("entries",)

    def __init__(self, entries: list[tuple[Shape, T]]) -> None:
        self.entries = entries


def bundled(
    entries: Iterable[tuple[Shape, T]], rules: Rules
) -> Iterator[tuple[Shape, T | Bundle[T]]]:
    """The entries; items in a row are one entry with the shape of their message."""
    held: list[tuple[Shape, T]] = []
    for entry in entries:
        if entry[0].has & ITEM:
            held.append(entry)
            continue
        if held:
            yield _shape(held, rules), Bundle(held)
            held = []
        yield entry
    if held:
        yield _shape(held, rules), Bundle(held)


def parted(entries: Iterable[tuple[Shape, T | Bundle[T]]]) -> list[tuple[Shape, T]]:
    """The entries with every bundle's own in its place."""
    found: list[tuple[Shape, T]] = []
    for shape, held in entries:
        if isinstance(held, Bundle):
            found += held.entries
        else:
            found.append((shape, held))
    return found


def _shape(entries: Sequence[tuple[Shape, T]], rules: Rules) -> Shape:
    """The shape of the message that the items are."""
    shapes = [shape for shape, _ in entries]
    has = 0
    for shape in shapes:
        has |= shape.has
    telling = [shape for shape in shapes if not is_hollow(shape)]
    has &= ~ENDS_THINKING
    if telling and len(telling) < len(shapes):
        has |= HOLLOW
    if telling and telling[-1].has & ENDS_THINKING:
        has |= ENDS_THINKING | (DANGLING if rules.thinking_leads else 0)
    calls = tuple(call_id for shape in shapes for call_id in shape.calls)
    results = tuple(call_id for shape in shapes for call_id in shape.results)
    return Shape("assistant", has, calls, results)


def is_hollow(shape: Shape) -> bool:
    """Whether an item says nothing."""
    return not (shape.has & (BODY | THINKING) or shape.calls or shape.results)


_OF_SHAPES: dict[str, Callable[[Shape], object]] = {
    "empty-content": is_hollow,
    "malformed-part": lambda shape: shape.has & MALFORMED,
}


class Members(Generic[T]):
    """Planned messages, some of them bundles, and the records they consist of."""

    def __init__(self, entries: Sequence[tuple[Shape, T | Bundle[T]]]) -> None:
        self.shapes = [shape for shape, _ in entries]
        self.records = parted(entries)
        sizes = [len(b.entries) if isinstance(b, Bundle) else 1 for _, b in entries]
        self._sizes = sizes
        self._starts = [0, *accumulate(sizes)]

    def first(self, item: int) -> int:
        """The first record of the ``item``-th message."""
        return self._starts[item]

    def is_bundle(self, item: int) -> bool:
        """Whether a message consists of several records."""
        return self._sizes[item] > 1

    def _of(self, item: int) -> range:
        return range(self._starts[item], self._starts[item + 1])

    def _shape(self, at: int) -> Shape:
        return self.records[at][0]

    # --- steps ---

    def steps(self, step: Step) -> Iterator[Step]:
        """A step of the plan as steps for the records."""
        if step.base is None or not self.is_bundle(step.base):
            base = None if step.base is None else self._starts[step.base]
            yield replace(step, base=base, pieces=tuple(map(self._piece, step.pieces)))
            return
        (own,) = (piece for piece in step.pieces if isinstance(piece, Own))
        for at, part in self._owns(own):
            if step.whole or not is_hollow(self._shape(at)):
                whole = step.whole or self._is_whole(at, part)
                yield replace(step, base=at, pieces=(part,), whole=whole)

    def _is_whole(self, at: int, own: Own) -> bool:
        return own.thinking and not (own.renamed or self._shape(at).has & UNTIDY)

    def _owns(self, own: Own) -> Iterator[tuple[int, Own]]:
        """What each record of a message says; thinking is lost from the end on."""
        kept = self._last_words(own.item)
        first = 0
        for at in self._of(own.item):
            count = len(self._shape(at).calls)
            renamed = tuple(
                (nth - first, new)
                for nth, new in own.renamed
                if first <= nth < first + count
            )
            first += count
            thinking = own.thinking or at <= kept
            yield at, replace(own, item=at, renamed=renamed, thinking=thinking)

    def _last_words(self, item: int) -> int:
        """The last record of a message that ends in more than thinking; -1 for none."""
        for at in reversed(self._of(item)):
            shape = self._shape(at)
            if not (is_hollow(shape) or shape.has & ENDS_THINKING):
                return at
        return -1

    def _piece(self, piece: Piece) -> Piece:
        if isinstance(piece, Own):
            return replace(piece, item=self._starts[piece.item])
        if isinstance(piece, Answer):
            return replace(piece, result=self._place(piece.result, "results"))
        if isinstance(piece, Absent):
            return replace(piece, call=self._place(piece.call, "calls"))
        return piece

    def _place(self, place: Place, what: Literal["calls", "results"]) -> Place:
        """Where a call or result stands among the records."""
        item, nth = place
        at = self._starts[item]
        while nth >= (count := len(getattr(self._shape(at), what))):
            nth -= count
            at += 1
        return Place(at, nth)

    # --- findings ---

    def exact(self, item: int, finding: Finding) -> int:
        """The record of a message that a finding is about."""
        if finding.kind == "parted-thinking":
            return self._last_words(item) + 1 or self._starts[item]
        for at in self._of(item):
            shape = self._shape(at)
            if finding.kind in _OF_SHAPES:
                if _OF_SHAPES[finding.kind](shape):
                    return at
            elif finding.id in shape.calls:
                return at
        return self._starts[item]


class Parted(Generic[T]):
    """A planner of messages that speaks of records. ``where`` says where those are."""

    def __init__(
        self, planner: Planner, members: Members[T], where: Callable[[int], Where]
    ) -> None:
        self._planner = planner
        self._members = members
        self._where = where
        bundles = (i for i in range(len(members.shapes)) if members.is_bundle(i))
        self._bundles = {where(members.first(i)).message: i for i in bundles}

    def steps(self) -> Iterator[Step]:
        """The repaired records, in order."""
        if not self._bundles:  # a record is a message, and stands where it does
            yield from self._planner.steps()
            return
        for step in self._planner.steps():
            yield from self._members.steps(step)

    def findings(self) -> list[Finding]:
        """What was wrong, in the order of the input, once all steps were taken."""
        found = map(self._exact, self._planner.findings())
        return sorted(found, key=lambda finding: finding.message)

    def _exact(self, finding: Finding) -> Finding:
        item = self._bundles.get(finding.message)
        if item is None:
            return finding
        line, message = self._where(self._members.exact(item, finding))
        return replace(finding, line=line, message=message)
