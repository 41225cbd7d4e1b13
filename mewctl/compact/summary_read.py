"""Facts read back from the text of a summary, where no facts file is at hand. Pure.

Reads what ``summary`` writes, in either language, exactly; of other writers' summaries
with the same nine headings it keeps the sections as prose. Never raises on any text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mewctl.compact.items_read import FactLines
from mewctl.compact.quote import neutralise, read_inline, read_moment
from mewctl.compact.sections import (
    AFTER,
    COUNT,
    HEADINGS,
    TITLE,
    USERS,
    WORDS,
    heading_number,
    number_in,
)
from mewctl.compact.user_words import DOT, UNSEEN, Stretch, Unseen
from mewctl.history.facts import CWD, Facts, UserWords

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mewctl.compact.texts import Lang

#: Where ``Facts.extra`` says who wrote the prose; ``offline`` where it does not.
PROSE_BY = "prose_by"
FOREIGN = "an earlier summary"

_CODE = re.compile(r"`([^`]*)`")
_PLACE = re.compile(r"`([^`]*)` ([-–, \d\[\]]+)")
_RANGE = re.compile(r"(-?\d{1,18})(?:–(-?\d{1,18})(?: \[(\d{1,18})\])?)?")
_FENCE = re.compile(r"`{3,}")
_BOUNDARY_TAG = "[mewctl boundary "
_ENOUGH = 3  # headings that make a summary where its title is missing


@dataclass(slots=True)
class _Reading:
    """What has been read so far."""

    facts: FactLines = field(default_factory=FactLines)
    users: list[UserWords] = field(default_factory=list)
    unseen: Unseen = field(default_factory=Unseen)
    prose: dict[int, str] = field(default_factory=dict)
    boundaries: tuple[str, ...] = ()
    messages: int = 0
    by: str = ""
    cwd: str = ""


def read(text: str) -> Facts:
    """The facts in a summary's text; empty facts if there is no summary in it.

    ``text`` may go on after the summary: the recovery attachment, a boundary tag.
    What the text does not show is not in the facts, but messages of the user that it
    only counts are named in ``extra["users_not_shown"]``.
    """
    lines = text.split("\n")
    start, lang = _title(lines)
    opening = _opening(lines, start)
    reading = _Reading()
    if not start or not _read_opening(opening, reading):
        facts = _foreign(lines[start:], lang)
        return facts if start or len(facts.prose) >= _ENOUGH else Facts()
    at = start + len(opening)
    for number in range(1, COUNT + 1):
        at = _section(lines, at, number, reading)
    return _facts(reading, lang)


def _title(lines: Sequence[str]) -> tuple[int, Lang]:
    """Where the lines after the title begin, 0 if there is none, and its language."""
    for at, line in enumerate(lines, 1):
        for lang, title in TITLE.items():
            if line == title:
                return at, lang
    chinese = any(line in HEADINGS["zh"] for line in lines)
    return 0, "zh" if chinese else "en"


def _opening(lines: Sequence[str], start: int) -> list[str]:
    found: list[str] = []
    for line in lines[start:]:
        if heading_number(line):
            break
        found.append(line)
    return found


def _read_opening(lines: Sequence[str], reading: _Reading) -> bool:
    """Read the lines before section 1; whether they are ours."""
    ours = False
    for line in lines:
        for words in WORDS.values():
            number = number_in(words.intro, line)
            if number is not None:
                ours, reading.messages = True, number
            if line.startswith(words.boundaries):
                reading.boundaries = tuple(map(read_inline, _CODE.findall(line)))
            if line.startswith(words.cwd):
                reading.cwd = read_inline("".join(_CODE.findall(line)[:1]))
            if line.startswith(words.prose_by):
                reading.by = read_inline("".join(_CODE.findall(line)[:1]))
    return ours


def _ends(line: str) -> bool:
    return line in AFTER or line.startswith(_BOUNDARY_TAG)


def _heading(number: int) -> set[str]:
    return {headings[number - 1] for headings in HEADINGS.values() if number <= COUNT}


def _section(lines: Sequence[str], start: int, number: int, reading: _Reading) -> int:
    """Read section ``number``, whose heading is at ``start``; where the next one is."""
    if start >= len(lines) or lines[start] not in _heading(number):
        return start
    at = start + 1
    if number == USERS:
        at = _users(lines, at, reading)
    following = _heading(number + 1)
    labels = {words.prose for words in WORDS.values()}
    facts: list[str] = []
    prose: list[str] = []
    into = facts
    while at < len(lines) and lines[at] not in following and not _ends(lines[at]):
        if lines[at] in labels:
            into = prose
        else:
            into.append(lines[at])
        at += 1
    reading.facts.read(number, facts)
    while prose and not prose[-1]:
        prose.pop()
    if prose:
        reading.prose[number] = "\n".join(prose)
    return at


# --- the user's words ---


def _users(lines: Sequence[str], start: int, reading: _Reading) -> int:
    """Read the messages; where the lines after the last one begin."""
    at = start
    boundary = ""
    while at < len(lines):
        unseen = _unseen(lines[at])
        if unseen is not None:
            reading.unseen = unseen
            at += 1
            continue
        end = _fence_end(lines, at + 1)
        user = _user(lines, at, end, boundary) if end else None
        if user is None:
            break
        boundary = user.boundary
        reading.users.append(user)
        at = end + 1
    return at


def _fence_end(lines: Sequence[str], at: int) -> int:
    """Where the fence that opens at ``at`` closes; 0 if there is none."""
    if at >= len(lines) or not _FENCE.fullmatch(lines[at]):
        return 0
    try:
        return lines.index(lines[at], at + 1)
    except ValueError:
        return 0


def _user(lines: Sequence[str], at: int, end: int, boundary: str) -> UserWords | None:
    """The message whose heading is at ``at`` and whose fence closes at ``end``."""
    mark, _, heading = lines[at].partition(" ")
    number, *notes = heading.split(DOT)
    if mark != "###" or not re.fullmatch(r"-?\d{1,18}", number):
        return None
    time: float | None = None
    images = 0
    for note in notes:
        time = read_moment(note) if time is None else time
        for words in WORDS.values():
            images = number_in(words.images, note) or images
            if note.startswith(words.boundary):
                boundary = read_inline("".join(_CODE.findall(note)[:1]))
    text = "\n".join(lines[at + 2 : end])
    return UserWords(int(number), text, time, images, boundary)


def _unseen(line: str) -> Unseen | None:
    """What a pointer line counts; None if the line is no pointer."""
    for words in WORDS.values():
        pattern = re.escape(words.not_shown).replace(r"\{\}", r"(\d{1,18})")
        counted = re.match(pattern, line)
        if counted is not None:
            places = line[counted.end() :].split(words.recall, maxsplit=1)[0]
            stretches = (
                stretch
                for boundary, numbers in _PLACE.findall(places)
                for stretch in _stretches(numbers, read_inline(boundary))
            )
            return Unseen(tuple(stretches), int(counted.group(2)))
    return None


def _stretches(text: str, boundary: str) -> Iterator[Stretch]:
    """The stretches in ``2–4, 7, 9–30 [5]``."""
    for found in _RANGE.finditer(text):
        first, last, count = found.groups()
        start, end = int(first), int(last or first)
        if start <= end:
            yield Stretch(start, end, int(count or end - start + 1), boundary)


# --- the whole ---


def _facts(reading: _Reading, lang: Lang) -> Facts:
    extra: dict[str, Any] = {}
    if reading.unseen.stretches:
        extra[UNSEEN] = reading.unseen.to_json()
    if reading.by:
        extra[PROSE_BY] = reading.by
    if reading.cwd:
        extra[CWD] = reading.cwd
    return Facts(
        users=tuple(reading.users),
        files=tuple(reading.facts.files),
        commands=tuple(reading.facts.commands),
        failures=reading.facts.all_failures(),
        todos=reading.facts.all_todos(),
        last_calls=tuple(reading.facts.calls),
        last_text=reading.facts.last_text,
        earlier=reading.facts.earlier,
        prose=reading.prose,
        boundaries=reading.boundaries,
        messages=reading.messages,
        language=lang,
        extra=extra,
    )


def _foreign(lines: Sequence[str], lang: Lang) -> Facts:
    """Another writer's summary: each section as prose."""
    sections: dict[int, list[str]] = {}
    number = 0
    for line in lines:
        if _ends(line):
            break
        found = heading_number(line)
        if found > number:
            number = found
        elif number:
            sections.setdefault(number, []).append(line)
    prose = {n: neutralise("\n".join(text)) for n, text in sections.items()}
    prose = {n: text for n, text in prose.items() if text}
    return Facts(prose=prose, language=lang, extra={PROSE_BY: FOREIGN})
