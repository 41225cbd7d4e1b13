"""The notes of one level on the disk: read fresh, changed under the store's lock.

A note is replaced as a whole. What it said before, and what was removed, stays in
``archive/``, named by its hash; a tombstone beside it says when it went and why. The
index follows from the files, so it is written last and made again when it is missing.
Owns names and the order of steps; must not decide what changes.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mewctl import limits
from mewctl.errors import Locked, MewError
from mewctl.memory import index, journal
from mewctl.memory.note import ENDING, Note, digest, is_note_file, read
from mewctl.memory.writes import GOING, Archived
from mewctl.store.files import (
    AlreadyThere,
    create_exclusive,
    private_dir,
    replace,
    sweep,
)
from mewctl.store.gitignore import ensure_store_above
from mewctl.store.lock import locked
from mewctl.store.log import Log
from mewctl.store.names import safe_name
from mewctl.store.opening import names_in, read_file
from mewctl.store.removal import remove_file
from mewctl.streams.jsonvalue import BadJSON, dumps, loads

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from contextlib import AbstractContextManager

    from mewctl.memory.note import Level
    from mewctl.memory.writes import Write

DIRECTORY = "memory"
ARCHIVE = "archive"
JOURNAL = "journal.jsonl"
CONFLICT = ".conflict-"  # before the hash in the name of a text that was not applied
_HASH = 12  # hex digits of a text's hash in the archive
_TOMBSTONE = ".json"


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that is no readable note, and why."""

    file: str
    why: str


