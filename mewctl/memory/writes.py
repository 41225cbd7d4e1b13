"""What is to be done to the files of a store, as values: plans end in these. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from mewctl.memory import frontmatter
from mewctl.memory.note import Note, read

if TYPE_CHECKING:
    from collections.abc import Mapping

#: What the journal calls a change.
Event: TypeAlias = Literal[
    "created", "updated", "merged", "approved", "pinned", "unpinned", "restored",
    "removed", "superseded", "archived", "used",
]  # fmt: skip
#: Events after which a note is no longer in the store.
GOING: frozenset[Event] = frozenset({"removed", "superseded", "archived"})


@dataclass(frozen=True, slots=True)
class Write:
    """One change: ``new`` in the place of ``old``; either may be None, not both.

    ``why`` is for the journal: a reason, or what the change rests on.
    """

    event: Event
    old: Note | None
    new: Note | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Archived:
    """A note that went: what it was, when (Unix seconds), by which event, and why."""

    note: Note
    time: float
    event: str
    why: str


def with_fields(note: Note, values: Mapping[str, frontmatter.Value | None]) -> Note:
    """The note with some fields set anew; the rest of its text stays as it is.

    A damaged or missing head is first made whole where that loses nothing. Raises
    ``frontmatter.BadFrontmatter`` where it would.
    """
    parts = frontmatter.split(note.text)
    if not parts.head:
        values = {"id": note.id, "type": note.type, "title": note.title, **values}
    return read(frontmatter.changed(note.text, values), note.file, note.level)


def with_body(note: Note, body: str) -> Note:
    """The note with another body; the fields stay as they are."""
    parts = frontmatter.split(note.text)
    text = parts.head + parts.front + parts.foot + body
    return read(text, note.file, note.level)


def renamed(note: Note, file: str) -> Note:
    """The same text under another file name."""
    return replace(note, file=file)
