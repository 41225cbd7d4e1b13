"""The statements of the search's tables: how they are made, filled and asked. Pure.

Owns the schema, and which tables are exactly ours. Must not run anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

SCHEMA = (
    "CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID",
    # what is not searched has a reason in why, and no terms
    """CREATE TABLE note (
    key INTEGER PRIMARY KEY, file BLOB UNIQUE, stamp TEXT, why TEXT,
    id TEXT, type TEXT, created TEXT, session TEXT)""",
    "CREATE TABLE beside (key INTEGER PRIMARY KEY, before INTEGER, after INTEGER)",
    "CREATE TABLE plain (key INTEGER PRIMARY KEY, text TEXT)",
    # terms are letters and digits, parted by blanks: the least of tokenizers will do
    "CREATE VIRTUAL TABLE words USING fts5(title, body, tokenize = 'ascii')",
    "CREATE VIRTUAL TABLE marks USING fts5(names, dates, tokenize = 'ascii')",
)
_OWN = ("state", "note", "beside", "plain", "words", "marks")
_ALL = {(name, "table") for name in _OWN} | {
    (f"{name}_{part}", "table")
    for name in ("words", "marks")
    for part in ("data", "idx", "content", "docsize", "config")
}
BESIDE = """
INSERT INTO beside
SELECT key, lag(key) OVER one, lead(key) OVER one FROM note
WHERE session <> '' AND why = ''
WINDOW one AS (PARTITION BY session ORDER BY created, id, file)
"""
WORDS = "SELECT rowid, bm25(words, ?, 1.0) FROM words WHERE words MATCH ?"
MARKS = "SELECT rowid, bm25(marks, ?, 1.0) FROM marks WHERE marks MATCH ?"
FORGET = tuple(
    f"DELETE FROM {table} WHERE {key} = ?"  # noqa: S608 - names of our own
    for table, key in (
        ("note", "key"), ("plain", "key"), ("words", "rowid"), ("marks", "rowid"),
    )
)  # fmt: skip
PUT_NOTE = """
INSERT INTO note (file, stamp, why, id, type, created, session)
VALUES (?, ?, ?, ?, ?, ?, ?)
"""
LAST_KEY = "SELECT last_insert_rowid()"
PUT_TERMS = (
    "INSERT INTO words (rowid, title, body) VALUES (?, ?, ?)",
    "INSERT INTO marks (rowid, names, dates) VALUES (?, ?, ?)",
)
#: Name, type and statement of all that a file brings.
LOOK = "SELECT name, type, sql FROM sqlite_master WHERE sql IS NOT NULL"


def is_ours(rows: Sequence[tuple[str, str, str]]) -> bool:
    """Whether that is exactly this schema, and nothing that could act by itself."""
    made = {name: sql for name, _, sql in rows}
    if tuple(made.get(name) for name in _OWN) != SCHEMA:
        return False
    return {(name, kind) for name, kind, _ in rows} == _ALL
