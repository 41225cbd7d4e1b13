"""Which sessions a store has, the newest activity first.

Opens no more logs than are asked for. What is damaged or cannot be read is listed as
such. Reads only; must not know tables or screens.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from heapq import nlargest
from typing import TYPE_CHECKING

from mewctl.errors import MewError
from mewctl.session import meta as metas
from mewctl.session.glimpse import UNTITLED, ending, title
from mewctl.session.ids import time_of
from mewctl.session.layout import LOG, Layout
from mewctl.store.listing import Unit, units
from mewctl.store.pages import Pages

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Row:
    """A session as a listing shows it.

    ``active``: the newest record's time, else that in the id, else the log's, in Unix
    seconds; ``mtime``: when the log was last written. ``size`` of the log in bytes.
    ``problem``: why it cannot be read, "" where it can.
    """

    id: str
    title: str
    active: float
    mtime: float
    size: int
    model: str = ""
    pinned: bool = False
    created: float | None = None
    problem: str = ""


def newest(directory: str, limit: int | None) -> tuple[list[Row], int]:
    """The ``limit`` sessions (None: all) of a directory, and how many there are.

    They are chosen by when their logs were written, and ordered by their last records.
    Raises ``StorageError``.
    """
    found = units(directory, LOG)
    chosen = found if limit is None else nlargest(limit, found, key=_by_time)
    return ordered(row(directory, unit) for unit in chosen), len(found)


def ordered(rows: Iterable[Row]) -> list[Row]:
    """The newest activity first; the same order every time."""
    return sorted(rows, key=lambda row: (-row.active, row.id))


def _by_time(unit: Unit) -> tuple[float, str]:
    return unit.mtime, unit.name


def row(directory: str, unit: Unit) -> Row:
    """What the head and tail of a session tell."""
    layout = Layout(os.path.join(directory, unit.name))
    problem, known = unit.problem, metas.Meta()
    name, active, model = UNTITLED, None, ""
    try:
        known = metas.load(layout.meta)
        if not problem:
            with Pages(layout.log) as pages:
                name = known.title or title(pages.read, pages.size)
                last = ending(pages.read, pages.size)
            active, model = last.time, last.model
            problem = _damage(known, last.time, name)
    except MewError as error:
        problem = str(error)
    if active is None:
        active = time_of(unit.name)
    return Row(
        id=unit.name,
        title=known.title or name,
        active=unit.mtime if active is None else active,
        mtime=unit.mtime,
        size=unit.size,
        model=model or known.model,
        pinned=known.pinned,
        created=known.created,
        problem=problem,
    )


def _damage(known: metas.Meta, time: float | None, name: str) -> str:
    if known.damaged:
        return f"session.json: {known.damaged}"
    if time is None and name == UNTITLED:
        return "no record can be read at either end of the log"
    return ""
