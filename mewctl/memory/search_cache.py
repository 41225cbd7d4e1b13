"""The tables of a store's notes, always as its files are: kept beside them to be quick.

The cache is one file that is replaced as a whole. It is used if no file changed since
it was made; else what changed is read again. One that is missing, damaged or of another
make is made anew, and where it cannot be written the search does without. Owns when a
cache may be trusted.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.errors import MewError
from mewctl.memory.note import is_note_file, slug_of
from mewctl.memory.search_tables import Damaged, Entry, Tables
from mewctl.memory.search_words import terms
from mewctl.store.files import private_dir, replace
from mewctl.store.gitignore import ensure_store_above
from mewctl.store.pages import Pages
from mewctl.store.stamps import directory_stamp, stamps

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewctl.memory.note import Note
    from mewctl.memory.store import Store

FILE = os.path.join("cache", "memory-search.sqlite")
#: Why a note is not searched that could be.
WAITS = "rests on the output of tools, see memory approve"
_STATE = "files"
_UNSETTLED = ""  # no file is ever like this
_NANO = 10**9


def cache_path(store: Store) -> str:
    """Where the cache of a store's notes is: beside them, in the same ``.mewcode``."""
    return os.path.join(os.path.dirname(store.directory), FILE)


def fresh(store: Store, now: float) -> Tables:
    """The tables of all notes as they are ``now`` (Unix time in seconds).

    Raises ``StorageError`` where the notes cannot be listed, and ``Damaged`` for a
    cache that turns out to be so: then ``anew`` helps.
    """
    state, _ = _look(store)
    old = _opened(cache_path(store))
    if old is None:
        return _made(store, Tables.empty(), now)
    if old.state(_STATE) == state:
        return old
    return _made(store, _copied(old), now)


def anew(store: Store, now: float) -> Tables:
    """The same without the cache. Raises ``StorageError`` alone."""
    return _made(store, Tables.empty(), now)


def _look(store: Store) -> tuple[str, dict[str, tuple[int, int, int]]]:
    """What the notes' files are like, in one line and one by one."""
    directory = directory_stamp(store.directory)
    found = stamps(store.directory, is_note_file)
    return f"{directory} {len(found)} {sum(map(hash, found.values()))}", found


def _made(store: Store, tables: Tables, now: float) -> Tables:
    """``tables`` with what changed since they were made, kept for the next search."""
    state, found = _look(store)
    newest = int((now - limits.SEARCH_SETTLED) * _NANO)
    marks = {
        name: _UNSETTLED if stamp[2] > newest else " ".join(map(str, stamp))
        for name, stamp in found.items()
    }
    known = tables.stamps()
    changed = {
        name: mark
        for name, mark in marks.items()
        if mark == _UNSETTLED or known.get(name) != mark
    }
    gone = (known.keys() - marks.keys()) | (known.keys() & changed.keys())
    settled = "" if _UNSETTLED in marks.values() else state
    tables.change(sorted(gone), _entries(store, changed), {_STATE: settled})
    if known or marks:
        _save(cache_path(store), tables)
    return tables


def _opened(path: str) -> Tables | None:
    """The cache; None where there is none that may be used."""
    try:
        with Pages(path):  # a plain file of our own, no link
            return Tables.opened(path)
    except (MewError, Damaged):
        return None


def _copied(old: Tables) -> Tables:
    """The same to be changed."""
    try:
        return old.copy()
    finally:
        old.close()


def _entries(store: Store, changed: Mapping[str, str]) -> list[Entry]:
    notes, unread = store.notes(sorted(changed))
    found = [_entry(note, changed[note.file]) for note in notes]
    found += [Entry(one.file, changed[one.file], one.why) for one in unread]
    return sorted(found, key=lambda entry: entry.file)


def _entry(note: Note, stamp: str) -> Entry:
    if note.quarantined:
        return Entry(note.file, stamp, WAITS)
    return Entry(
        note.file, stamp, "", note.id, note.type, note.created, note.source_session,
        terms(
            note.title,
            note.body,
            tags=note.tags,
            created=note.created,
            lang=note.lang,
            known_as=(note.id, slug_of(note)),
        ),
    )  # fmt: skip


def _save(path: str, tables: Tables) -> None:
    with suppress(MewError):  # a read-only or full disk: the next search reads again
        ensure_store_above(path)
        private_dir(os.path.dirname(path))
        replace(path, tables.raw())
