"""Which notes go to the archive by themselves, and why. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.memory.value import expired, touched, value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mewctl.memory.note import Note

_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Verdict:
    """A note that goes, and the reason."""

    note: Note
    why: str


def verdicts(notes: Iterable[Note], now: float) -> list[Verdict]:
    """The notes that go, in their order. ``now`` in Unix seconds.

    Pinned and damaged notes stay, and those that nothing dates.
    """
    found = []
    for note in notes:
        why = "" if note.pinned or note.problem else _why(note, now)
        if why:
            found.append(Verdict(note, why))
    return found


def _why(note: Note, now: float) -> str:
    if expired(note, now):
        return f"valid until {note.valid_until}"
    if not touched(note) or value(note, now) >= limits.GC_VALUE:
        return ""
    days = int((now - touched(note)) // _DAY)
    return f"not used for {days} days, {note.uses} uses before"