class Store:
    """The notes of one level. ``directory`` is an absolute path, perhaps not there."""

    def __init__(self, directory: str, level: Level) -> None:
        self.directory = directory
        self.level = level

    @property
    def index_path(self) -> str:
        """Where ``MEMORY.md`` is."""
        return os.path.join(self.directory, index.FILE)

    # --- reading ---

    def notes(
        self, names: Iterable[str] | None = None
    ) -> tuple[list[Note], list[Unread]]:
        """All notes, by file name, and the files that could not be read as such.

        ``names``: of these files alone. Raises ``StorageError`` where the directory
        cannot be listed.
        """
        found: list[Note] = []
        unread: list[Unread] = []
        wanted = filter(is_note_file, self._names()) if names is None else names
        for name in sorted(wanted):
            path = os.path.join(self.directory, name)
            try:
                text = read_file(path, limits.NOTE_FILE).decode("utf-8")
            except UnicodeDecodeError as error:
                unread.append(Unread(name, f"not UTF-8 at byte {error.start}"))
            except MewError as error:
                unread.append(Unread(name, str(error.fields["what"])))
            else:
                found.append(read(text, name, self.level))
        return found, unread

    def conflicts(self) -> list[str]:
        """The files that hold a text which a hand edit kept from being applied."""
        return sorted(name for name in self._names() if CONFLICT in name)

    def _names(self) -> list[str]:
        return names_in(self.directory) if os.path.isdir(self.directory) else []

    def index_text(self) -> str:
        """``MEMORY.md`` as it is; empty if it is not there.

        Bytes that are no UTF-8 come back as they went: they are someone's text.
        """
        if not os.path.lexists(self.index_path):
            return ""
        return read_file(self.index_path, limits.INDEX_FILE).decode(
            "utf-8", "surrogateescape"
        )

    def archived(self) -> list[Archived]:
        """What was removed and is not back, the oldest first."""
        directory = os.path.join(self.directory, ARCHIVE)
        if not os.path.isdir(directory):
            return []
        found = []
        for name in sorted(names_in(directory)):
            if name.endswith(_TOMBSTONE):
                gone = self._tombstone(os.path.join(directory, name))
                if gone is not None:
                    found.append(gone)
        live = {note.id for note in self.notes()[0]} if found else set()
        gone_now = (one for one in found if one.note.id not in live)
        return sorted(gone_now, key=lambda one: (one.time, one.note.file))

    def _tombstone(self, path: str) -> Archived | None:
        text_path = path.removesuffix(_TOMBSTONE) + ENDING
        try:
            value = loads(read_file(path, limits.NOTE_FILE))
            text = read_file(text_path, limits.NOTE_FILE).decode("utf-8")
        except (MewError, BadJSON, UnicodeDecodeError):
            return None  # half of a pair: the removal was cut short
        time = value.get("time") if isinstance(value, dict) else None
        file = value.get("file") if isinstance(value, dict) else None
        if not isinstance(time, (int, float)) or not isinstance(file, str):
            return None
        if not file or not is_note_file(file) or os.sep in file:
            return None
        note = read(text, file, self.level)
        event, why = value.get("event"), value.get("why")
        return Archived(note, float(time), str(event or ""), str(why or ""))

    def version(self, note_hash: str) -> str | None:
        """The text in the archive whose content hash begins so; None if none does."""
        directory = os.path.join(self.directory, ARCHIVE)
        if not os.path.isdir(directory):
            return None
        for name in sorted(names_in(directory)):
            if name.endswith(ENDING):
                raw = read_file(os.path.join(directory, name), limits.NOTE_FILE)
                note = read(raw.decode("utf-8", "replace"), name, self.level)
                if note.hash.startswith(note_hash):
                    return note.text
        return None

    def events(self) -> list[dict[str, Any]]:
        """The journal, the oldest event first; damaged lines are left out."""
        path = os.path.join(self.directory, JOURNAL)
        return journal.read(path) if os.path.lexists(path) else []

    # --- changing ---

    def lock(self, timeout: float = limits.NOTES_LOCK) -> AbstractContextManager[None]:
        """The store's lock; makes the store first. Raises as ``locked`` does."""
        ensure_store_above(os.path.join(self.directory, ""))
        private_dir(self.directory)
        return locked(self.directory, timeout)

    def carry_out(self, writes: Sequence[Write], time: float, by: str) -> None:
        """Do what a plan says, then the index, then the journal.

        The caller holds the lock, under which the plan's notes were read. Raises
        ``Locked`` for a note that somebody changed since: that one and those after it
        are left as they are. ``StorageError`` likewise.
        """
        sweep(self.directory, limits.UNFINISHED_AGE)
        done: list[Write] = []
        try:
            for write in writes:
                self._one(write, time)
                done.append(write)
        finally:
            if done:
                self.reindex()
                self.record([journal.entry(one, time, by) for one in done])

    def _one(self, write: Write, time: float) -> None:
        old, new = write.old, write.new
        if old is not None:
            self._unchanged(old, new)
            if write.event != "used":
                self._keep(old)
        if write.event in GOING and old is not None:
            self._bury(old, write, time)
        elif new is not None:
            path = os.path.join(self.directory, new.file)
            if old is None or old.file != new.file:
                create_exclusive(path, new.text.encode())
            else:
                replace(path, new.text.encode())
            if old is not None and old.file != new.file:
                remove_file(os.path.join(self.directory, old.file))
        if write.event == "restored" and new is not None:
            remove_file(self._archive_path(new, _TOMBSTONE))

    def _unchanged(self, old: Note, new: Note | None) -> None:
        """Refuse to write over what was edited since it was read; keep both."""
        path = os.path.join(self.directory, old.file)
        if read_file(path, limits.NOTE_FILE) == old.text.encode():
            return
        if new is not None:
            self.keep_conflict(new)
        raise Locked(
            path=path,
            what="was edited meanwhile",
            remedy="run again; nothing was written over",
        )

    def keep_conflict(self, proposed: Note) -> str:
        """Keep a text that was not applied beside its note; the name of its file."""
        name = f"{proposed.file}{CONFLICT}{proposed.hash[:_HASH]}"
        path = os.path.join(self.directory, name)
        with suppress(AlreadyThere):  # the same text was kept before
            create_exclusive(path, proposed.text.encode("utf-8", "replace"))
        return name

    def _archive_path(self, note: Note, ending: str) -> str:
        stem = safe_name(note.file.removesuffix(ENDING))
        name = f"{stem}.{digest(note.text)[:_HASH]}{ending}"
        return os.path.join(self.directory, ARCHIVE, name)

    def _keep(self, note: Note) -> None:
        """Put a note's text into the archive, if it is not there yet."""
        private_dir(os.path.join(self.directory, ARCHIVE))
        with suppress(AlreadyThere):  # by its hash: the same text
            create_exclusive(self._archive_path(note, ENDING), note.text.encode())

    def _bury(self, note: Note, write: Write, time: float) -> None:
        tomb = {
            "id": note.id,
            "file": note.file,
            "title": note.title,
            "time": time,
            "event": write.event,
            "why": write.why,
        }
        replace(self._archive_path(note, _TOMBSTONE), dumps(tomb) + b"\n")
        remove_file(os.path.join(self.directory, note.file))

    def reindex(self) -> bool:
        """Make ``MEMORY.md`` what the files say; whether that changed it.

        A store without notes and without an index gets none.
        """
        notes, _ = self.notes()
        old = self.index_text()
        new = index.written(old, notes)
        if new == old or (not notes and not old):
            return False
        replace(self.index_path, new.encode("utf-8", "surrogateescape"))
        return True

    def record(self, entries: Sequence[dict[str, Any]]) -> None:
        """Add events to the journal."""
        with Log(os.path.join(self.directory, JOURNAL)) as log:
            log.append(b"".join(dumps(entry) + b"\n" for entry in entries))
