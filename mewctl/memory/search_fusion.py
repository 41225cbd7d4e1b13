"""The arms of a search, each on its own, and what they say together. Pure.

All arms speak in one unit, the weight of a term times its rarity, so that they can be
added. Rarity is counted over all stores: a small one must not count for less. Owns the
weights; must not know where terms are stored.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

from mewctl import limits

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from mewctl.memory.search_words import Question

#: A note: the number of its store, and its key there.
Key: TypeAlias = "tuple[int, int]"
Scores: TypeAlias = "dict[Key, float]"

LENT = "neighbours"
#: Arm -> its weight, in the order in which they are shown.
WEIGHTS: dict[str, float] = {
    "words": 1.0,
    "names": limits.SEARCH_NAMES,
    "dates": limits.SEARCH_DATES,
    "phrase": limits.SEARCH_PHRASE,
}
ARMS = (*WEIGHTS, LENT)
_DIGITS = 6  # of a score after the point: what is beyond is no difference


class Searched(Protocol):
    """What can be asked of one store. ``count``: how many notes are searched."""

    count: int

    def word(self, term: str) -> Mapping[int, float]:
        """Key -> weight of the notes with a term in title or body."""

    def mark(self, column: str, term: str) -> Mapping[int, float]:
        """The same for a term in ``names`` or ``dates``."""

    def phrase(self, text: str) -> Iterable[int]:
        """The keys of the notes that have a phrase."""

    def beside(
        self, keys: Iterable[int]
    ) -> Iterable[tuple[int, int | None, int | None]]:
        """Of those of a session: the key, that before it and that after it."""


@dataclass(frozen=True, slots=True)
class Lending:
    """What a note gets of its neighbours in a session, as parts of their scores."""

    before: float = limits.LEND_BEFORE
    after: float = limits.LEND_AFTER


USUAL = Lending()


def arms(
    question: Question, stores: Sequence[Searched], wanted: Collection[str] = ARMS
) -> dict[str, Scores]:
    """What each of the ``wanted`` arms finds by itself; neighbours find nothing so."""

    def mark(column: str) -> Callable[[Searched, str], Mapping[int, float]]:
        return lambda store, term: store.mark(column, term)

    def phrase(store: Searched, text: str) -> Mapping[int, float]:
        return dict.fromkeys(store.phrase(text), 1.0)

    asked: dict[str, tuple[Sequence[Sequence[str]], Callable[..., Mapping[int, float]]]]
    asked = {
        "words": (question.words, lambda store, term: store.word(term)),
        "names": ([(term,) for term in question.names], mark("names")),
        "dates": ([(term,) for term in question.dates], mark("dates")),
        "phrase": ([(text,) for text in question.phrases], phrase),
    }
    total = sum(store.count for store in stores)
    found: dict[str, Scores] = {}
    for arm in wanted:
        if arm != LENT:
            groups, ask = asked[arm]
            found[arm] = _sum(_best(stores, group, ask, total) for group in groups)
    return found


def _best(
    stores: Sequence[Searched],
    group: Sequence[str],
    ask: Callable[..., Mapping[int, float]],
    total: int,
) -> Scores:
    """The best that each note makes of terms of which one is enough."""
    best: Scores = {}
    for term in group:
        weights = {
            (place, key): weight
            for place, store in enumerate(stores)
            for key, weight in ask(store, term).items()
        }
        rare = rarity(len(weights), total)
        for key, weight in weights.items():
            score = rare * weight
            if score > best.get(key, 0.0):
                best[key] = score
    return best


def rarity(having: int, total: int) -> float:
    """What a term is worth that ``having`` of ``total`` notes have; more than 0."""
    return math.log1p((total - having + 0.5) / (having + 0.5))


def _sum(parts: Iterable[Scores]) -> Scores:
    whole: Scores = {}
    for part in parts:
        for key, score in part.items():
            whole[key] = whole.get(key, 0.0) + score
    return whole


def fused(
    found: Mapping[str, Scores],
    stores: Sequence[Searched],
    lending: Lending | None,
) -> tuple[Scores, Scores]:
    """All scores, weighted and added, and what of them neighbours lent.

    ``lending`` None: nobody lends. A note that no arm found can be lent to.
    """
    own: Scores = {}
    for arm, scores in found.items():
        for key, score in scores.items():
            own[key] = own.get(key, 0.0) + WEIGHTS[arm] * score
    lent = _lent(own, stores, lending) if lending else {}
    return {
        key: round(own.get(key, 0.0) + lent.get(key, 0.0), _DIGITS)
        for key in own | lent
    }, lent


def _lent(own: Scores, stores: Sequence[Searched], lending: Lending) -> Scores:
    lent: Scores = {}
    for place, store in enumerate(stores):
        keys = [key for at, key in own if at == place]
        for key, before, after in store.beside(keys):
            score = own[place, key]
            for to, part in ((before, lending.after), (after, lending.before)):
                if to is not None and part:
                    lent[place, to] = lent.get((place, to), 0.0) + part * score
    return lent


def first(scores: Scores, top: int) -> Scores:
    """The ``top`` best, and those that are as good as the last of them."""
    if len(scores) <= top:
        return scores
    least = sorted(scores.values(), reverse=True)[top - 1]
    return {key: score for key, score in scores.items() if score >= least}
