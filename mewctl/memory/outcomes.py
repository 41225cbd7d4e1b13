"""What became of an action, for those who proposed it. Pure values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from mewctl.memory.note import Note
    from mewctl.memory.writes import Write

Fate: TypeAlias = Literal["applied", "merged", "rejected", "conflict"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The fate of one action, with the reason unless it was simply applied.

    ``note`` is the note as it will be, or the one that stood in the way; with a
    conflict it is the text that was proposed. ``writes``: what to do.
    """

    kind: str
    about: str
    fate: Fate
    why: str = ""
    note: Note | None = None
    writes: tuple[Write, ...] = ()


def to_json(outcome: Outcome) -> dict[str, Any]:
    """The result record of an action."""
    note = outcome.note
    value: dict[str, Any] = {
        "type": "memory_result",
        "action": outcome.kind,
        "about": outcome.about,
        "result": outcome.fate,
        "reason": outcome.why,
    }
    if note is not None:
        value |= {
            "id": note.id,
            "level": note.level,
            "file": note.file,
            "hash": note.hash,
            "quarantined": note.quarantined,
        }
    return {key: item for key, item in value.items() if item}
