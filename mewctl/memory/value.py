"""What a note is worth: its use, and how fresh it is. Pure, in days.

Preferences and corrections never age: a rule of the user holds until it is changed.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from mewctl import limits

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mewctl.memory.note import Note

_DAY = 86_400


def seconds(text: str) -> float | None:
    """The Unix time of an RFC 3339 time or a date (UTC); None if it is none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def stamp(time: float) -> str:
    """A Unix time as notes hold it: ``2026-12-01T18:30:00Z``."""
    return datetime.fromtimestamp(int(time), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def touched(note: Note) -> float:
    """When it was last used or got new content; 0 where nothing says."""
    times = map(seconds, (note.created, note.updated, note.last_used))
    return max((time for time in times if time is not None), default=0.0)


def newest(notes: Iterable[Note]) -> float:
    """The last time that any of the notes tells: a moment that needs no clock."""
    return max(map(touched, notes), default=0.0)


def value(note: Note, now: float) -> float:
    """Use times freshness: 1 for a new note that was never used."""
    half = limits.HALF_LIFE.get(note.type)
    age = max(0.0, now - touched(note)) / _DAY
    freshness = 1.0 if half is None else math.pow(0.5, min(age / half, 1000.0))
    return (1.0 + math.log2(1 + note.uses)) * freshness


def expired(note: Note, now: float) -> bool:
    """Whether its ``valid_until`` has passed; a date holds through its last second."""
    until = seconds(note.valid_until)
    if until is None:
        return False
    whole_day = len(note.valid_until) <= len("2026-12-01")
    return now >= until + (_DAY if whole_day else 0)
