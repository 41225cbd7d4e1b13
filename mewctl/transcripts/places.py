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
    """The positions of named records, in the order of the file.

    Most names stand once, and a transcript has one for each record: a position alone
    takes a third of the room of a list of one.
    """

    def __init__(self, names: Iterable[str]) -> None:
        """``names``: the name of each record in turn, "" for none."""
        self._once: dict[str, int] = {}
        self._often: dict[str, list[int]] = {}
        for at, name in enumerate(names):
            if name:
                first = self._once.setdefault(name, at)
                if first != at:
                    self._often.setdefault(name, [first]).append(at)

    def all(self, name: str) -> Sequence[int]:
        """The positions of all records called ``name``."""
        places = self._often.get(name)
        if places is None:
            return (self._once[name],) if name in self._once else ()
        return places

    def find(self, name: str, near: int) -> int | None:
        """Where ``name`` stands: the nearest before ``near``, or the next after it."""
        places = self.all(name)
        if not places:
            return None
        split = bisect_left(places, near)
        if split:
            return places[split - 1]
        return next((at for at in places if at != near), None)
