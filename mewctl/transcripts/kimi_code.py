"""Kimi Code's ``wire.jsonl``: records that build the context, replayed; as messages.

A message is one record, or the several of a step. What comes while calls are open waits
until they are answered. A compaction leaves its summary, and of what it replaced either
the newest messages (old records) or some of the user's (new ones); an undo takes back
the user's last words and all after them. Records may hold values of any type in any
place. Must not know the other logs.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from mewctl.history.formats.blocks import as_id, as_optional, as_text, call_input
from mewctl.history.view import Call, Message, Result, Text
from mewctl.transcripts.chat_parts import calls, contents, parts
from mewctl.transcripts.earlier import compacted
from mewctl.transcripts.kimi_context import is_injected, result
from mewctl.transcripts.kimi_screen import usage_of
from mewctl.transcripts.telling import (
    KIND_CHARS,
    as_object,
    parsed,
    seconds,
    spoken,
)

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mewctl.history.view import Part, Usage
    from mewctl.streams.records import Record
    from mewctl.transcripts import Report

_HEADS = (
    *("turn", "config", "permission", "full_compaction", "micro_compaction", "context"),
    *("plan_mode", "swarm_mode", "tools", "usage", "goal", "llm", "mcp", "tool_search"),
)
# What the user typed to get a message of such an origin.
_ARGUMENTS = {"skill_activation": "skillArgs", "plugin_command": "commandArgs"}


def is_record(value: Mapping[str, Any]) -> bool:
    """Whether a record is one of this log."""
    kind = value.get("type")
    if not isinstance(kind, str) or value.keys() & {"data", "payload", "role"}:
        return False
    head, dot, _ = kind.partition(".")
    timed = "time" in value or head == "context"
    return bool(dot) and head in _HEADS and timed


class _Item(NamedTuple):
    """A message of the context: its records, as lines and bytes.

    ``users``: the user's words begin with it. ``stale``: its usage counts a context
    that is not told.
    """

    kind: Literal["message", "step", "result", "summary", "system"]
    raws: list[tuple[int, bytes]]
    users: bool = False
    stale: bool = False
    model: str | None = None


@dataclass(slots=True)
class _Context:
    """The context as the records so far leave it. ``full``: nothing leaves it."""

    others: Counter[str]
    report: Report
    full: bool
    items: list[_Item] = field(default_factory=list)
    system: _Item | None = None
    model: str | None = None
    _steps: dict[str, _Item] = field(default_factory=dict)
    _open: set[str] = field(default_factory=set)
    _waiting: list[_Item] = field(default_factory=list)
    _compacted: bool = False

    def add(self, record: Record, value: Mapping[str, Any]) -> None:
        """Take in one record."""
        kind, raw = as_text(value.get("type")), (record.line, record.raw)
        if kind == "context.append_message":
            message = as_object(value.get("message"))
            item = _Item("message", [raw], _is_users(message))
            (self._waiting if self._open else self.items).append(item)
        elif kind == "context.append_loop_event":
            self._event(as_object(value.get("event")), raw)
        elif kind == "context.apply_compaction":
            self._compact(value, raw)
        elif kind == "context.clear":
            self._flush()
            text = "the history begins after it was cleared"
            self.report.add(record.line, "boundary", text)
            self._drop(0 if self.full else len(self.items), "before it was cleared")
        elif kind == "context.undo":
            self._flush()
            count = value.get("count")
            self._undo(count if isinstance(count, int) else 1)
        elif kind == "config.update":
            self.model = as_optional(value.get("modelAlias")) or self.model
            if as_text(value.get("systemPrompt")):
                self.system = _Item("system", [raw])
            else:
                self.others["config.update records"] += 1
        else:
            self.others[f"{kind[:KIND_CHARS] or 'untyped'} records"] += 1

    def _event(self, event: Mapping[str, Any], raw: tuple[int, bytes]) -> None:
        kind = event.get("type")
        if kind == "step.begin":
            self._begin(as_id(event.get("uuid"))).raws.append(raw)
        elif kind == "tool.result":
            self._open.discard(as_id(event.get("toolCallId")))
            self.items.append(_Item("result", [raw]))
        elif kind in ("content.part", "tool.call", "step.end"):
            named = as_id(event.get("uuid" if kind == "step.end" else "stepUuid"))
            self._step(named).raws.append(raw)
            if kind == "tool.call":
                self._open.add(as_id(event.get("toolCallId")))
        else:
            self.others["other events"] += 1
        if not self._open:
            self._flush()

    def _begin(self, name: str) -> _Item:
        """A new step."""
        stale = self._compacted and self.full
        step = _Item("step", [], stale=stale, model=self.model)
        self._steps[name] = step
        self.items.append(step)
        return step

    def _step(self, name: str) -> _Item:
        """The step of a name: the last one for no name, a new one for a lost one."""
        last = self.items[-1] if self.items else None
        if not name and last is not None and last.kind == "step":
            return last
        return (self._steps.get(name) if name else None) or self._begin(name)

    def _flush(self) -> None:
        """The calls are answered: what waited for that comes now."""
        self._open.clear()
        self.items += self._waiting
        self._waiting.clear()

    def _compact(self, value: Mapping[str, Any], raw: tuple[int, bytes]) -> None:
        self._flush()
        before = self.items
        what = "a compaction" if self.full else "the history begins after a compaction"
        self.report.add(raw[0], "boundary", f"{what} ({len(before)} messages before)")
        self._compacted = True
        summary = _Item("summary", [raw])
        if self.full:
            self.items.append(summary)
            return
        kept = value.get("keptUserMessageCount")
        if isinstance(kept, int):
            head = value.get("keptHeadUserMessageCount")
            users = [item for item in before if item.users]
            first = head if isinstance(head, int) and 0 <= head <= kept else 0
            last = users[first:][max(0, len(users) - kept) :] if kept > 0 else []
            left = [*users[:first], *last, summary]
        else:
            count = value.get("compactedCount")
            at = max(0, count) if isinstance(count, int) else len(before)
            left = [summary, *(item._replace(stale=True) for item in before[at:])]
        gone = len(before) - (len(left) - 1)
        self.others["messages before the compaction"] += gone
        self.items = left

    def _drop(self, count: int, why: str) -> None:
        if count:
            self.others[f"messages {why}"] += count
            del self.items[-count:]

    def _undo(self, count: int) -> None:
        """Take back the user's last ``count`` words, and what followed them."""
        users = [at for at, item in enumerate(self.items) if item.users]
        if count > 0 and users:
            at = users[max(0, len(users) - count)]
            self._drop(len(self.items) - at, "that were undone")


