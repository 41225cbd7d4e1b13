"""How far a note can be relied on: from its source and evidence alone. Pure.

Never a number, and never a model's own opinion of itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mewctl.memory.note import Note, Source

#: By the source, and whether there is evidence (of a tool: whether it was approved).
_LEVELS: dict[tuple[Source, bool], tuple[str, str]] = {
    ("hand", False): ("high", "written by hand"),
    ("hand", True): ("high", "written by hand"),
    ("user", True): ("high", "the user's own words"),
    ("user", False): ("high", "given by the user"),
    ("model", True): ("medium", "a model's conclusion, with the sentence it rests on"),
    ("model", False): ("low", "a model's conclusion without evidence"),
    ("tool", True): ("medium", "the output of a tool, approved by the user"),
    ("tool", False): ("low", "the output of a tool, which nobody approved"),
}


def confidence(note: Note) -> tuple[str, str]:
    """``high``, ``medium`` or ``low``, and the reason in words."""
    if note.problem:
        return "low", f"its fields are damaged: {note.problem}"
    backed = note.approved if note.source == "tool" else bool(note.evidence)
    return _LEVELS[note.source, backed]
