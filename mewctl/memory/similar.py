"""Whether two texts say the same: normalised, then by their character n-grams. Pure."""

from __future__ import annotations

import re
import unicodedata
from hashlib import sha256
from typing import TYPE_CHECKING

from mewctl import limits

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mewctl.memory.note import Note

_NOT_WORD = re.compile(r"[\W_]+")
_NUMBER = re.compile(r"[0-9]+")
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_MARKS = 8  # n-grams that stand for a text
_BETWEEN = re.compile(f"(?<={_WIDE.pattern}) | (?={_WIDE.pattern})")
_SPACE = re.compile(r"\s+")


def plain(text: str) -> str:
    """``text`` without case, punctuation and layout."""
    words = _NOT_WORD.sub(" ", unicodedata.normalize("NFKC", text).casefold())
    return _BETWEEN.sub("", words).strip()


def grams(text: str) -> frozenset[str]:
    """The n-grams of a plain text; shorter ones where a character is a word."""
    size = limits.SIMILAR_GRAM - (2 * len(_WIDE.findall(text)) > len(text))
    return frozenset(text[at : at + size] for at in range(len(text) - size + 1))


def likeness(one: str, other: str) -> float:
    """Jaccard's measure of two plain texts, 0 to 1; short ones are the same or not."""
    first, second = grams(one), grams(other)
    if min(len(first), len(second)) < limits.SIMILAR_MIN:
        return float(one == other)
    return len(first & second) / len(first | second)


def says_same(one: str, other: str, least: float = limits.SIMILAR_SAME) -> bool:
    """Whether two texts say the same, as far as letters tell.

    Other numbers are another statement: ``port 80`` is not ``port 81``.
    """
    first, second = plain(one), plain(other)
    if first == second:
        return True
    if _NUMBER.findall(first) != _NUMBER.findall(second):
        return False
    return likeness(first, second) >= least


def nearest(text: str, notes: Iterable[Note]) -> Note | None:
    """The first note that says the same as ``text``, by its body or title and body."""
    return next(
        (
            note
            for note in notes
            if says_same(text, note.body)
            or says_same(text, f"{note.title} {note.body}")
        ),
        None,
    )


def holds(text: str, part: str) -> bool:
    """Whether ``part`` stands in ``text`` word for word, layout aside."""
    return _SPACE.sub(" ", part).strip() in _SPACE.sub(" ", text)


def fingerprint(text: str) -> list[str]:
    """A few marks of a text; two that say the same nearly always share one.

    The smallest hashes of its n-grams: enough to find candidates among thousands
    without comparing each with each.
    """
    said = plain(text)
    found = grams(said) or {said}
    return sorted(sha256(gram.encode()).hexdigest() for gram in found)[:_MARKS]
