"""What is live in an OpenHands conversation: its events, old or new. Pure.

Old events are actions and observations with whole numbers for ids; new ones (of the
software agent SDK) have a ``kind``. A condensation names the events that were
forgotten; its summary stands where the first of them stood. Events between a delegation
and its end are another agent's. Must not make messages.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from mewctl.history.formats.blocks import as_id, as_text
from mewctl.transcripts.telling import KIND_CHARS, as_object, listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mewctl.streams.records import Record
    from mewctl.transcripts import Report

SUMMARY = "summary"
_SOURCES = ("agent", "user", "environment", "hook")
_KINDS = frozenset({"UserRejectObservation", "Condensation", "CondensationRequest"})
# Old actions and observations that are about the agent, not of the conversation.
_SILENT = frozenset(
    {"change_agent_state", "agent_state_changed", "null", "recall", "condensation"}
    | {"condensation_request", "loop_detection", "loop_recovery", "start", "pause"}
    | {"resume", "stop", "status"}
)
_SPOKEN_KINDS = frozenset(
    {
        "SystemPromptEvent",
        "MessageEvent",
        "ActionEvent",
        "ObservationEvent",
        "UserRejectObservation",
        "AgentErrorEvent",
        "CondensationSummaryEvent",
    }
)
_ANSWERING = frozenset({"ObservationEvent", "UserRejectObservation", "AgentErrorEvent"})


def is_old(value: Mapping[str, Any]) -> bool:
    """Whether an object is an event of the old form."""
    if value.get("source") not in _SOURCES or "role" in value:
        return False
    action, observation = value.get("action"), value.get("observation")
    if isinstance(action, str):
        return isinstance(value.get("args"), dict)
    return isinstance(observation, str) and "content" in value


def is_new(value: Mapping[str, Any]) -> bool:
    """Whether an object is an event of the new form."""
    kind = value.get("kind")
    if not isinstance(kind, str) or value.get("source") not in _SOURCES:
        return False
    return (kind in _KINDS or kind.endswith("Event")) and "timestamp" in value


def is_event(value: object) -> bool:
    """Whether a value is an event of a conversation."""
    return isinstance(value, dict) and (is_old(value) or is_new(value))


def is_trajectory(value: Mapping[str, Any]) -> bool:
    """Whether an object holds the events of a conversation, as a server gives them."""
    events = value.get("trajectory")
    return isinstance(events, list) and bool(events) and is_event(events[0])


class Event(NamedTuple):
    """An event that may be told. ``kind``: what it is, old or new.

    ``response``: the id of the response that it is of. ``answers``: the id of the call
    that it answers, "" for none; ``call``: the id of its own. ``said``: the model said
    or called it. ``side``: another agent did. ``stale``: its usage counts a context
    that is not told. ``text`` and ``time``: of a summary.
    """

    kind: str
    line: int
    raw: bytes
    id: str
    response: str = ""
    answers: str = ""
    call: str = ""
    said: bool = False
    side: bool = False
    stale: bool = False
    text: str = ""
    time: object = None


class Forgotten(NamedTuple):
    """A condensation: where it stands among the events, and the ids that it forgot."""

    line: int
    at: int
    ids: frozenset[str]
    summary: str
    time: object


@dataclass(slots=True)
class Log:
    """All events that may be told, in order. ``others``: counts of the rest."""

    events: list[Event] = field(default_factory=list)
    others: Counter[str] = field(default_factory=Counter)
    forgotten: list[Forgotten] = field(default_factory=list)
    origin: str = ""
    _delegated: str = ""  # the id of the delegation that is under way
    _calls: dict[str, str] = field(default_factory=dict)  # by the ids of their actions

    def add(self, record: Record, value: Mapping[str, Any]) -> None:
        """Take in one event."""
        if is_old(value):
            self._old(record, value)
        else:
            self._new(record, value)

    def _old(self, record: Record, value: Mapping[str, Any]) -> None:
        action = as_text(value.get("action"))
        kind = action or as_text(value.get("observation"))
        name = as_id(value.get("id"))
        cause = as_id(value.get("cause"))
        if action == "condensation":
            self._forget(record, value, name, as_object(value.get("args")))
        if not action and kind == "recall":
            kind = "recalled"
        if kind in _SILENT:
            self.others[f"{kind} events"] += 1
            return
        about = as_object(value.get("tool_call_metadata"))
        call = as_id(about.get("tool_call_id"))
        side = bool(self._delegated)
        if not action and kind == "delegate" and cause == self._delegated:
            self._delegated, side = "", False
        said = bool(action) and action != "system" and value.get("source") == "agent"
        if said:
            self._calls[name] = call or f"event-{name}"
        if action == "delegate" and not side:
            self._delegated = name
        response = as_object(about.get("model_response"))
        event = Event(
            kind,
            record.line,
            record.raw,
            name,
            (as_id(response.get("id")) or call) if action else "",
            "" if action else call or self._calls.get(cause, ""),
            (call or f"event-{name}") if action else "",
            said,
            side,
        )
        self.events.append(event)

    def _new(self, record: Record, value: Mapping[str, Any]) -> None:
        kind, name = as_text(value.get("kind")), as_id(value.get("id"))
        if kind == "Condensation":
            self._forget(record, value, name, value)
        if kind not in _SPOKEN_KINDS:
            self.others[f"{kind[:KIND_CHARS] or 'untyped'} records"] += 1
            return
        call = as_id(value.get("tool_call_id"))
        answers = call if kind in _ANSWERING else ""
        response = as_id(value.get("llm_response_id"))
        own = call if kind == "ActionEvent" else ""
        said = kind == "ActionEvent" or (
            kind == "MessageEvent" and value.get("source") == "agent"
        )
        event = Event(kind, record.line, record.raw, name, response, answers, own, said)
        self.events.append(event)

    def _forget(
        self,
        record: Record,
        value: Mapping[str, Any],
        name: str,
        about: Mapping[str, Any],
    ) -> None:
        ids = {as_id(item) for item in listed(about.get("forgotten_event_ids"))}
        ids.discard("")
        first = about.get("forgotten_events_start_id")
        last = about.get("forgotten_events_end_id")
        if isinstance(first, int) and isinstance(last, int):
            ids |= {e.id for e in self.events if _between(first, e.id, last)}
        summary = as_text(about.get("summary"))
        one = Forgotten(
            record.line,
            len(self.events),
            frozenset(ids | {name} - {""}),
            summary,
            value.get("timestamp"),
        )
        self.forgotten.append(one)

    def all(self) -> list[Event]:
        """The events; a delegation that never ended hides none."""
        if not self._delegated:
            return self.events
        at = next(i for i, e in enumerate(self.events) if e.id == self._delegated)
        return self.events[:at] + [e._replace(side=False) for e in self.events[at:]]


def _between(first: int, name: str, last: int) -> bool:
    return name.isascii() and name.isdecimal() and first <= int(name[:18]) <= last


def live(log: Log, report: Report, *, full: bool) -> list[Event]:
    """The live events, with a summary of kind ``SUMMARY`` in its place.

    ``full``: all events, each summary where it was written.
    """
    return list(_in_full(log, report) if full else _kept(log, report))


def _in_full(log: Log, report: Report) -> Iterator[Event]:
    waiting = list(log.forgotten)
    stale = False
    for at, event in enumerate(log.all()):
        while waiting and waiting[0].at <= at:
            stale = True
            yield from _told(waiting.pop(0), report)
        yield event._replace(stale=stale)
    for one in waiting:
        yield from _told(one, report)


def _told(one: Forgotten, report: Report) -> Iterator[Event]:
    report.add(one.line, "boundary", f"a condensation of {len(one.ids) - 1} events")
    if one.summary:
        yield _summary(one)


def _kept(log: Log, report: Report) -> list[Event]:
    events = log.all()
    gone = frozenset[str]().union(*(one.ids for one in log.forgotten))
    bound = log.forgotten[-1].at if log.forgotten else 0
    kept = [
        event._replace(stale=at < bound)
        for at, event in enumerate(events)
        if event.id not in gone
    ]
    log.others["events that were forgotten"] += len(events) - len(kept)
    if log.forgotten:
        text = f"the history begins after a condensation: {len(events) - len(kept)} "
        report.add(log.forgotten[-1].line, "boundary", text + "events were forgotten")
    told = next((one for one in reversed(log.forgotten) if one.summary), None)
    if told is not None:
        first = (at for at, event in enumerate(events) if event.id in gone)
        kept.insert(next(first, len(kept)), _summary(told))
    return kept


def _summary(one: Forgotten) -> Event:
    return Event(SUMMARY, one.line, b"", "", text=one.summary, time=one.time)
