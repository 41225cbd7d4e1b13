"""Notes by what they say: the arms asked, their scores added, the best read from disk.

The order is a function of the files and the question: by score, then level and file.
Owns the steps; must not know how a term is stored or an answer is shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.memory.search_cache import anew, fresh
from mewctl.memory.search_fusion import LENT, USUAL, arms, first, fused
from mewctl.memory.search_tables import Damaged
from mewctl.memory.search_words import Question, question

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mewctl.memory.note import Note
    from mewctl.memory.search_fusion import Key, Lending, Scores
    from mewctl.memory.search_tables import Tables
    from mewctl.memory.store import Store


@dataclass(frozen=True, slots=True)
class Wish:
    """How many notes, and of which type ("": of any)."""

    top: int = limits.SEARCH_TOP
    type: str = ""
    lending: Lending | None = USUAL


@dataclass(frozen=True, slots=True)
class Hit:
    """A note that was found. ``arms``: arm -> what it says of it, where it says any."""

    note: Note
    score: float
    arms: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Found:
    """The best notes, how many there are beyond, and what was not searched and why."""

    hits: tuple[Hit, ...]
    more: int
    question: Question
    unread: tuple[tuple[Store, str, str], ...]


def search(stores: Sequence[Store], text: str, wish: Wish, now: float) -> Found:
    """The notes that ``text`` asks for. ``now``: Unix time in seconds.

    Raises ``StorageError``.
    """
    asked = question(text)
    try:
        return _search(stores, asked, wish, now, fresh)
    except Damaged:  # a cache that looked whole: all is read again
        return _search(stores, asked, wish, now, anew)


def _search(
    stores: Sequence[Store],
    asked: Question,
    wish: Wish,
    now: float,
    tables_of: Callable[[Store, float], Tables],
) -> Found:
    opened = [tables_of(store, now) for store in stores]
    try:
        by_arm = arms(asked, opened)
        scores, lent = fused(by_arm, opened, wish.lending)
        if wish.type:
            scores = _of_type(scores, opened, wish.type)
        best = _ranked(first(scores, wish.top), opened)[: wish.top]
        unread = tuple(
            (store, file, why)
            for store, tables in zip(stores, opened, strict=True)
            for file, why in tables.unread()
        )
    finally:
        for tables in opened:
            tables.close()
    notes = _read(stores, best)
    every = {**by_arm, LENT: lent}
    hits = tuple(
        Hit(notes[place, file], scores[place, key], _said((place, key), every))
        for (place, key), file in best
        if (place, file) in notes
    )
    return Found(hits, len(scores) - len(best), asked, unread)


def _of_type(scores: Scores, opened: Sequence[Tables], kind: str) -> Scores:
    wanted = [tables.of_type(kind) for tables in opened]
    return {key: score for key, score in scores.items() if key[1] in wanted[key[0]]}


def _ranked(scores: Scores, opened: Sequence[Tables]) -> list[tuple[Key, str]]:
    """Key and file, the best first."""
    files = {
        (place, key): file
        for place, tables in enumerate(opened)
        for key, file in tables.files([k for p, k in scores if p == place]).items()
    }
    order = sorted(scores, key=lambda key: (-scores[key], key[0], files[key]))
    return [(key, files[key]) for key in order]


def _read(
    stores: Sequence[Store], best: Sequence[tuple[Key, str]]
) -> dict[tuple[int, str], Note]:
    """The notes themselves; one that is gone meanwhile is not among them."""
    return {
        (place, note.file): note
        for place, store in enumerate(stores)
        for note in store.notes([file for (at, _), file in best if at == place])[0]
    }


def _said(key: Key, arms: Mapping[str, Scores]) -> dict[str, float]:
    said = {arm: round(scores.get(key, 0.0), 3) for arm, scores in arms.items()}
    return {arm: score for arm, score in said.items() if score}
