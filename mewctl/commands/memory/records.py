"""A note as a record and as the cells of a table; secrets masked unless asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mewctl.streams.secrets import mask

if TYPE_CHECKING:
    from mewctl.memory.note import Note

HEADS = ("id", "type", "title", "level", "updated", "state")


def record(note: Note) -> dict[str, Any]:
    """What a note is, without its body. Secrets are not masked here."""
    value = {
        "id": note.id,
        "type": note.type,
        "level": note.level,
        "title": note.title,
        "description": note.description,
        "path": note.path,
        "created": note.created,
        "updated": note.updated,
        "source": note.source,
        "source_session": note.source_session,
        "evidence": note.evidence,
        "last_used": note.last_used,
        "uses": note.uses,
        "valid_until": note.valid_until,
        "supersedes": list(note.supersedes),
        "pinned": note.pinned,
        "quarantined": note.quarantined,
        "tags": list(note.tags),
        "lang": note.lang,
        "hash": note.hash,
        "problem": note.problem,
    }
    return {key: item for key, item in value.items() if item}


def masked(value: dict[str, Any], *, no_redact: bool) -> dict[str, Any]:
    """A record with its texts masked, unless ``no_redact``."""
    if no_redact:
        return value
    return {
        key: mask(item) if isinstance(item, str) and key != "hash" else item
        for key, item in value.items()
    }


def cells(note: Note) -> tuple[str, ...]:
    """The note's row of a table."""
    state = [
        word
        for word, holds in (
            ("pinned", note.pinned),
            ("quarantined", note.quarantined),
            ("damaged", bool(note.problem)),
        )
        if holds
    ]
    updated = (note.updated or note.created)[: len("2026-12-01")]
    title = mask(note.title)
    return note.id, note.type, title, note.level, updated, ", ".join(state)
