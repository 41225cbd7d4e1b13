"""The journal of a store: what happened to which note, when, and by what. Append-only.

A line is written after the change it tells. It names hashes; the texts that belong to
them are in the archive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mewctl.memory.value import stamp
from mewctl.store.opening import read_blocks
from mewctl.streams.jsonvalue import BadJSON, loads

if TYPE_CHECKING:
    from mewctl.memory.writes import Write


def entry(write: Write, time: float, by: str) -> dict[str, Any]:
    """The journal's record of a change. ``by``: the command that made it."""
    note = write.new or write.old
    if note is None:
        raise ValueError("a change of nothing")
    value = {
        "type": "memory_event",
        "time": stamp(time),
        "event": write.event,
        "by": by,
        "id": note.id,
        "level": note.level,
        "file": note.file,
        "title": note.title,
        "before": write.old.hash if write.old else "",
        "after": write.new.hash if write.new else "",
        "session": note.source_session if write.new else "",
        "why": write.why,
    }
    return {key: item for key, item in value.items() if item}


def read(path: str) -> list[dict[str, Any]]:
    """The events in a journal, the oldest first; damaged lines are left out.

    Raises ``Unsafe`` and ``StorageError``.
    """
    found = []
    for line in b"".join(read_blocks(path)).split(b"\n"):
        try:
            value = loads(line) if line.strip() else None
        except BadJSON:
            continue
        if isinstance(value, dict) and value.get("type") == "memory_event":
            found.append(value)
    return found
