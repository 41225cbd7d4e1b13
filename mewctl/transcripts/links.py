"""The way from the root to a leaf of a log whose records name their parents. Pure.

Must not know an agent's records, nor decide which record is the leaf.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from mewctl.transcripts.places import Places

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mewctl.transcripts import Report


class Linked(Protocol):
    """A record: its name, its parent's ("" if it names none, None for a root)."""

    @property
    def id(self) -> str:
        """The record's name, "" for none."""

    @property
    def parent(self) -> str | None:
        """The parent's name."""

    @property
    def line(self) -> int:
        """Where it stands, for notes."""


def way(entries: Sequence[Linked], leaf: int, report: Report) -> list[int]:
    """The positions from the root to ``leaf``; none if ``leaf`` is before the first.

    A parent that is missing, or was passed before, is noted, and the record before is
    taken for it.
    """
    places = Places(entry.id for entry in entries)
    path: list[int] = []
    seen: set[int] = set()
    at: int | None = leaf if leaf >= 0 else None
    while at is not None:
        seen.add(at)
        path.append(at)
        named = entries[at].parent
        if named is None:
            break
        parent = places.find(named, at) if named else None
        if parent is None or parent in seen:
            before = _before(at, seen)
            if named:
                _tell(entries[at].line, before, report, circle=parent is not None)
            parent = before
        at = parent
    return path[::-1]


def _before(at: int, seen: set[int]) -> int | None:
    """The entry before ``at`` in the file that was not passed yet."""
    at -= 1
    while at in seen:
        at -= 1
    return at if at >= 0 else None


def _tell(line: int, before: int | None, report: Report, *, circle: bool) -> None:
    if circle:
        text = "a circle of parents was cut here"
    elif before is None:
        text = "the parent is missing: the history begins here"
    else:
        text = "the parent is missing: the record before was taken"
    report.add(line, "branch", text)
