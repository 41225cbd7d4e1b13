"""The tables of a search: what is kept of notes, and what is asked of that.

SQLite with FTS5, in memory or from bytes. A term's weight in a note is BM25's without
the rarity of the term, which is counted over all stores together. Owns the schema; must
not touch files or know what a note's file looks like.
"""

from __future__ import annotations

import math
import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.memory import search_languages, search_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mewctl.memory.search_words import Terms

_SCHEMA = (
    "CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID",
    # what is not searched has a reason in why, and no terms
    """CREATE TABLE note (
    key INTEGER PRIMARY KEY, file TEXT UNIQUE, stamp TEXT, why TEXT,
    id TEXT, type TEXT, created TEXT, session TEXT)""",
    "CREATE TABLE beside (key INTEGER PRIMARY KEY, before INTEGER, after INTEGER)",
    "CREATE TABLE plain (key INTEGER PRIMARY KEY, text TEXT)",
    # terms are letters and digits, parted by blanks: the least of tokenizers will do
    "CREATE VIRTUAL TABLE words USING fts5(title, body, tokenize = 'ascii')",
    "CREATE VIRTUAL TABLE marks USING fts5(names, dates, tokenize = 'ascii')",
)
_OWN = ("state", "note", "beside", "plain", "words", "marks")
_BESIDE = """
INSERT INTO beside
SELECT key, lag(key) OVER one, lead(key) OVER one FROM note
WHERE session <> '' AND why = ''
WINDOW one AS (PARTITION BY session ORDER BY created, id, file)
"""
_WORDS = "SELECT rowid, bm25(words, ?, 1.0) FROM words WHERE words MATCH ?"
_MARKS = "SELECT rowid, bm25(marks, ?, 1.0) FROM marks WHERE marks MATCH ?"
_FORGET = tuple(
    f"DELETE FROM {table} WHERE {key} = ?"  # noqa: S608 - names of our own
    for table, key in (
        ("note", "key"), ("plain", "key"), ("words", "rowid"), ("marks", "rowid"),
    )
)  # fmt: skip
_PUT_NOTE = """
INSERT INTO note (file, stamp, why, id, type, created, session)
VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_PUT_WORDS = "INSERT INTO words (rowid, title, body) VALUES (?, ?, ?)"
_PUT_MARKS = "INSERT INTO marks (rowid, names, dates) VALUES (?, ?, ?)"
_LEAST_RARITY = 1e-6  # what FTS5 takes for the rarity of what is in half of all notes


class Damaged(Exception):
    """Bytes that are not these tables, made by this edition of the search."""


class Unfit(Exception):
    """The SQLite of this Python cannot search; the message says what it lacks."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A note as the tables keep it. ``stamp`` says what its file was like.

    ``why`` says why it is not searched, "" if it is; only then there are ``terms``.
    """

    file: str
    stamp: str
    why: str = ""
    id: str = ""
    type: str = ""
    created: str = ""
    session: str = ""
    terms: Terms | None = None


class Tables:
    """The searched notes of one store. ``count``: how many there are."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection
        self.count: int = self._one("SELECT count(*) FROM plain")

    @classmethod
    def empty(cls) -> Tables:
        """Tables without notes. Raises ``Unfit``."""
        if not hasattr(sqlite3.Connection, "serialize"):
            raise Unfit("its sqlite3 cannot serialize")
        connection = sqlite3.connect(":memory:", isolation_level=None)
        try:
            for statement in _SCHEMA:
                connection.execute(statement)
        except sqlite3.OperationalError as error:
            raise Unfit(f"its sqlite3 cannot: {error}") from None
        connection.execute("INSERT INTO state VALUES ('edition', ?)", (_edition(),))
        return cls(connection)

    @classmethod
    def opened(cls, path: str) -> Tables:
        """The tables in a file, which nobody changes: it is replaced, never written.

        Raises ``Damaged`` for a file that is not such tables.
        """
        safe = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        uri = f"file:{safe}?mode=ro&immutable=1"
        try:
            connection = sqlite3.connect(uri, uri=True, isolation_level=None)
            return cls._checked(connection)
        except sqlite3.Error as error:
            raise Damaged(str(error)) from None

    def copy(self) -> Tables:
        """The same tables in memory, to be changed. Raises ``Damaged``."""
        connection = sqlite3.connect(":memory:", isolation_level=None)
        try:
            self._db.backup(connection)
            return self._checked(connection)
        except sqlite3.Error as error:
            raise Damaged(str(error)) from None

    @classmethod
    def _checked(cls, connection: sqlite3.Connection) -> Tables:
        """Refuse tables of another make: with them a file could bring its own code."""
        schema = connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"
        ).fetchall()
        ours = {name: sql for name, sql in schema if name in _OWN}
        rest = {name.partition("_")[0] for name, _ in schema if name not in _OWN}
        if tuple(ours.get(name) for name in _OWN) != _SCHEMA or rest - {
            "words",
            "marks",
        }:
            raise Damaged("other tables")
        found = cls(connection)
        if found.state("edition") != _edition():
            raise Damaged("of another edition")
        return found

    def close(self) -> None:
        """Give the memory or file back."""
        self._db.close()

    def state(self, name: str) -> str:
        """What was noted under ``name``; "" for nothing."""
        row = self._db.execute("SELECT value FROM state WHERE name = ?", (name,))
        return str((row.fetchone() or ("",))[0])

    def stamps(self) -> dict[str, str]:
        """File -> stamp of all notes."""
        return dict(self._db.execute("SELECT file, stamp FROM note"))

    def unread(self) -> list[tuple[str, str]]:
        """The files that are not searched, and why, by name."""
        return self._db.execute(
            "SELECT file, why FROM note WHERE why <> '' ORDER BY file"
        ).fetchall()

    def raw(self) -> bytes:
        """All of the tables as the bytes of a file."""
        return self._db.serialize()

    def _one(self, statement: str) -> int:
        return int(self._db.execute(statement).fetchone()[0])

    # --- changing ---

    def change(
        self, gone: Iterable[str], new: Iterable[Entry], state: Mapping[str, str]
    ) -> None:
        """Take the files ``gone`` away, put ``new`` ones in, and note ``state``."""
        db = self._db
        db.execute("BEGIN")
        for file in gone:
            row = db.execute("SELECT key FROM note WHERE file = ?", (file,)).fetchone()
            for statement in _FORGET:
                db.execute(statement, row)
        for entry in new:
            self._put(entry)
        db.execute("DELETE FROM beside")
        db.execute(_BESIDE)
        db.executemany("REPLACE INTO state VALUES (?, ?)", state.items())
        db.execute("COMMIT")
        self.count = self._one("SELECT count(*) FROM plain")

    def _put(self, entry: Entry) -> None:
        fields = (entry.file, entry.stamp, entry.why, entry.id, entry.type)
        key = self._db.execute(
            _PUT_NOTE, (*fields, entry.created, entry.session)
        ).lastrowid
        if entry.terms is None:
            return
        title, body, names, dates = map(" ".join, entry.terms.columns)
        self._db.execute(_PUT_WORDS, (key, title, body))
        self._db.execute(_PUT_MARKS, (key, names, dates))
        self._db.execute("INSERT INTO plain VALUES (?, ?)", (key, entry.terms.text))

    # --- asking ---

    def word(self, term: str) -> dict[int, float]:
        """Key -> weight of the notes with a term in title or body."""
        return self._weighed(_WORDS, limits.SEARCH_TITLE, "{title body}", term)

    def mark(self, column: str, term: str) -> dict[int, float]:
        """The same for a term in ``names`` or ``dates``."""
        return self._weighed(_MARKS, 1.0, f"{{{column}}}", term)

    def _weighed(
        self, statement: str, first: float, columns: str, term: str
    ) -> dict[int, float]:
        """Key -> weight; ``first``: what the first column counts for."""
        whole = term.removesuffix(search_words.PREFIX)
        prefix = "*" if whole != term else ""
        asked = f'{columns} : "{whole}" {prefix}'
        rows = self._db.execute(statement, (first, asked)).fetchall()
        others = self.count - len(rows)
        rarity = math.log((others + 0.5) / (len(rows) + 0.5))
        divisor = -(rarity if rarity > 0 else _LEAST_RARITY)
        return {key: score / divisor for key, score in rows}

    def phrase(self, text: str) -> list[int]:
        """The keys of the notes whose text has a folded phrase, by their borders."""
        rows = self._db.execute(
            "SELECT key, text FROM plain WHERE instr(text, ?)", (text,)
        )
        return [key for key, whole in rows if search_words.holds(whole, text)]

    def beside(self) -> list[tuple[int, int | None, int | None]]:
        """Of each note of a session: its key, that before it and that after it."""
        return self._db.execute("SELECT key, before, after FROM beside").fetchall()

    def files(self, keys: Sequence[int]) -> dict[int, str]:
        """Key -> file."""
        wanted = ",".join(map(str, keys))
        return dict(
            self._db.execute(
                f"SELECT key, file FROM note WHERE key IN ({wanted})"  # noqa: S608 - integers
            )
        )

    def of_type(self, kind: str) -> set[int]:
        """The keys of the notes of a type."""
        rows = self._db.execute("SELECT key FROM note WHERE type = ?", (kind,))
        return {key for (key,) in rows}


def _edition() -> str:
    return f"{search_words.EDITION} {search_languages.edition()}"
