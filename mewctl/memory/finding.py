"""Which note a name means: an id, a file's name or a slug. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mewctl.memory.note import ENDING, slug_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mewctl.memory.note import Note


class NoSuchNote(LookupError):
    """A name that means no note, or several; the message says so."""


def find(notes: Sequence[Note], name: str, level: str = "") -> Note:
    """The note that ``name`` means among those of ``level`` ("": of both).

    An id goes before a file's name, that before a slug. Raises ``NoSuchNote``.
    """
    among = [note for note in notes if level in ("", note.level)]
    stem = name.removesuffix(ENDING)
    for matching in (
        [note for note in among if note.id == name],
        [note for note in among if note.file.removesuffix(ENDING) == stem],
        [note for note in among if slug_of(note) == name],
    ):
        if len(matching) == 1:
            return matching[0]
        if matching:
            files = ", ".join(f"{note.level} {note.file}" for note in matching[:5])
            raise NoSuchNote(f"{name!r} means several notes: {files}")
    import difflib  # for people alone, and slow

    known = [known for note in among for known in (note.id, slug_of(note))]
    near = difflib.get_close_matches(name, known, 3, 0.6)
    hint = f"; near: {', '.join(near)}" if near else ""
    raise NoSuchNote(f"no note is called {name[:80]!r}{hint}")
