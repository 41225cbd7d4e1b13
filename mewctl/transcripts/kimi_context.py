"""Kimi CLI's ``context.jsonl``: the messages of the context, one a line, as messages.

Records may hold values of any type in any place. Must not know the other logs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from mewctl.history.formats.blocks import as_id, as_text
from mewctl.history.usage import normalise
from mewctl.history.view import Image, Message, Result, Text
from mewctl.history.words import own_words
from mewctl.transcripts.chat_parts import calls, contents, parts
from mewctl.transcripts.telling import parsed, rounds, spoken

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mewctl.history.view import Part
    from mewctl.streams.records import Record
    from mewctl.transcripts import ReadOptions, Report

ROLES = ("system", "user", "assistant", "tool")
_MARKS = ("_system_prompt", "_usage", "_checkpoint")
# Kimi CLI puts its own words between these; a failed call's begin with ERROR.
_SYSTEM = re.compile(r"\s*<system>.*</system>\s*", re.DOTALL)
_ERROR = "<system>ERROR"
COMPACTED = "<system>Previous context has been compacted"


def is_mark(value: Mapping[str, Any]) -> bool:
    """Whether a record is one of those that only this log has."""
    role = value.get("role")
    wanted = {"_usage": "token_count", "_checkpoint": "id"}.get(str(role), "content")
    return role in _MARKS and wanted in value


class _Entry(NamedTuple):
    role: str
    line: int
    raw: bytes
    tokens: object = None


def messages(
    found: Iterable[tuple[Record, Mapping[str, Any]]],
    others: Counter[str],
    report: Report,
    options: ReadOptions,  # noqa: ARG001  (the log holds the live context alone)
) -> Iterator[Message]:
    """The messages of a context; ``others`` counts what is none."""
    entries = _entries(found, others)
    told = rounds(
        range(len(entries)),
        lambda at: at if entries[at].role == "assistant" else None,
        lambda at: entries[at].role == "tool",
    )
    said = False
    for one in told:
        for at in one.answers:
            said = True
            for value in _values(entries, [at], report):
                yield from _answer(value, entries[at].tokens, others)
        results = _values(entries, one.results, report)
        if results:
            yield Message("tool", tuple(map(result, results)))
        for value in _values(entries, one.others, report):
            yield from _said(value, after_tools=bool(results), first=not said)
            said = True


def _entries(
    found: Iterable[tuple[Record, Mapping[str, Any]]], others: Counter[str]
) -> list[_Entry]:
    entries: list[_Entry] = []
    for record, value in found:
        role = as_text(value.get("role"))
        if role == "_usage":
            others["counts of tokens"] += 1
            if entries and entries[-1].role == "assistant":
                entries[-1] = entries[-1]._replace(tokens=value.get("token_count"))
        elif role in ROLES or role == "_system_prompt":
            entries.append(_Entry(role, record.line, record.raw))
        else:
            others["checkpoints" if role == "_checkpoint" else "other records"] += 1
    return entries


def _values(
    entries: Sequence[_Entry], places: Iterable[int], report: Report
) -> list[Mapping[str, Any]]:
    found = (entries[at] for at in places)
    values = (parsed(e.raw, e.line, told_of, report) for e in found)
    return [value for value in values if value is not None]


def told_of(record: Mapping[str, Any]) -> list[Any]:
    """What may be told of a record."""
    return [record.get("content"), record.get("tool_calls")]


def _answer(
    value: Mapping[str, Any], tokens: object, others: Counter[str]
) -> Iterator[Message]:
    told = (*parts(value.get("content")), *calls(value.get("tool_calls")))
    if not told:
        others["responses that say nothing"] += 1
        return
    usage = normalise({"input": tokens}) if tokens is not None else None
    yield Message("assistant", told, usage=usage)


def result(value: Mapping[str, Any]) -> Result:
    """The result that a message of role ``tool`` is."""
    content = contents(value.get("content"))
    head = content[0].text if content and isinstance(content[0], Text) else ""
    name = as_id(value.get("tool_call_id"))
    return Result(name, tuple(content), head.startswith(_ERROR))


def _said(
    value: Mapping[str, Any], *, after_tools: bool, first: bool
) -> Iterator[Message]:
    """What a record of the user or the system says.

    Images alone, after results, are what a tool gave.
    """
    told = parts(value.get("content"))
    if not told:
        return
    if value.get("role") != "user":
        role = "system" if first else "user"
        yield Message(
            "system" if first else "user", tuple(told), injected=role == "user"
        )
        return
    head = told[0].text if isinstance(told[0], Text) else ""
    shown = after_tools and all(isinstance(part, Image) for part in told)
    if shown or head.startswith(COMPACTED):
        yield Message("user", tuple(told), injected=True)
    else:
        yield from spoken(((is_injected(part), part) for part in told), None)


def is_injected(part: Part) -> bool:
    """Whether Kimi put a text there."""
    if not isinstance(part, Text):
        return False
    return bool(_SYSTEM.fullmatch(part.text)) or not own_words(part.text)
