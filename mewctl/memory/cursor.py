"""How far an update has read each session: ``memory.state.json``. Small and rebuilt.

A file that cannot be read says nothing and is set aside before it is written over.
"""

from __future__ import annotations

import os
from typing import Any

from mewctl import limits
from mewctl.errors import ConfigError
from mewctl.store.files import replace, set_aside
from mewctl.store.opening import read_file
from mewctl.streams.jsonvalue import BadJSON, dumps, loads

NAME = "memory.state.json"
VERSION = 1


def load(directory: str) -> dict[str, int]:
    """Session's path -> the offset in its log, in bytes, up to which it was read.

    Raises ``ConfigError`` for a file of a later version, ``StorageError``.
    """
    path = os.path.join(directory, NAME)
    if not os.path.lexists(path):
        return {}
    value = _value(read_file(path, limits.NOTE_FILE))
    version = value.get("version", VERSION)
    if not isinstance(version, int) or version > VERSION:
        raise ConfigError(
            place=path,
            what="written by a later version of mewctl",
            remedy="upgrade mewctl",
        )
    read = value.get("sessions")
    known = read.items() if isinstance(read, dict) else ()
    return {
        name: offset
        for name, offset in known
        if isinstance(offset, int) and offset >= 0
    }


def _value(raw: bytes) -> dict[str, Any]:
    try:
        value = loads(raw)
    except BadJSON:
        return {}
    return value if isinstance(value, dict) else {}


def save(directory: str, session: str, offset: int) -> None:
    """Note how far a session was read; the caller holds the store's lock."""
    path = os.path.join(directory, NAME)
    read = load(directory)
    if os.path.lexists(path):
        raw = read_file(path, limits.NOTE_FILE)
        if not _value(raw):
            set_aside(path, raw)
    sessions = {**read, session: offset}
    replace(path, dumps({"version": VERSION, "sessions": sessions}) + b"\n")
