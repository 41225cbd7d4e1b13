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
WAITS = "rests on the output of a tool and waits for memory approve"
_STATE = "files"
_UNSETTLED = ""  # no file is ever like this
_NANO = 10**9


def cache_path(store: Store) -> str:
    """Where the cache of a store's notes is: beside them, in the same ``.mewcode``."""
    return os.path.join(os.path.dirname(store.directory), FILE)


def fresh(store: Store, now: float) -> Tables:
    """The tables of all notes as they are ``now`` (Unix time in seconds).

    Raises ``StorageError`` where the notes cannot be listed.
    """
    directory = directory_stamp(store.directory)
    found = stamps(store.directory, is_note_file)
    state = f"{directory} {len(found)} {sum(map(hash, found.values()))}"
    path = cache_path(store)
    old = _opened(path)
    if old is not None and old.state(_STATE) == state:
        return old
    tables = _copied(old)
    known = tables.stamps()
    newest = int((now - limits.SEARCH_SETTLED) * _NANO)
    marks = {
        name: _UNSETTLED if stamp[2] > newest else " ".join(map(str, stamp))
        for name, stamp in found.items()
    }
    changed = {name: m for name, m in marks.items() if m == "" or known.get(name) != m}
    gone = known.keys() - found.keys() | (changed.keys() & known.keys())
    settled = state if _UNSETTLED not in changed.values() else ""
    tables.change(sorted(gone), _entries(store, changed), {_STATE: settled})
    if found or old is not None:
        _save(path, tables)
    return tables


def _opened(path: str) -> Tables | None:
    """The cache; None where there is none that may be used."""
    try:
        with Pages(path):  # a plain file of our own, no link
            return Tables.opened(path)
    except (MewError, Damaged):
        return None


def _copied(old: Tables | None) -> Tables:
    if old is not None:
        try:
            return old.copy()
        except Damaged:
            pass
        finally:
            old.close()
    return Tables.empty()


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
