"""The live branch of a pi session: its entries, and the way to the last of them. Pure.

Entries name their parent; the live branch leads from the last entry of the file to the
root. The first version of the format has no names: each entry follows the one before.
A compaction says which entry is the first that it kept. Must not make messages.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from sys import intern
from typing import TYPE_CHECKING, Any, NamedTuple

from mewctl.history.formats.blocks import as_optional, as_text
from mewctl.transcripts.links import way
from mewctl.transcripts.telling import KIND_CHARS, as_object

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mewctl.streams.records import Record
    from mewctl.transcripts import Report

#: The types of entries that a model may see.
SPOKEN = frozenset({"message", "custom_message", "branch_summary", "compaction"})


class Entry(NamedTuple):
    """An entry. ``parent``: an id, "" if it names none, None for a root.

    ``role``: of a message. ``kept``: what a compaction kept first: an id, or in the
    first version a position.
    """

    kind: str
    line: int
    raw: bytes
    id: str = ""
    parent: str | None = ""
    role: str = ""
    kept: str | int = ""


class Branch(NamedTuple):
    """Live entries (positions) in the order of the conversation.

    ``stale``: those whose reported usage counts a context that is not told.
    """

    order: list[int]
    stale: frozenset[int] = frozenset()


@dataclass(slots=True)
class Session:
    """All entries in file order. ``others``: counts of what is no entry to tell.

    ``cwd``: the directory that the session is about.
    """

    entries: list[Entry] = field(default_factory=list)
    others: Counter[str] = field(default_factory=Counter)
    origin: str = ""
    cwd: str | None = None

    def add(self, record: Record, value: Mapping[str, Any]) -> None:
        """Take in one record."""
        kind = as_text(value.get("type"))
        if kind == "session":
            self.origin = self.origin or as_text(value.get("id"))
            self.cwd = self.cwd or as_optional(value.get("cwd"))
            self.others["session records"] += 1
            return
        if kind not in SPOKEN:
            self.others[f"{kind[:KIND_CHARS] or 'untyped'} records"] += 1
        parent = value.get("parentId", "")
        before = self.entries[-1].id if self.entries else ""
        self.entries.append(
            Entry(
                intern(kind),  # one object for each word, for many entries
                record.line,
                record.raw if kind in SPOKEN else b"",
                as_text(value.get("id")),
                before if parent == before else _parent(parent),
                intern(as_text(as_object(value.get("message")).get("role"))),
                _kept(value) if kind == "compaction" else "",
            )
        )


def _parent(value: object) -> str | None:
    return None if value is None else as_text(value)


def _kept(value: Mapping[str, Any]) -> str | int:
    index = value.get("firstKeptEntryIndex")
    if isinstance(index, int) and not value.get("firstKeptEntryId"):
        return index - 1  # it counts the header
    return as_text(value.get("firstKeptEntryId"))


def live_branch(session: Session, report: Report, *, full: bool = False) -> Branch:
    """The live branch, from its last compaction on; with ``full`` all of it."""
    entries = session.entries
    path = way(entries, len(entries) - 1, report)
    bounds = [i for i, at in enumerate(path) if entries[at].kind == "compaction"]
    for i in bounds if full else bounds[-1:]:
        what = "a compaction" if full else "the history begins after a compaction"
        text = f"{what} ({i} entries before)"
        report.add(entries[path[i]].line, "boundary", text)
    if not bounds:
        return Branch(path)
    if full:
        return Branch(path, frozenset(path[bounds[0] :]))
    bound = bounds[-1]
    before = path[:bound]
    start = _first_kept(entries, path[bound], before)
    kept = [at for at in before[start:] if entries[at].kind != "compaction"]
    return Branch([path[bound], *kept, *path[bound + 1 :]], frozenset(kept))


def _first_kept(entries: Sequence[Entry], bound: int, before: Sequence[int]) -> int:
    """Where in ``before`` begins what the compaction at ``bound`` kept."""
    kept = entries[bound].kept
    for i, at in enumerate(before):
        if (at == kept) if isinstance(kept, int) else (entries[at].id == kept != ""):
            return i
    return len(before)
