"""Which compaction an undo takes back, and what the history is after that. Pure.

A log is never shortened: an undo is a marker of its own, with the older history and the
messages since for its snapshot.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mewctl.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mewctl.session.reading import Chapter

#: Reasons of markers that stand for no compaction: there is nothing before them.
ORIGINS = frozenset({"fork", "import"})


@dataclass(frozen=True, slots=True)
class Undo:
    """What to bring back: a whole chapter, and what came after the snapshots since.

    ``number`` is that of the marker taken back.
    """

    number: int
    before: Chapter
    since: tuple[Chapter, ...]


def standing(chapters: Sequence[Chapter]) -> list[int]:
    """The numbers of the markers that no undo has taken back, the oldest first."""
    stack: list[int] = []
    for chapter in chapters:
        if chapter.mark is None or chapter.mark.marker.reason in ORIGINS:
            continue
        undoes = chapter.mark.marker.undoes
        if undoes:
            stack = [number for number in stack if number < undoes]
        else:
            stack.append(chapter.number)
    return stack


def plan(chapters: Sequence[Chapter]) -> Undo:
    """The undo of the last compaction that stands.

    ``chapters``: all of a log, in order. Raises ``NotFound`` where none stands, or
    where a marker does not say how long its snapshot is.
    """
    stack = standing(chapters)
    if not stack:
        raise NotFound(
            what="no compaction is left to take back",
            remedy="see mewctl session checkpoints",
        )
    number = stack[-1]
    since = tuple(chapter for chapter in chapters if chapter.number >= number)
    for chapter in since:
        if chapter.snapshot is None:
            raise NotFound(
                what=f"the marker of checkpoint {chapter.number} does not count its "
                "messages, so that those since cannot be told apart",
                remedy="see mewctl session load --raw",
            )
    return Undo(number, chapters[number - 1], since)
