"""Where records stand that are called by a name: the nearest of several. Pure.

Ids stand twice in a log when an agent writes a record again or two writers share a
file: then the one nearest before the record that names it is meant.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Places:
    """The positions of named records, in the order of the file."""

    def __init__(self, names: Iterable[str]) -> None:
        """``names``: the name of each record in turn, "" for none."""
        self._places: dict[str, list[int]] = {}
        for at, name in enumerate(names):
            if name:
                self._places.setdefault(name, []).append(at)

    def all(self, name: str) -> Sequence[int]:
        """The positions of all records called ``name``."""
        return self._places.get(name, ())

    def find(self, name: str, near: int) -> int | None:
        """Where ``name`` stands: the nearest before ``near``, or the next after it."""
        places = self._places.get(name)
        if not places:
            return None
        split = bisect_left(places, near)
        if split:
            return places[split - 1]
        return next((at for at in places if at != near), None)
