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


class Stretch(NamedTuple, Generic[T]):
    """Some neighbouring records with their shapes.

    ``clean``: nothing is wrong with them. ``end``: the history ends with them.
    """

    entries: list[tuple[Shape, T]]
    clean: bool = True
    end: bool = False


def stretches(
    entries: Iterable[tuple[Shape, T]], rules: Rules, progress: Progress
) -> Iterator[Stretch[T]]:
    """The stretches of a history, in order, each as soon as it is complete.

    Between two of them, ``progress`` must be brought up to date: for a clean stretch
    that is done here, for any other by its plan. A marker starts a new history.
    """
    lane, watch = Lane(rules, progress), Watch(rules, progress)
    held: list[tuple[Shape, T]] = []
    for entry in entries:
        shape = entry[0]
        if shape is MARKER:
            if held:
                yield Stretch(held, watch.finish(held, end=False))
                held = []
            lane.reset()
            progress.reset()
            yield Stretch([entry])
            continue
        if watch.on and watch.ends_before(shape):
            yield Stretch(held, watch.finish(held, end=False))
            held = []
        step = REFUSE if watch.on else lane.take(shape)
        if step == NEXT:
            yield Stretch(held)
            held = []
        elif step == REFUSE:
            watch.add(shape, held)
        held.append(entry)
        if step == DONE or (step == REFUSE and watch.ends_now()):
            yield Stretch(held, step == DONE or watch.finish(held, end=False))
            held = []
    if held:
        yield Stretch(held, watch.finish(held, end=True), end=True)
