"""The tables of a search: what is kept of notes, and what is asked of that.

SQLite with FTS5, in memory or from bytes. A term's weight in a note is BM25's without
the rarity of the term, which is counted over all stores together. Owns the schema; must
not touch files or know what a note's file looks like.
"""

from __future__ import annotations

import math
import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mewctl import limits
from mewctl.memory import search_languages, search_words
from mewctl.memory import search_schema as schema
from mewctl.memory.search_words import whole_characters

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mewctl.memory.search_words import Terms

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
    """The searched notes of one store. ``count``: how many there are.

    Whatever is asked or changed raises ``Damaged`` where the tables turn out to be so.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection
        self.count = 0
        self._recount()

    @classmethod
    def empty(cls) -> Tables:
        """Tables without notes. Raises ``Unfit``."""
        if not hasattr(sqlite3.Connection, "serialize"):
            raise Unfit("its sqlite3 cannot serialize")
        connection = sqlite3.connect(":memory:", isolation_level=None)
        try:
            for statement in schema.SCHEMA:
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
        uri = f"file://{safe}?mode=ro&immutable=1"
        try:
            connection = sqlite3.connect(uri, uri=True, isolation_level=None)
        except sqlite3.Error as error:
            raise Damaged(str(error)) from None
        return cls._checked(connection)

    def copy(self) -> Tables:
        """The same tables in memory, to be changed."""
        connection = sqlite3.connect(":memory:", isolation_level=None)
        try:
            self._db.backup(connection)
        except sqlite3.Error as error:
            connection.close()
            raise Damaged(str(error)) from None
        return self._checked(connection)

    @classmethod
    def _checked(cls, connection: sqlite3.Connection) -> Tables:
        """Refuse tables of another make: with them a file could bring its own code."""
        try:
            rows = connection.execute(schema.LOOK).fetchall()
            if not schema.is_ours(rows):
                raise Damaged("other tables")  # noqa: TRY301 - closed below
            found = cls(connection)
            if found.state("edition") != _edition():
                raise Damaged("of another edition")  # noqa: TRY301 - the same
        except (sqlite3.Error, Damaged) as error:
            connection.close()
            raise Damaged(str(error)) from None
        return found

    def close(self) -> None:
        """Give the memory or file back."""
        self._db.close()

    def state(self, name: str) -> str:
        """What was noted under ``name``; "" for nothing."""
        rows = self._rows("SELECT value FROM state WHERE name = ?", name)
        return str(rows[0][0]) if rows else ""

    def stamps(self) -> dict[str, str]:
        """File -> stamp of all notes."""
        rows = self._rows("SELECT file, stamp FROM note")
        return {_file(name): stamp for name, stamp in rows}

    def unread(self) -> list[tuple[str, str]]:
        """The files that are not searched, and why, by name."""
        rows = self._rows("SELECT file, why FROM note WHERE why <> '' ORDER BY file")
        return [(_file(name), why) for name, why in rows]

    def raw(self) -> bytes:
        """All of the tables as the bytes of a file."""
        return self._db.serialize()

    def _recount(self) -> None:
        ((self.count,),) = self._rows("SELECT count(*) FROM plain")

    def _rows(self, statement: str, *values: object) -> list[Any]:
        try:
            return self._db.execute(statement, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise Damaged(str(error)) from None

    # --- changing ---

    def change(
        self, gone: Iterable[str], new: Iterable[Entry], state: Mapping[str, str]
    ) -> None:
        """Take the files ``gone`` away, put ``new`` ones in, and note ``state``."""
        self._rows("BEGIN")
        for file in gone:
            for (key,) in self._rows(
                "SELECT key FROM note WHERE file = ?", _name(file)
            ):
                for statement in schema.FORGET:
                    self._rows(statement, key)
        for entry in new:
            self._put(entry)
        self._rows("DELETE FROM beside")
        self._rows(schema.BESIDE)
        for name, value in state.items():
            self._rows("REPLACE INTO state VALUES (?, ?)", name, value)
        self._rows("COMMIT")
        self._recount()

    def _put(self, entry: Entry) -> None:
        texts = (entry.id, entry.type, entry.created, entry.session)
        self._rows(
            schema.PUT_NOTE,
            _name(entry.file),
            entry.stamp,
            *(whole_characters(text) for text in (entry.why, *texts)),
        )
        terms = entry.terms
        if terms is not None:
            ((key,),) = self._rows(schema.LAST_KEY)
            title, body, names, dates = map(" ".join, terms.columns)
            for statement, pair in zip(
                schema.PUT_TERMS, ((title, body), (names, dates)), strict=True
            ):
                self._rows(statement, key, *pair)
            self._rows("INSERT INTO plain VALUES (?, ?)", key, terms.text)

    # --- asking ---

    def word(self, term: str) -> dict[int, float]:
        """Key -> weight of the notes with a term in title or body."""
        return self._weighed(schema.WORDS, limits.SEARCH_TITLE, "{title body}", term)

    def mark(self, column: str, term: str) -> dict[int, float]:
        """The same for a term in ``names`` or ``dates``."""
        return self._weighed(schema.MARKS, 1.0, f"{{{column}}}", term)

    def _weighed(
        self, statement: str, first: float, columns: str, term: str
    ) -> dict[int, float]:
        """Key -> weight; ``first``: what the first column counts for."""
        whole = term.removesuffix(search_words.PREFIX)
        prefix = "*" if whole != term else ""
        asked = f'{columns} : "{whole}" {prefix}'
        rows = self._rows(statement, first, asked)
        others = self.count - len(rows)
        rarity = math.log((others + 0.5) / (len(rows) + 0.5))
        divisor = -(rarity if rarity > 0 else _LEAST_RARITY)
        return {key: score / divisor for key, score in rows}

    def phrase(self, text: str) -> list[int]:
        """The keys of the notes whose text has a folded phrase, by their borders."""
        rows = self._rows("SELECT key, text FROM plain WHERE instr(text, ?)", text)
        return [key for key, whole in rows if search_words.holds(whole, text)]

    def beside(self, keys: Iterable[int]) -> list[tuple[int, int | None, int | None]]:
        """Of those of a session: the key, that before it and that after it."""
        wanted = ",".join(map(str, keys))
        return self._rows(
            f"SELECT key, before, after FROM beside WHERE key IN ({wanted})"  # noqa: S608 - integers
        )

    def files(self, keys: Sequence[int]) -> dict[int, str]:
        """Key -> file."""
        wanted = ",".join(map(str, keys))
        rows = self._rows(
            f"SELECT key, file FROM note WHERE key IN ({wanted})"  # noqa: S608 - integers
        )
        return {key: _file(name) for key, name in rows}

    def of_type(self, kind: str) -> set[int]:
        """The keys of the notes of a type."""
        rows = self._rows("SELECT key FROM note WHERE type = ?", kind)
        return {key for (key,) in rows}


def _name(file: str) -> bytes:
    """A file's name as it is kept: it may be no text."""
    return file.encode("utf-8", "surrogateescape")


def _file(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def _edition() -> str:
    return f"{search_words.EDITION} {search_languages.edition()}"
