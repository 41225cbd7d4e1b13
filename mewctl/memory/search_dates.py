"""Dates in a text, as terms: a year, a month, a day, and what they make together.

``8 May 2023``, ``2023-05-08`` and ``2023年5月8日`` give the same terms: a question
meets a note whatever way each writes. Must not know today's date. Pure.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

#: The months of English, German, French and Spanish, as people write them.
_MONTHS = (
    "january jan januar jänner janvier enero",
    "february feb februar février febrero",
    "march mar märz mars marzo",
    "april apr avril abril",
    "may mai mayo",
    "june jun juni juin junio",
    "july jul juli juillet julio",
    "august aug août agosto",
    "september sep sept septembre septiembre",
    "october oct oktober okt octobre octubre",
    "november nov novembre noviembre",
    "december dec dezember dez décembre diciembre",
)
_NUMBER = {name: at for at, names in enumerate(_MONTHS, 1) for name in names.split()}
#: Words that are a month alone only after a preposition.
_DOUBTFUL = frozenset(
    {"may", "march", "mars", "mar", "jan", "sep", "sept", "dec", "okt"}
)
_NAME = "|".join(sorted(_NUMBER, key=len, reverse=True))
_YEAR = "(?P<year>(?:19|20)[0-9]{2})"
_MONTH = "(?P<month>[0-9]{1,2})"
_WORD = rf"\b(?P<name>{_NAME})\b\.?"
_DAY = "(?P<day>[0-9]{1,2})"
_ALONE = r"(?<![\w.])"
_THEN_YEAR = rf"(?:,?\s(?:de\s|del\s)?{_YEAR}\b)?"
_SHAPES = (  # those that say more come first
    rf"{_ALONE}{_YEAR}(?P<mark>[-/.]){_MONTH}(?:(?P=mark){_DAY})?(?![0-9])",
    rf"(?:{_YEAR}\s?[年년]\s?)?(?<![0-9]){_MONTH}\s?[月월](?:\s?{_DAY}\s?[日号일])?",
    rf"{_ALONE}{_DAY}(?:st|nd|rd|th|\.)?\s(?:of\s|de\s)?{_WORD}{_THEN_YEAR}",
    rf"{_WORD}\s{_DAY}(?:st|nd|rd|th)?\b(?:,?\s{_YEAR}\b)?",
    rf"{_WORD},?\s(?:of\s|de\s)?{_YEAR}\b",
    rf"{_ALONE}{_DAY}\.\s?{_MONTH}\.\s?{_YEAR}(?![0-9])",
    rf"\b(?P<before>(?:in|since|until|during|last|next|im|seit|en)\s)?{_WORD}",
    rf"{_ALONE}{_YEAR}(?!\w|[.][0-9])",
)
_DIGIT = re.compile("[0-9]")
_LETTERS = re.compile(r"[^\W\d_]{3,}")
_LAST_MONTH = 12
_LAST_DAY = 31


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    """Made when a text may have a date: that costs more than a search."""
    return tuple(re.compile(shape, re.IGNORECASE) for shape in _SHAPES)


def terms(text: str) -> list[str]:
    """The terms of all dates in ``text``, each once."""
    if not (_DIGIT.search(text) or _named(text)):
        return []
    found: dict[str, None] = {}
    for pattern in _patterns():
        kept: list[str] = []
        end = 0
        for match in pattern.finditer(text):
            some = list(_terms(match))
            if some:  # what was read as a date is not read as a part of one again
                found.update(dict.fromkeys(some))
                kept += [text[end : match.start()], " ; "]
                end = match.end()
        text = "".join((*kept, text[end:])) if kept else text
    return list(found)


def _named(text: str) -> bool:
    return any(word.lower() in _NUMBER for word in _LETTERS.findall(text))


def _terms(match: re.Match[str]) -> Iterator[str]:
    groups = match.groupdict()
    name = groups.get("name") or ""
    year = groups.get("year") or ""
    month = _NUMBER.get(name.lower()) or int(groups.get("month") or 0)
    day = int(groups.get("day") or 0)
    if month > _LAST_MONTH or day > _LAST_DAY or (day and not month):
        return
    if name and not (year or day) and not _is_month(name, groups["before"]):
        return
    if year:
        yield f"y{year}"
    if month:
        yield f"m{month}"
    if month and year:
        yield f"y{year}m{month}"
    if day:
        yield f"m{month}d{day}"
    if day and year:
        yield f"y{year}m{month}d{day}"


def _is_month(name: str, before: str | None) -> bool:
    """Whether a month's name that stands alone is meant for one."""
    return bool(before) or (name[0].isupper() and name.lower() not in _DOUBTFUL)
