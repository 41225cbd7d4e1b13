"""What is live in a Qwen Code session: records, their links and compressions. Pure.

Records name their parent; the live branch leads from the last record of the main agent
to the root. Records that share a name are one. A compression brings the history that
replaces what came before it. Must not make messages.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from mewctl.history.formats.blocks import as_id, as_text
from mewctl.transcripts.links import way
from mewctl.transcripts.telling import KIND_CHARS, as_object

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewctl.streams.records import Record
    from mewctl.transcripts import Report

COMPRESSION = "chat_compression"
#: The types of records that a model may see.
SPOKEN = frozenset({"user", "assistant", "tool_result"})
# Of those, what the model never gets.
_UNSENT = frozenset({"realtime_message", "code_mode_tool_result"})


def is_record(value: Mapping[str, Any]) -> bool:
    """Whether an object is a record of a session."""
    kind = value.get("type")
    if "uuid" not in value or "sessionId" not in value or "role" in value:
        return False
    if kind == "tool_result":
        return "message" in value or "toolCallResult" in value
    if kind == "system":
        payload = value.get("subtype") == COMPRESSION or "systemPayload" in value
        return payload and "message" not in value
    parts = as_object(value.get("message")).get("parts")
    return kind in ("user", "assistant") and isinstance(parts, list)


class Entry(NamedTuple):
    """A record, or several of one name: ``raws`` are their lines and bytes.

    ``kind``: its type, ``COMPRESSION``, or "" for what says nothing. ``parent``: "" if
    it names none, None for a root. ``agent``: the sub-agent that it is of, or "".
    """

    kind: str
    line: int
    raws: list[tuple[int, bytes]]
    id: str
    parent: str | None
    agent: str = ""


class Branch(NamedTuple):
    """Live positions. ``stale``: those whose usage counts a context not told."""

    order: list[int]
    stale: frozenset[int] = frozenset()


@dataclass(slots=True)
class Session:
    """All records, in file order. ``others``: counts of the rest, in words."""

    entries: list[Entry] = field(default_factory=list)
    others: Counter[str] = field(default_factory=Counter)
    origin: str = ""
    _named: dict[str, int] = field(default_factory=dict)

    def add(self, record: Record, value: Mapping[str, Any]) -> None:
        """Take in one record."""
        self.origin = self.origin or as_text(value.get("sessionId"))
        name, kind = as_text(value.get("uuid")), self._kind(value)
        raws = [(record.line, record.raw)] if kind else []
        at = self._named.get(name) if name else None
        if at is not None and self.entries[at].kind == kind:
            self.entries[at].raws.extend(raws)
            return
        parent = value.get("parentUuid", "")
        side = value.get("isSidechain") is True
        agent = as_id(value.get("agentId")) or "?" if side else ""
        if name:
            self._named.setdefault(name, len(self.entries))
        self.entries.append(
            Entry(
                kind,
                record.line,
                raws,
                name,
                None if parent is None else as_text(parent),
                agent,
            )
        )

    def _kind(self, value: Mapping[str, Any]) -> str:
        kind, subtype = as_text(value.get("type")), as_text(value.get("subtype"))
        payload = as_object(value.get("systemPayload"))
        if subtype == COMPRESSION and isinstance(
            payload.get("compressedHistory"), list
        ):
            return COMPRESSION
        if kind in SPOKEN and subtype not in _UNSENT:
            return kind
        what = f"{kind} {subtype}".strip()[:KIND_CHARS] or "untyped"
        self.others[f"{what} records"] += 1
        return ""

    def sides(self) -> dict[str, list[int]]:
        """The records of each sub-agent."""
        found: dict[str, list[int]] = {}
        for at, entry in enumerate(self.entries):
            if entry.agent and entry.kind:
                found.setdefault(entry.agent, []).append(at)
        return found


def live_branch(session: Session, report: Report, *, full: bool) -> Branch:
    """The live branch, from its last compression on; with ``full`` all of it."""
    entries = session.entries
    leaf = len(entries) - 1
    while leaf >= 0 and entries[leaf].agent:
        leaf -= 1
    path = [at for at in way(entries, leaf, report) if not entries[at].agent]
    bounds = [i for i, at in enumerate(path) if entries[at].kind == COMPRESSION]
    for i in bounds if full else bounds[-1:]:
        what = "a compaction" if full else "the history begins after a compaction"
        report.add(entries[path[i]].line, "boundary", f"{what} ({i} records before)")
    on = set(path)
    spoken = [at for at, e in enumerate(entries) if e.kind in SPOKEN and not e.agent]
    session.others["records of other branches"] += sum(at not in on for at in spoken)
    if not bounds:
        return Branch(path)
    if full:
        return Branch(path, frozenset(path[bounds[0] :]))
    early = path[: bounds[-1]]
    count = sum(entries[at].kind in SPOKEN for at in early)
    session.others["records before the compaction"] += count
    return Branch(path[bounds[-1] :])
