"""The reader of Gemini CLI's sessions (``~/.gemini/tmp/*/chats/session-*.json[l]``).

Two passes: the records are replayed, then the messages that are live are parsed again.
So a session costs its bytes. Both forms are read: one record a line, and one object
with all messages, which is one record here.

What is told: the user's words, the model's, its thoughts, calls and results. What
Gemini CLI sent beside the words it showed is injected text. Left out and counted in the
report: notices (info, warning, error), updates of the session's data, what was rewound,
commands that the model never got, and copies of results. Compression replaces the
messages; with ``full`` it adds what is new in them. Sub-agents have files of their own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mewctl.history.formats.blocks import as_text
from mewctl.transcripts.gemini_log import Log, is_record, objects
from mewctl.transcripts.gemini_messages import (
    model_messages,
    told_of,
    user_messages,
)
from mewctl.transcripts.telling import KIND_CHARS, parsed, tell_left_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mewctl.history.view import Message
    from mewctl.streams.records import Record
    from mewctl.transcripts import ReadOptions, Report

NAME = "gemini-cli"

# The keys of a message; another agent's records have others.
_KEYS = frozenset(
    {
        "id",
        "timestamp",
        "type",
        "content",
        "displayContent",
        "thoughts",
        "tokens",
        "model",
        "toolCalls",
    }
)


def sniff(value: Mapping[str, Any]) -> bool:
    """Whether a parsed record can only be of this agent's transcript."""
    if not is_record(value):
        return False
    return "type" not in value or value.keys() <= _KEYS


def read(
    records: Iterable[Record], options: ReadOptions, report: Report
) -> Iterator[Message]:
    """The history, oldest first. Damaged records are reported, never raised."""
    log = Log(report, options.full)
    for record, value in objects(records, report):
        log.add(record, value)
    report.origin = log.origin
    answered: set[str] = set()
    for entry in log.messages.values():
        said = parsed(entry.raw, entry.line, told_of, report)
        for message in _told(said, answered, log) if said is not None else ():
            stale = entry.stale and not options.every_usage
            yield replace(message, usage=None) if stale else message
    tell_left_out(log.others, report)


def _told(value: Mapping[str, Any], answered: set[str], log: Log) -> Iterator[Message]:
    """The messages that a message of the session is; a silent one is counted."""
    kind = as_text(value.get("type"))
    tell = {"user": user_messages, "gemini": model_messages}.get(kind)
    silent = True
    for message in tell(value, answered) if tell else ():
        silent = False
        yield message
    if silent:
        what = "records that say nothing" if tell else "records"
        log.others[f"{kind[:KIND_CHARS] or 'untyped'} {what}"] += 1
