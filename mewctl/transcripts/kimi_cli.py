"""The reader of Kimi's sessions (``~/.kimi/sessions``, ``~/.kimi-code/sessions``).

Kimi CLI's ``context.jsonl`` is what the model sees: chat messages, with counts of
tokens. Its ``wire.jsonl`` is the log of all turns as events for the user's screen, and
has no summaries. Kimi Code's ``wire.jsonl`` has records that build the context. Two
passes: the records, then those that are live, parsed again. So a session costs its
bytes.

What is told: the system text, the user's words, the model's, its thoughts, calls and
results; summaries, reminders and what skills expand to, as injected text. Left out and
counted in the report: checkpoints, settings, requests, copies for the screen, what was
undone, sub-agents.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol

from mewctl.history.detect import classify
from mewctl.transcripts import kimi_code, kimi_context, kimi_screen
from mewctl.transcripts.damage import Foreign, is_message, whole_objects
from mewctl.transcripts.telling import tell_left_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mewctl.history.view import Message
    from mewctl.streams.records import Record
    from mewctl.transcripts import ReadOptions, Report

NAME = "kimi-cli"


def sniff(value: Mapping[str, Any]) -> bool:
    """Whether a parsed record can only be of this agent's transcript."""
    if "role" in value:
        return kimi_context.is_mark(value)
    if value.get("type") == "metadata":
        return "protocol_version" in value
    return kimi_screen.is_record(value) or kimi_code.is_record(value)


def read(
    records: Iterable[Record], options: ReadOptions, report: Report
) -> Iterator[Message]:
    """The history, oldest first. Damaged records are reported, never raised."""
    others: Counter[str] = Counter()
    found = whole_objects(records, _is_record, report, _is_foreign)
    tell: _Teller | None = None
    early: list[tuple[Record, dict[str, Any]]] = []
    for record, value in found:
        early.append((record, value))
        tell = _teller(value)
        if tell is not None:
            break
    rest: Iterator[tuple[Record, dict[str, Any]]] = chain(early, found)
    if tell is None:
        tell = kimi_context.messages
    elif tell is not kimi_context.messages:
        rest = _no_messages(rest)
    yield from tell(rest, others, report, options)
    tell_left_out(others, report)


class _Teller(Protocol):
    def __call__(
        self,
        found: Iterable[tuple[Record, Mapping[str, Any]]],
        others: Counter[str],
        report: Report,
        options: ReadOptions,
    ) -> Iterator[Message]: ...


def _teller(value: Mapping[str, Any]) -> _Teller | None:
    """Who tells the messages of a log with such a record; None: it does not say."""
    if "role" in value:
        return kimi_context.messages
    if kimi_screen.is_record(value):
        return kimi_screen.messages
    return kimi_code.messages if kimi_code.is_record(value) else None


def _no_messages(
    found: Iterator[tuple[Record, dict[str, Any]]],
) -> Iterator[tuple[Record, dict[str, Any]]]:
    """The records of a log that holds no chat messages."""
    for record, value in found:
        if is_message(value):
            raise Foreign(record)
        yield record, value


def _is_record(value: Mapping[str, Any]) -> bool:
    return sniff(value) or _is_chat(value)


def _is_chat(value: Mapping[str, Any]) -> bool:
    """Whether a record is a message that a context can hold."""
    return value.get("role") in kimi_context.ROLES and "openai" in classify(value).fits


def _is_foreign(value: Mapping[str, Any]) -> bool:
    """Whether a record is a message that only other formats have."""
    return is_message(value) and not _is_chat(value)
