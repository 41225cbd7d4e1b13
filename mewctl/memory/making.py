"""The text of a note that an action makes or changes. Pure."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.memory import frontmatter
from mewctl.memory.note import ENDING, SOURCES, Note, read, slug_of, type_of
from mewctl.memory.words import clean, slug
from mewctl.memory.writes import renamed, with_body, with_fields

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from mewctl.memory.actions import Action
    from mewctl.memory.note import Level, Source

#: From the strongest to the weakest: whose word a note rests on.
_STRENGTH: tuple[Source, ...] = ("user", "hand", "model", "tool")
if set(_STRENGTH) != set(SOURCES):
    raise AssertionError("every source has its strength")


def file_name(action: Action) -> str:
    """The name of the file that a create makes."""
    return f"{action.type}_{action.slug or slug(action.title)}{ENDING}"


def new_note(
    action: Action,
    level: Level,
    file: str,
    source: Source,
    time: str,
    taken: AbstractSet[str],
) -> Note:
    """The note that a create makes. ``taken``: the ids in use."""
    optional: dict[str, frontmatter.Value] = {
        "source_session": action.source_session,
        "evidence": action.evidence,
        "valid_until": action.valid_until,
        "supersedes": action.supersedes,
        "tags": action.tags,
        "lang": action.lang,
    }
    values: dict[str, frontmatter.Value] = {
        "id": _free_id(f"{level}/{file}/{time}", taken),
        "type": action.type,
        "title": action.title,
        "created": time,
        "updated": time,
        "source": source,
        **{key: value for key, value in optional.items() if value},
    }
    return read(frontmatter.whole(values, _body(action.content)), file, level)


def _free_id(seed: str, taken: AbstractSet[str]) -> str:
    """A short id that follows from ``seed`` and that no other note has."""
    digits = sha256(seed.encode()).hexdigest()
    size = limits.NOTE_ID
    while digits[:size] in taken:
        size += 1
    return digits[:size]


def _body(content: str) -> str:
    return clean(content).strip("\n") + "\n"


def merged(there: Note, action: Action, source: Source, time: str) -> Note:
    """A note with what a create brings put behind its text, or in its place."""
    if action.replaces:
        body = _body(action.content)
        values: dict[str, frontmatter.Value | None] = {"title": action.title}
    else:
        body = there.body.rstrip() + "\n\n" + _body(action.content)
        values = {}
    sources = (there.source, source)
    values |= {
        "updated": time,
        "source": max(sources, key=_STRENGTH.index),
        "evidence": _joined(there.evidence, action.evidence) or None,
    }
    if there.source == source:
        del values["source"]
    if not action.evidence:
        del values["evidence"]
    return with_fields(with_body(there, body), values)


def _joined(old: str, new: str) -> str:
    if not old or new in old:
        return old or new
    return f"{old}\n{new}"[: limits.NOTE_EVIDENCE]


def updated(note: Note, action: Action, source: Source | None, time: str) -> Note:
    """A note as an update wants it.

    New content rests on the update's own evidence, and on nobody's word (``model``)
    where it has none: ``source`` None.
    """
    values: dict[str, frontmatter.Value | None] = {
        "type": action.type or note.type,
        "title": action.title or note.title,
    }
    if action.tags:
        values["tags"] = action.tags
    if action.valid_until:
        values["valid_until"] = action.valid_until
    values = {key: new for key, new in values.items() if new != getattr(note, key)}
    changed = note
    if action.content.strip() and _body(action.content) != note.body:
        changed = with_body(note, _body(action.content))
        values |= {"source": source or "model", "evidence": action.evidence or None}
    if changed is not note or values:
        changed = with_fields(changed, {**values, "updated": time})
    return _in_its_file(changed)


def _in_its_file(note: Note) -> Note:
    """The note under a name that begins with its type, if the old name did."""
    stem = note.file.removesuffix(ENDING)
    old = type_of(stem)
    if note.type == old or not stem.startswith(f"{old}_"):
        return note
    return renamed(note, f"{note.type}_{slug_of(note)}{ENDING}")


def says_as_before(old: Note, new: Note) -> bool:
    """Whether an update left everything as it was."""
    return old.text == new.text and old.file == new.file
