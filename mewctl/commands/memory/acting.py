"""Carrying out plans: lock, read, decide, write, tell. The shell of every change."""

from __future__ import annotations

import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from mewctl.commands.memory.places import gathered
from mewctl.memory.value import stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mewctl.memory.note import Note
    from mewctl.memory.store import Store
    from mewctl.memory.writes import Write


@contextmanager
def held(found: Sequence[Store]) -> Iterator[None]:
    """The locks of all the stores, taken in one order. Raises as ``Store.lock``."""
    with ExitStack() as stack:
        for store in found:
            stack.enter_context(store.lock())
        yield


def write_all(
    found: Sequence[Store], writes: Sequence[Write], now: float, by: str
) -> None:
    """Carry writes out, each in its store. The caller holds the locks."""
    for store in found:
        here = [one for one in writes if _level(one) == store.level]
        if here:
            store.carry_out(here, now, by)


def _level(write: Write) -> str:
    note = write.new or write.old
    return note.level if note else ""


def change(
    options: Mapping[str, Any],
    by: str,
    decide: Callable[[list[Note], str], Sequence[Write]],
) -> Sequence[Write]:
    """Let ``decide`` plan over the notes under the locks, and carry that out.

    ``decide`` gets the notes and the time as notes have it. Only stores that are there
    are looked at, so that a look makes none.
    """
    import os

    from mewctl.commands.memory.places import stores

    there = [one for one in stores(options) if os.path.isdir(one.directory)]
    with held(there):
        notes, found = gathered({**options, "quiet": True})
        now = time.time()
        writes = decide(notes, stamp(now))
        write_all(found, writes, now, by)
    return writes
