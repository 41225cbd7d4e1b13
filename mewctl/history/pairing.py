"""Which result answers which call, and the ids that must change so that all agree.

Works on shapes alone, in one pass over them. Must not decide where anything goes.
"""

from __future__ import annotations

import hashlib
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from mewctl.history.shape import BODY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mewctl.history.rules import Rules
    from mewctl.history.shape import Shape


class Place(NamedTuple):
    """The ``nth`` call, or the ``nth`` result, of the ``item``-th message."""

    item: int
    nth: int


@dataclass(slots=True)
class Ids:
    """The call ids a history has used so far, for the whole of its length."""

    taken: set[str] = field(default_factory=set)
    _made: dict[str, int] = field(default_factory=dict)

    def instead_of(self, old: str) -> str:
        """A free id for one more call named ``old``; the same for the same history."""
        number = self._made.get(old, 0)
        while True:
            number += 1
            text = f"{old}\0{number}".encode("utf-8", "surrogatepass")
            new = f"call_{hashlib.sha256(text).hexdigest()[:24]}"
            if new not in self.taken:
                self._made[old] = number
                return new


@dataclass(slots=True)
class Pairing:
    """Who answers whom in one stretch of a history.

    ``answers``: message with calls -> message with results -> (call, result), both in
    order. ``strays``: the results left over. ``open``: message with calls -> those
    without a result. ``renamed``: call -> new id.
    """

    answers: dict[int, dict[int, list[tuple[Place, Place]]]] = field(
        default_factory=dict
    )
    strays: list[Place] = field(default_factory=list)
    open: dict[int, list[Place]] = field(default_factory=dict)
    renamed: dict[Place, str] = field(default_factory=dict)


_Waiting = dict[str, deque[Place]]


def pair(shapes: Sequence[Shape]) -> Pairing:
    """The pairing of ``shapes``.

    A result answers a call of the message it stands in or directly follows, if one has
    its id and is open. What such results leave open takes the oldest results that came
    before it; then each later result answers the oldest open call with its id.
    """
    return _Pairer(shapes).run()


class _Pairer:
    def __init__(self, shapes: Sequence[Shape]) -> None:
        self.shapes = shapes
        self.near: _Waiting = {}  # calls of the last message with calls
        self.far: _Waiting = {}  # open calls before it
        self.early: _Waiting = {}  # results that have found no call yet
        self.matches: dict[Place, Place] = {}  # result -> call

    def run(self) -> Pairing:
        for item, shape in enumerate(self.shapes):
            if shape.calls:
                self._leave()
                for nth, call_id in enumerate(shape.calls):
                    _wait(self.near, call_id, Place(item, nth))
            elif shape.role and (shape.has & BODY or not shape.results):
                self._answer(item, shape)
                self._leave()
                continue
            self._answer(item, shape)
        self._leave()
        return self._found()

    def _answer(self, item: int, shape: Shape) -> None:
        for nth, call_id in enumerate(shape.results):
            queue = self.near.get(call_id) or self.far.get(call_id)
            if queue:
                self.matches[Place(item, nth)] = queue.popleft()
            else:
                _wait(self.early, call_id, Place(item, nth))

    def _leave(self) -> None:
        """Nothing directly follows the last message with calls any more."""
        for call_id, calls in self.near.items():
            results = self.early.get(call_id)
            while calls and results:
                self.matches[results.popleft()] = calls.popleft()
            for call in calls:
                _wait(self.far, call_id, call)
        self.near = {}

    def _found(self) -> Pairing:
        found = Pairing()
        for result in sorted(self.matches):
            call = self.matches[result]
            by_source = found.answers.setdefault(call.item, {})
            by_source.setdefault(result.item, []).append((call, result))
        found.strays = sorted(place for queue in self.early.values() for place in queue)
        answered = set(self.matches.values())
        for item, shape in enumerate(self.shapes):
            calls = [Place(item, nth) for nth in range(len(shape.calls))]
            if missing := [call for call in calls if call not in answered]:
                found.open[item] = missing
        return found


def _wait(waiting: _Waiting, call_id: str, place: Place) -> None:
    waiting.setdefault(call_id, deque()).append(place)


def rename(shapes: Sequence[Shape], found: Pairing, ids: Ids, rules: Rules) -> None:
    """Give each call whose id is taken, or refused by the API, an id of its own."""
    for item, shape in enumerate(shapes):
        for nth, call_id in enumerate(shape.calls):
            used = call_id
            if used in ids.taken or not rules.call_id.fullmatch(used):
                used = ids.instead_of(call_id)
                found.renamed[Place(item, nth)] = used
            ids.taken.update((call_id, used))
