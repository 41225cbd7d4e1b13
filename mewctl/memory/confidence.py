"""How far a note can be relied on: from its source and evidence alone. Pure.

Never a number, and never a model's own opinion of itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mewctl.memory.note import Note


def confidence(note: Note) -> tuple[str, str]:
    """``high``, ``medium`` or ``low``, and the reason in words."""
    if note.problem:
        return "low", f"its fields are damaged: {note.problem}"
    if note.source == "hand":
        return "high", "written by hand"
    if note.source == "user":
        if note.evidence:
            return "high", "the user's own words"
        return "high", "given by the user"
    if note.source == "tool":
        if note.approved:
            return "medium", "the output of a tool, approved by the user"
        return "low", "the output of a tool, which nobody approved"
    if note.evidence:
        return "medium", "a model's conclusion, with the sentence it rests on"
    return "low", "a model's conclusion without evidence"
