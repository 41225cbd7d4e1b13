"""The index of notes: one line each, a pure function of the files. Pure.

``MEMORY.md`` holds it between two markers; text outside them is the user's and is kept.
The order is type, created, id, so that a new note changes as little as possible of what
a provider has in its cache. Owns the line's shape and what falls off where room is
short; must not touch files.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.memory.note import LEVELS, TYPES
from mewctl.memory.value import newest, touched, value
from mewctl.memory.words import one_line
from mewctl.streams.jsonvalue import utf8_size
from mewctl.streams.secrets import mask

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mewctl.memory.note import Note

FILE = "MEMORY.md"
BEGIN = "<!-- mewctl memory: written from the notes, do not edit between the marks -->"
END = "<!-- mewctl memory: end -->"
_LINE = re.compile(r"- \[\w+\] \[.*\]\(.+\)(?: — .*)?")
_LINK = re.compile(r"[\[\]()\\]")
_PATH = re.compile("[\x00-\x1f<>\x7f-\x9f\ud800-\udfff]")
_PLAIN_PATH = re.compile(r"[^\s()]+")
_DOTS = "..."
_DAY = 86_400


def shown(notes: Iterable[Note]) -> list[Note]:
    """The notes that belong in an index, in its order."""
    return sorted((one for one in notes if not one.quarantined), key=order)


def order(note: Note) -> tuple[int, int, str, str, str, str]:
    """What sorts notes: level, type, when made, id."""
    level = LEVELS.index(note.level)
    kind = TYPES.index(note.type) if note.type in TYPES else len(TYPES)
    return level, kind, note.type, note.created, note.id, note.file


def line(note: Note, age: str = "") -> str:
    """The line of a note. ``age``: put behind it, "" for none."""
    title = _LINK.sub(r"\\\g<0>", _text(note.title))
    about = _text(_short(one_line(mask(note.description))))
    tail = f" — {about}" if about else ""
    return f"- [{_word(note.type)}] [{title}]({_target(note.path)}){tail}{age}"


def _word(kind: str) -> str:
    return re.sub(r"\W+", "_", kind)[: limits.SLUG_CHARS]


def _text(text: str) -> str:
    """Text that cannot be taken for a comment, and so not for a marker of ours."""
    return one_line(mask(text)).replace("<!--", "&lt;!--")


def _short(text: str) -> str:
    """At most ``INDEX_DESCRIPTION`` bytes, cut at a border of UTF-8."""
    if utf8_size(text) <= limits.INDEX_DESCRIPTION:
        return text
    room = limits.INDEX_DESCRIPTION - len(_DOTS)
    return text.encode()[:room].decode("utf-8", "ignore") + _DOTS


def _target(path: str) -> str:
    safe = _PATH.sub(lambda m: f"%{min(ord(m[0]), 0xFF):02X}", path)
    return safe if _PLAIN_PATH.fullmatch(safe) else f"<{safe}>"


# --- the file ---


def written(old: str, notes: Iterable[Note]) -> str:
    """The text of ``MEMORY.md``: ``old`` with the lines of the notes in their place."""
    before, after = _outside(old)
    rows = [line(note) for note in shown(notes)]
    ours = "\n".join((BEGIN, *rows, END)) + "\n"
    if before and not before.endswith("\n"):
        before += "\n"
    return before + ours + after


def _outside(old: str) -> tuple[str, str]:
    """The user's text before and after our part, which may be missing or damaged."""
    before: list[str] = []
    after: list[str] = []
    rows = old.splitlines(keepends=True)
    marks = [row.strip() for row in rows]
    if BEGIN not in marks:  # an end alone marks nothing
        return "".join(row for row in rows if row.strip() != END), ""
    inside = False
    kept = before
    for at, row in enumerate(rows):
        if marks[at] == BEGIN:
            inside, kept = True, after
            closed = END in marks[at:]
        elif marks[at] == END:
            inside = False
        elif not inside or not (closed or _LINE.fullmatch(marks[at])):
            kept.append(row)
    return "".join(before), "".join(after)


# --- for a context ---


def rendered(notes: Sequence[Note], most: int, now: float | None = None) -> str:
    """The index for a context in at most ``most`` bytes, whole lines.

    What falls off is what is worth least, the pinned last of all; a last line says so.
    ``now`` in Unix seconds shows ages; without it no clock is needed. Where not even
    that last line fits, nothing is left.
    """
    chosen = kept(notes, most, now)
    total = len(shown(notes))
    rows = [line(note, _age(note, now)) + "\n" for note in chosen]
    cut = _cut(len(chosen), total) if len(chosen) < total else ""
    return "".join((*rows, cut if len(cut) <= most else ""))


def kept(notes: Sequence[Note], most: int, now: float | None = None) -> list[Note]:
    """The notes that an index of ``most`` bytes has, in its order."""
    ordered = shown(notes)
    sizes = [utf8_size(line(note, _age(note, now))) + 1 for note in ordered]
    if sum(sizes) <= most:
        return ordered
    moment = newest(ordered)
    ranked = sorted(
        range(len(ordered)),
        key=lambda at: (-ordered[at].pinned, -value(ordered[at], moment), at),
    )
    room = most - len(_cut(len(ordered), len(ordered)))
    chosen: set[int] = set()
    for at in ranked:
        room -= sizes[at]
        if room < 0:
            break
        chosen.add(at)
    return [note for at, note in enumerate(ordered) if at in chosen]


def _cut(count: int, total: int) -> str:
    return f"(index truncated: {count} of {total})\n"


def _age(note: Note, now: float | None) -> str:
    since = touched(note)
    if now is None or not since:
        return ""
    days = int(max(0.0, now - since) // _DAY)
    return f" ({days} d)" if days else " (today)"


def drifted(text: str, notes: Iterable[Note]) -> bool:
    """Whether ``MEMORY.md`` says anything else than the files do."""
    return written(text, notes) != text
