"""What is wrong with the notes of a store and their index. Reads, changes nothing."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mewctl.memory import index
from mewctl.memory.similar import fingerprint, says_same
from mewctl.memory.value import expired, seconds
from mewctl.memory.words import hidden
from mewctl.streams.secrets import find as find_secrets

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mewctl.memory.note import Note
    from mewctl.memory.store import Store


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong: its kind, the file it is in, and words."""

    kind: str
    path: str
    what: str


def checked(store: Store, now: float) -> list[Finding]:
    """All that is wrong with a store. ``now`` in Unix seconds."""
    notes, unread = store.notes()
    found = [
        Finding("unreadable", os.path.join(store.directory, one.file), one.why)
        for one in unread
    ]
    found += _index(store, notes)
    for note in notes:
        path = os.path.join(store.directory, note.file)
        found += (Finding(kind, path, what) for kind, what in _note(note, now))
    found += (
        Finding(kind, os.path.join(store.directory, note.file), what)
        for kind, note, what in _doubles(notes)
    )
    return found + [
        Finding("conflict", os.path.join(store.directory, name), "was not applied")
        for name in store.conflicts()
    ]


def _index(store: Store, notes: Sequence[Note]) -> Iterator[Finding]:
    text = store.index_text()
    if (notes or text) and index.drifted(text, notes):
        what = "differs from the notes; mewctl memory reindex writes it anew"
        yield Finding("index", store.index_path, what)


def _note(note: Note, now: float) -> Iterator[tuple[str, str]]:
    if note.problem:
        yield "fields", note.problem
    for secret in find_secrets(note.text):
        line = note.text.count("\n", 0, secret.start) + 1
        yield "secret", f"line {line} looks like a secret ({secret.kind})"
    if hidden(note.text):
        yield "hidden", "holds characters that a reader does not see"
    if note.valid_until and seconds(note.valid_until) is None:
        yield "fields", f"valid_until is no date: {note.valid_until[:40]!r}"
    elif expired(note, now):
        yield "expired", f"was valid until {note.valid_until}"


def _doubles(notes: Sequence[Note]) -> Iterator[tuple[str, Note, str]]:
    by_id: dict[str, Note] = {}
    for note in notes:
        first = by_id.setdefault(note.id, note)
        if first is not note:
            yield "duplicate", note, f"has the id of {first.file}"
    buckets: dict[str, list[Note]] = {}
    for note in notes:
        seen: set[str] = set()
        for mark in fingerprint(note.body):
            for other in buckets.setdefault(mark, []):
                if other.file not in seen and says_same(note.body, other.body):
                    yield "duplicate", note, f"says the same as {other.file}"
                seen.add(other.file)
            buckets[mark].append(note)
