"""Cutting a history into stretches that can be judged by themselves, as it arrives.

A stretch ends where every call in it is answered, no result in it waits for its call,
and nothing that follows can change it. A clean one needs no plan. Must not say what is
wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from mewctl.history.lane import DONE, NEXT, REFUSE, Lane
from mewctl.history.shape import MARKER, Shape
from mewctl.history.watch import Watch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mewctl.history.rules import Rules
    from mewctl.history.steps import Progress

T = TypeVar("T")


class Damaged(NamedTuple, Generic[T]):
    """A stretch that needs a plan. ``end``: the history ends with it."""

    entries: list[tuple[Shape, T]]
    end: bool = False


def stretches(
    entries: Iterable[tuple[Shape, T]], rules: Rules, progress: Progress
) -> Iterator[list[tuple[Shape, T]] | Damaged[T]]:
    """The stretches of a history, in order, each as soon as it is complete.

    A list is clean. Between two stretches ``progress`` must be brought up to date: for
    a clean one that is done here, for a damaged one by its plan. A marker starts a new
    history.
    """
    lane, watch = Lane(rules, progress), Watch(rules, progress)
    held: list[tuple[Shape, T]] = []
    for entry in entries:
        shape = entry[0]
        if shape is MARKER:
            if held:
                yield held if watch.finish(held, end=False) else Damaged(held)
                held = []
            lane.reset()
            progress.reset()
            yield [entry]
            continue
        if watch.on and watch.ends_before(shape):
            yield held if watch.finish(held, end=False) else Damaged(held)
            held = []
        step = REFUSE if watch.on else lane.take(shape)
        if step == NEXT:
            yield held
            held = [entry]
            continue
        if step == REFUSE:
            watch.add(shape, held)
        held.append(entry)
        if step == DONE:
            yield held
            held = []
        elif step == REFUSE and watch.ends_now():
            yield held if watch.finish(held, end=False) else Damaged(held)
            held = []
    if held:
        yield held if watch.finish(held, end=True) else Damaged(held, end=True)
