"""The reader of OpenHands' conversations, old (events by number) and new (by ``kind``).

One event a line, an array of events, or the server's object with ``trajectory``; the
files of an ``events`` directory, one after another, are the same. Two passes: the
events, then those that are live, parsed again. So a conversation costs its bytes.

What is told: the system text, the user's words, the model's, thinking, calls and
results; condensed summaries, knowledge that was looked up and commands that the user
ran, as injected text. Left out and counted in the report: what was forgotten, changes
of state, requests, other agents that a task was delegated to (unless ``sidechains``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mewctl.streams.jsonvalue import BadJSON, dumps
from mewctl.streams.records import Record
from mewctl.transcripts.damage import whole_objects
from mewctl.transcripts.earlier import compacted
from mewctl.transcripts.openhands_log import (
    SUMMARY,
    Log,
    is_event,
    is_trajectory,
    live,
)
from mewctl.transcripts.openhands_messages import (
    assistant_message,
    other_messages,
    results_message,
    told_of,
)
from mewctl.transcripts.sides import woven
from mewctl.transcripts.telling import parsed, seconds, tell_left_out
from mewctl.transcripts.torn import Torn

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mewctl.history.view import Message
    from mewctl.transcripts import ReadOptions, Report
    from mewctl.transcripts.openhands_log import Event
    from mewctl.transcripts.telling import Round

NAME = "openhands"


def sniff(value: Mapping[str, Any]) -> bool:
    """Whether a parsed record can only be of this agent's transcript."""
    return is_event(value) or is_trajectory(value)


def read(
    records: Iterable[Record], options: ReadOptions, report: Report
) -> Iterator[Message]:
    """The history, oldest first. Damaged records are reported, never raised."""
    log = Log()
    for record, value in whole_objects(
        _single(records, log.others, report), sniff, report
    ):
        for part, event in _events(record, value, log.others):
            log.add(part, event)
    events = live(log, report, full=options.full)
    main = [at for at, event in enumerate(events) if not event.side]
    side = [at for at, event in enumerate(events) if event.side]
    if not options.sidechains:
        log.others["events of delegates"] += len(side)
        side = []
    parts = woven(
        main,
        {"delegate": side},
        lambda at: (events[at].response or at) if events[at].said else None,
        lambda at: bool(events[at].answers),
    )
    said = False
    for one in parts:
        for message in _told(events, one, log.others, report, first=not said):
            said = True
            yield message
    tell_left_out(log.others, report)


def _single(
    records: Iterable[Record], others: Counter[str], report: Report
) -> Iterator[Record]:
    """The records; those of an array one by one, of a torn one those that are whole."""
    for record in records:
        if not record.raw.startswith(b"["):
            yield record
            continue
        try:
            value = record.value(exact=True)
        except BadJSON:
            torn = Torn(record, record.raw.decode("utf-8", "replace"))
            yield from (part for part, _ in torn.items(1, "event", report))
            continue
        for item in value:
            if isinstance(item, dict):
                yield Record(dumps(item), record.line, record.offset)
            else:
                others["events that are no objects"] += 1


def _events(
    record: Record, value: dict[str, Any], others: Counter[str]
) -> Iterator[tuple[Record, dict[str, Any]]]:
    """The event that a record is, or the events that it holds."""
    if is_event(value) or not is_trajectory(value):
        yield record, value
        return
    whole = record.mapping(exact=True)
    for item in whole["trajectory"]:
        if isinstance(item, dict):
            yield Record(dumps(item), record.line, record.offset), item
        else:
            others["events that are no objects"] += 1


def _told(
    events: Sequence[Event],
    one: Round[int],
    others: Counter[str],
    report: Report,
    *,
    first: bool,
) -> Iterator[Message]:
    """The messages of a round."""
    answers, values = _values(events, one.answers, report)
    if answers:
        message = assistant_message(answers, values)
        if message is None:
            others["responses that say nothing"] += 1
        else:
            yield message
    results = results_message(*_values(events, one.results, report))
    if results is not None:
        yield results
    for at in one.others:
        if events[at].kind == SUMMARY:
            yield compacted(events[at].text, seconds(events[at].time))
            continue
        for event, value in zip(*_values(events, [at], report), strict=True):
            for message in other_messages(event, value, first=first):
                first = False
                yield message


def _values(
    events: Sequence[Event], places: Sequence[int], report: Report
) -> tuple[list[Event], list[Mapping[str, Any]]]:
    """The events at ``places`` that can be told, and they parsed again."""
    found = (events[at] for at in places if events[at].raw)
    pairs = ((e, parsed(e.raw, e.line, told_of, report)) for e in found)
    whole = [(event, value) for event, value in pairs if value is not None]
    return [event for event, _ in whole], [value for _, value in whole]