def _is_users(message: Mapping[str, Any]) -> bool:
    origin = as_object(message.get("origin"))
    typed = origin.get("trigger") == "user-slash" or origin.get("kind") == "user"
    return message.get("role") == "user" and (typed or not origin)


def messages(
    found: Iterable[tuple[Record, Mapping[str, Any]]],
    others: Counter[str],
    report: Report,
    *,
    full: bool,
) -> Iterator[Message]:
    """The messages of the context; ``others`` counts what is none."""
    context = _Context(others, report, full)
    for record, value in found:
        context.add(record, value)
    context._flush()  # noqa: SLF001  (the log ends here)
    if context.system is not None:
        yield from _told(context.system, others, report)
    results: list[Message] = []
    for item in context.items:
        told = list(_told(item, others, report))
        if told and told[0].role == "tool":
            results += told
            continue
        yield from _joined(results)
        results = []
        yield from told
    yield from _joined(results)


def _joined(results: Sequence[Message]) -> Iterator[Message]:
    """Results in a row as one message."""
    if results:
        whole = tuple(part for message in results for part in message.parts)
        yield replace(results[0], parts=whole)


def _told(item: _Item, others: Counter[str], report: Report) -> Iterator[Message]:
    whole = (parsed(raw, line, lambda v: [v], report) for line, raw in item.raws)
    values = [value for value in whole if value is not None]
    if not values:
        return
    time = seconds(values[0].get("time"))
    if item.kind == "summary":
        yield compacted(_summary(values[0]), time)
    elif item.kind == "system":
        yield Message("system", (Text(as_text(values[0].get("systemPrompt"))),), time)
    elif item.kind == "result":
        yield Message("tool", (_result(as_object(values[0].get("event"))),), time)
    elif item.kind == "step":
        events = [as_object(value.get("event")) for value in values]
        message = _step(events, time)
        if message is None:
            others["steps that say nothing"] += 1
        else:
            usage = None if item.stale else message.usage
            yield replace(message, usage=usage, model=item.model)
    else:
        yield from _message(as_object(values[0].get("message")), time)


def _summary(value: Mapping[str, Any]) -> str:
    """The text that stands for what was dropped, as the model gets it."""
    told = value.get("contextSummary") or value.get("summary")
    if isinstance(told, dict):
        told = "\n".join(
            p.text for p in parts(told.get("content")) if isinstance(p, Text)
        )
    return as_text(told)


def _step(events: Sequence[Mapping[str, Any]], time: float | None) -> Message | None:
    told: list[Part] = []
    usage: Usage | None = None
    name: str | None = None
    for event in events:
        if event.get("type") == "content.part":
            told += parts(event.get("part"))
        elif event.get("type") == "tool.call":
            given = call_input(event.get("args"))
            call = as_id(event.get("toolCallId"))
            told.append(Call(call, as_text(event.get("name")), given))
        else:
            usage = usage_of(event.get("usage")) or usage
            name = as_optional(event.get("messageId")) or name
    if not told:
        return None
    return Message("assistant", tuple(told), time, usage=usage, id=name)


def _result(event: Mapping[str, Any]) -> Result:
    about = as_object(event.get("result"))
    shown = contents(about.get("output")) + contents(about.get("note"))
    failed = about.get("isError") is True
    return Result(as_id(event.get("toolCallId")), tuple(shown), failed)


def _message(message: Mapping[str, Any], time: float | None) -> Iterator[Message]:
    role, told = message.get("role"), parts(message.get("content"))
    if role == "tool":
        named = {"tool_call_id": message.get("toolCallId"), **message}
        answer = result(named)
        failed = answer.is_error or message.get("isError") is True
        yield Message("tool", (replace(answer, is_error=failed),), time)
        return
    if role == "assistant":
        flat = (*told, *calls(message.get("toolCalls")))
        if flat:
            yield Message("assistant", flat, time)
        return
    origin = as_object(message.get("origin"))
    kind = as_text(origin.get("kind"))
    typed = as_text(origin.get(_ARGUMENTS.get(kind, "")))
    if typed and origin.get("trigger") == "user-slash":
        yield Message("user", (Text(typed),), time)
    users = role == "user" and kind in ("", "user")
    if told:
        yield from spoken(((not users or is_injected(p), p) for p in told), time)
