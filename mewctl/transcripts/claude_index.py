"""The index of a Claude Code transcript: what links its records, without their text.

One ``Entry`` for each record that has a place in the conversation, in the order of the
file. It holds the record's bytes, to be parsed again when its message is told, and
what finds its place: its own and its parent's uuid, the ids of the message, calls and
results. Must not decide which entries are live, nor make messages.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from mewctl.history.formats.blocks import as_id, as_text
from mewctl.transcripts.claude_queue import Queue
from mewctl.transcripts.telling import KIND_CHARS, as_object

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewctl.streams.records import Record

#: The types of records that stand in the chain of parents.
CHAIN = frozenset({"user", "assistant", "system", "attachment", "progress"})
_CHAIN = {kind: kind for kind in CHAIN}  # one object for each, for many entries
#: Those that a model may have seen or said.
SPOKEN = frozenset({"user", "assistant", "attachment"})
_SYNTHETIC = "<synthetic>"  # the "model" of texts that Claude Code made itself


class Boundary(NamedTuple):
    """What a compaction's record says.

    ``logical``: the uuid of the record before it. ``preserved``: uuids of messages
    that stay in the context, placed after ``anchor``; ``segment``: the first and the
    last of a run of them, where they are not listed. ``trigger``, ``tokens``: why, and
    the size of the context before.
    """

    logical: str = ""
    preserved: tuple[str, ...] = ()
    segment: tuple[str, str] = ("", "")
    anchor: str = ""
    trigger: str = ""
    tokens: int = 0


class Entry(NamedTuple):
    """One record of the conversation.

    ``parent``: a uuid, "" if the record names none, None for a root. ``answers``: the
    call ids of its results, ``source`` the uuid of the record that called.
    ``synthetic``: an error of the API that Claude Code worded as an assistant.
    """

    kind: str
    line: int
    raw: bytes
    uuid: str = ""
    parent: str | None = ""
    side: bool = False
    message_id: str = ""
    calls: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    source: str = ""
    summary: bool = False
    synthetic: bool = False
    supersedes: tuple[str, ...] = ()
    boundary: Boundary | None = None


@dataclass(slots=True)
class Index:
    """All entries in file order, and what the records without a place say.

    ``leaf``: the uuid the user went back to last, if nothing was written since.
    ``retracted``: uuids of messages that were taken back after a refusal. ``others``:
    counts of records that have no place in the conversation, by type.
    """

    entries: list[Entry] = field(default_factory=list)
    queue: Queue = field(default_factory=Queue)
    others: Counter[str] = field(default_factory=Counter)
    retracted: set[str] = field(default_factory=set)
    microcompactions: list[tuple[int, int]] = field(default_factory=list)
    leaf: str = ""
    origin: str = ""

    def add(self, record: Record, value: Mapping[str, Any]) -> None:
        """Take in one record."""
        kind = _CHAIN.get(kind_of(value))
        if kind is None:
            self._add_other(kind_of(value), record, value)
            return
        entry = _entry(kind, record, value, self.entries[-1] if self.entries else None)
        self.entries.append(entry)
        if not entry.side and kind in SPOKEN:
            self.leaf = ""
            self.origin = as_text(value.get("sessionId")) or self.origin
        if kind == "system":
            self.retracted.update(_uuids(value.get("retractedMessageUuids")))
            cleared = as_object(value.get("microcompactMetadata"))
            if cleared:
                ids = cleared.get("compactedToolIds")
                count = len(ids) if isinstance(ids, list) else 0
                self.microcompactions.append((record.line, count))
        elif kind == "attachment":
            self.queue.delivered(as_object(value.get("attachment")))

    def _add_other(self, kind: str, record: Record, value: Mapping[str, Any]) -> None:
        self.others[kind[:KIND_CHARS] or "untyped"] += 1
        if kind == "queue-operation":
            self.queue.operation(value, record, len(self.entries))
        elif kind == "last-prompt":
            leaf = as_text(value.get("leafUuid"))
            if value.get("explicit") is True or leaf != self.leaf:
                self.leaf = leaf if value.get("explicit") is True else ""


def kind_of(value: Mapping[str, Any]) -> str:
    """The type of a record; for a message without a type, its role."""
    kind = value.get("type")
    if isinstance(kind, str):
        return kind
    role = as_text(as_object(value.get("message")).get("role"))
    return role if role in ("user", "assistant") else ""


def _entry(
    kind: str, record: Record, value: Mapping[str, Any], before: Entry | None
) -> Entry:
    """An entry; names that it shares with the one ``before`` are the same objects."""
    get = value.get
    parent = _parent(value)
    if before is not None and parent == before.uuid:
        parent = before.uuid
    common = (
        kind,
        record.line,
        record.raw if kind in SPOKEN else b"",
        as_text(get("uuid")),
        parent,
        get("isSidechain") is True,
    )
    if kind == "assistant":
        message = as_object(get("message"))
        message_id = as_text(message.get("id"))
        if before is not None and message_id == before.message_id:
            message_id = before.message_id
        return Entry(
            *common,
            message_id=message_id,
            calls=_ids(message, "tool_use", "id"),
            synthetic=get("isApiErrorMessage") is True
            or message.get("model") == _SYNTHETIC,
            supersedes=_uuids(get("supersedesUuids")),
        )
    if kind == "user":
        return Entry(
            *common,
            answers=_ids(as_object(get("message")), "tool_result", "tool_use_id"),
            source=as_text(get("sourceToolAssistantUUID")),
            summary=get("isCompactSummary") is True,
        )
    if kind == "system" and get("subtype") == "compact_boundary":
        return Entry(*common, boundary=_boundary(value))
    return Entry(*common)


def _parent(value: Mapping[str, Any]) -> str | None:
    parent = value.get("parentUuid", "")
    return None if parent is None else as_text(parent)


def _boundary(value: Mapping[str, Any]) -> Boundary:
    about = as_object(value.get("compactMetadata"))
    segment = as_object(about.get("preservedSegment"))
    messages = as_object(about.get("preservedMessages"))
    listed = _uuids(messages.get("uuids")) or _uuids(messages.get("allUuids"))
    tokens = about.get("preTokens")
    return Boundary(
        logical=as_text(value.get("logicalParentUuid")),
        preserved=listed,
        segment=(as_text(segment.get("headUuid")), as_text(segment.get("tailUuid"))),
        anchor=as_text((messages if listed else segment).get("anchorUuid")),
        trigger=as_text(about.get("trigger"))[:KIND_CHARS],
        tokens=tokens if isinstance(tokens, int) else 0,
    )


def _ids(message: Mapping[str, Any], kind: str, key: str) -> tuple[str, ...]:
    content = message.get("content")
    if not isinstance(content, list):
        return ()
    found = [
        as_id(block.get(key))
        for block in content
        if isinstance(block, dict) and block.get("type") == kind
    ]
    return tuple(found)


def _uuids(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        return ()
    return tuple(item for item in value if isinstance(item, str) and item)
