"""Kimi CLI's ``wire.jsonl``: events for the user's screen, as messages.

Texts and arguments may come in pieces. The log has no system text and no summaries, so
a compaction in it cuts nothing. Records may hold values of any type in any place. Must
not know the other logs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mewctl.history.formats.blocks import as_id, as_optional, as_text
from mewctl.history.formats.openai_make import read_arguments
from mewctl.history.usage import normalise
from mewctl.history.view import Call, Message, Result, Text, Thinking
from mewctl.transcripts.chat_parts import contents, parts
from mewctl.transcripts.kimi_context import is_injected
from mewctl.transcripts.telling import (
    as_object,
    parsed,
    seconds,
    spoken,
)

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator, Mapping

    from mewctl.history.view import Part, Usage
    from mewctl.streams.records import Record
    from mewctl.transcripts import ReadOptions, Report

_BEGINS = ("TurnBegin", "SteerInput", "StepBegin")
_KINDS = frozenset(
    {"ContentPart", "ToolCall", "ToolCallPart", "ToolResult", "StatusUpdate", "TurnEnd"}
    | {"StepInterrupted", "CompactionBegin", "CompactionEnd", "SubagentEvent"}
    | {"ApprovalRequest", "ApprovalResponse", "ApprovalRequestResolved", "Notification"}
    | {"QuestionRequest", "ToolCallRequest", "PlanDisplay", "HookTriggered"}
    | {"HookResolved", "MCPLoadingBegin", "MCPLoadingEnd", *_BEGINS}
)


def is_record(value: Mapping[str, Any]) -> bool:
    """Whether a record is an event of this log."""
    message = as_object(value.get("message"))
    kind = message.get("type")
    known = isinstance(kind, str) and kind in _KINDS
    return known and "payload" in message and "timestamp" in value


@dataclass(slots=True)
class _Step:
    """A response while its pieces come in."""

    time: float | None
    said: list[Part] = field(default_factory=list)
    calls: list[tuple[str, str, list[str]]] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    usage: Usage | None = None
    name: str | None = None

    def add(self, part: Part) -> None:
        """Take in a piece; texts in a row are one."""
        last = self.said[-1] if self.said else None
        if isinstance(part, Text) and isinstance(last, Text):
            self.said[-1] = Text(last.text + part.text)
        elif isinstance(part, Thinking) and isinstance(last, Thinking):
            if last.signature or last.redacted != part.redacted:
                self.said.append(part)
            else:
                self.said[-1] = Thinking(last.text + part.text, part.signature)
        else:
            self.said.append(part)

    def messages(self) -> Iterator[Message]:
        """The response, and the results of its calls."""
        called = (
            Call(name, tool, read_arguments("".join(given)))
            for name, tool, given in self.calls
        )
        told = (*self.said, *called)
        if told:
            yield Message("assistant", told, self.time, usage=self.usage, id=self.name)
        if self.results:
            yield Message("tool", tuple(self.results), self.time)


def messages(
    found: Iterable[tuple[Record, Mapping[str, Any]]],
    others: Counter[str],
    report: Report,
    options: ReadOptions,  # noqa: ARG001  (nothing is ever cut)
) -> Iterator[Message]:
    """The messages of all turns; ``others`` counts what is none."""
    held: list[tuple[int, bytes]] = []
    for record, value in found:
        if is_record(value):
            held.append((record.line, record.raw))
        else:
            others["other records"] += 1
    step = _Step(None)
    for line, raw in held:
        event = parsed(raw, line, lambda value: [value.get("message")], report)
        if event is None:
            continue
        message, time = as_object(event.get("message")), seconds(event.get("timestamp"))
        kind, payload = as_text(message.get("type")), as_object(message.get("payload"))
        if kind in _BEGINS:
            yield from step.messages()
            step = _Step(time)
            if kind != "StepBegin":
                said = parts(payload.get("user_input"))
                yield from spoken(((is_injected(p), p) for p in said), time)
        elif not _piece(step, kind, payload):
            others[f"{kind} records"] += 1
            if kind == "CompactionEnd":
                text = "a compaction, whose summary is not in this log"
                report.add(line, "boundary", text)
    yield from step.messages()


def _piece(step: _Step, kind: str, payload: Mapping[str, Any]) -> bool:
    """Take in a piece of a response; False for what is none."""
    if kind == "ContentPart":
        for part in parts([payload] if payload else None):
            step.add(part)
    elif kind == "ToolCall":
        function = as_object(payload.get("function"))
        given = [as_text(function.get("arguments"))]
        name = as_text(function.get("name"))
        step.calls.append((as_id(payload.get("id")), name, given))
    elif kind == "ToolCallPart":
        if step.calls:
            step.calls[-1][2].append(as_text(payload.get("arguments_part")))
    elif kind == "ToolResult":
        about = as_object(payload.get("return_value") or payload.get("result"))
        shown = contents(about.get("output")) or contents(about.get("message"))
        failed = about.get("is_error") is True
        name = as_id(payload.get("tool_call_id"))
        step.results.append(Result(name, tuple(shown), failed))
    elif kind == "StatusUpdate":
        step.usage = usage_of(payload.get("token_usage")) or step.usage
        step.name = as_optional(payload.get("message_id")) or step.name
    else:
        return False
    return True


def usage_of(value: object) -> Usage | None:
    """A usage as Kimi counts it, in either spelling of its names."""
    about = as_object(value)

    def count(snake: str, camel: str) -> object:
        return about.get(snake, about.get(camel))

    return normalise(
        {
            "input": count("input_other", "inputOther"),
            "output": count("output", "output"),
            "cache_read": count("input_cache_read", "inputCacheRead"),
            "cache_write": count("input_cache_creation", "inputCacheCreation"),
        }
    )
