"""What is live in a Copilot CLI session: its events, in the order of the file. Pure.

Events are linked in the order in which they were written, so the file's order is the
conversation's; a rewind drops an event and all after it. A compaction replaces what
came before it by a summary; what came while the summary was written is kept. Events of
a sub-agent name it. Must not make messages.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from mewctl.history.formats.blocks import as_id, as_optional, as_text
from mewctl.transcripts.telling import KIND_CHARS, as_object, listed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewctl.streams.records import Record
    from mewctl.transcripts import Report

ANSWER = "assistant.message"
RESULT = "tool.execution_complete"
START = "tool.execution_start"
ASKED = "tool.user_requested"
SUMMARY = "session.compaction_complete"
#: The types of events that may say something to the model.
SPOKEN = frozenset(
    {
        "user.message",
        ANSWER,
        START,
        RESULT,
        ASKED,
        "system.message",
        "system.notification",
        SUMMARY,
    }
)
_HEADS = ("assistant", "session", "subagent", "system", "tool", "user", "hook", "skill")
# Events about the model and the directory of what follows.
_ABOUT = frozenset(
    {"session.start", "session.resume", "session.model_change"}
    | {"session.context_changed"}
)


def is_event(value: Mapping[str, Any]) -> bool:
    """Whether an object is an event of a session."""
    kind = value.get("type")
    if not isinstance(kind, str) or not isinstance(value.get("data"), dict):
        return False
    head, dot, _ = kind.partition(".")
    named = "timestamp" in value and ("id" in value or "parentId" in value)
    known = (bool(dot) and head in _HEADS) or kind == "abort"
    return named and known and "role" not in value


class Event(NamedTuple):
    """An event that may be told. ``key``: the id of its message or call.

    ``users``: it is about a tool that the user ran. ``model`` and ``cwd`` are those in
    force. ``agent``: the sub-agent that it is of, or "".
    """

    kind: str
    line: int
    raw: bytes
    id: str
    key: str
    agent: str
    users: bool
    model: str | None
    cwd: str | None


@dataclass(slots=True)
class Session:
    """All events that may be told, in file order.

    ``others``: counts of the rest, in words. ``origin``: the session's id.
    ``requested``: the ids of the calls that responses ask for.
    """

    events: list[Event] = field(default_factory=list)
    others: Counter[str] = field(default_factory=Counter)
    origin: str = ""
    requested: set[str] = field(default_factory=set)
    _model: str | None = None
    _cwd: str | None = None
    _asked: set[str] = field(default_factory=set)
    _begun: int | None = None  # where the compaction that is under way began
    _bounds: list[tuple[int, int]] = field(default_factory=list)
    _places: dict[str, int] = field(default_factory=dict)  # of what is told, by ids

    def add(self, record: Record, value: Mapping[str, Any], report: Report) -> None:
        """Take in one event."""
        kind, data = as_text(value.get("type")), as_object(value.get("data"))
        self._places[as_id(value.get("id"))] = len(self.events)
        if kind in _ABOUT:
            self._about(data)
        if kind == "session.snapshot_rewind":
            self._rewind(as_text(data.get("upToEventId")), record.line, report)
        elif kind == "session.context_cleared":
            self._bounds.append((len(self.events), len(self.events)))
        elif kind == "session.compaction_start":
            self._begun = len(self.events)
        elif kind == SUMMARY:
            self._compaction(record, value, data)
            return
        if kind in SPOKEN:
            self._append(kind, record, value, data)
        else:
            self.others[f"{kind[:KIND_CHARS] or 'untyped'} events"] += 1

    def _about(self, data: Mapping[str, Any]) -> None:
        self.origin = self.origin or as_text(data.get("sessionId"))
        model = data.get("newModel") or data.get("selectedModel")
        self._model = as_optional(model) or self._model
        where = as_object(data.get("context")).get("cwd") or data.get("cwd")
        self._cwd = as_optional(where) or self._cwd

    def _append(
        self,
        kind: str,
        record: Record,
        value: Mapping[str, Any],
        data: Mapping[str, Any],
    ) -> None:
        key = as_id(data.get("messageId" if kind == ANSWER else "toolCallId"))
        agent = as_id(value.get("agentId")) or as_id(data.get("parentToolCallId"))
        if kind == ASKED:
            self._asked.add(key)
        for item in listed(data.get("toolRequests")) if kind == ANSWER else ():
            self.requested.add(as_id(as_object(item).get("toolCallId")))
        users = data.get("isUserRequested") is True or key in self._asked
        event = Event(
            kind,
            record.line,
            record.raw,
            as_id(value.get("id")),
            key,
            agent,
            bool(key) and users,
            self._model,
            self._cwd,
        )
        self.events.append(event)

    def response(self, at: int) -> object:
        """What the events of one response share; None for an event that is of none.

        A call that no response asks for is one of its own.
        """
        event = self.events[at]
        if event.kind == START and not event.users:
            return None if event.key in self.requested else START
        return (event.key or at) if event.kind == ANSWER else None

    def _compaction(
        self, record: Record, value: Mapping[str, Any], data: Mapping[str, Any]
    ) -> None:
        """Note a summary; one that failed or is of a sub-agent changes nothing."""
        at = len(self.events) if self._begun is None else self._begun
        self._begun = None
        if data.get("success") is True and as_text(data.get("summaryContent")):
            self._append(SUMMARY, record, value, data)
            if not self.events[-1].agent:
                self._bounds.append((at, len(self.events) - 1))
        else:
            self.others["compactions that left no summary"] += 1

    def _rewind(self, name: str, line: int, report: Report) -> None:
        at = self._places.get(name, len(self.events)) if name else len(self.events)
        if at >= len(self.events):
            report.add(line, "branch", "a rewind to an event that is not there")
            return
        self.others["events of rewound branches"] += len(self.events) - at
        del self.events[at:]
        self._bounds = [bound for bound in self._bounds if bound[1] < at]

    def live(self, report: Report, *, full: bool) -> list[int]:
        """The positions of the live events, from the last boundary on unless ``full``.

        The summary comes first, then what came while it was written.
        """
        for start, at in self._bounds if full else self._bounds[-1:]:
            what = "a compaction" if full else "the history begins after a compaction"
            line = self.events[at].line if at < len(self.events) else 0
            report.add(line, "boundary", f"{what} ({start} events before)")
        order = list(range(len(self.events)))
        if full or not self._bounds:
            return order
        start, at = self._bounds[-1]
        self.others["events before the compaction"] += start
        kept = [i for i in order[start:] if i != at or self.events[i].kind != SUMMARY]
        is_summary = at < len(self.events) and self.events[at].kind == SUMMARY
        return [at, *kept] if is_summary else kept
