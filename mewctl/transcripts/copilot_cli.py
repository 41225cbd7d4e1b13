"""The reader of Copilot CLI's sessions (``~/.copilot/session-state/*/events.jsonl``).

The same events come from ``copilot --output-format json`` and, fewer of them, from VS
Code's chat. Two passes: the events, then those that are live, parsed again. So a
session costs its bytes.

What is told: the user's words, the model's, its reasoning where it can be read, calls
and results; summaries of compactions, notifications, what was sent around the user's
words, and tools that the user ran, as injected text. Left out and counted in the
report: all other events, reasoning that is sealed for its provider, sub-agents (unless
``sidechains``). The log has no counts of a request's tokens but those of its output, so
no usage is told.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mewctl.transcripts.copilot_log import RESULT, START, Session, is_event
from mewctl.transcripts.copilot_messages import (
    assistant_message,
    is_sealed,
    other_messages,
    results_message,
    told_of,
    users_tool,
)
from mewctl.transcripts.damage import whole_objects
from mewctl.transcripts.sides import woven
from mewctl.transcripts.telling import moved, parsed, tell_left_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mewctl.history.view import Message
    from mewctl.streams.records import Record
    from mewctl.transcripts import ReadOptions, Report
    from mewctl.transcripts.copilot_log import Event
    from mewctl.transcripts.telling import Round

NAME = "copilot-cli"


def sniff(value: Mapping[str, Any]) -> bool:
    """Whether a parsed record can only be of this agent's transcript."""
    return is_event(value)


def read(
    records: Iterable[Record], options: ReadOptions, report: Report
) -> Iterator[Message]:
    """The history, oldest first. Damaged records are reported, never raised."""
    session = Session()
    for record, value in whole_objects(records, sniff, report):
        session.add(record, value, report)
    report.origin = session.origin
    main, sides = _parted(session, session.live(report, full=options.full))
    if not options.sidechains:
        session.others["events of sub-agents"] += sum(map(len, sides.values()))
        sides = {}
    events = session.events
    parts = woven(
        main,
        sides,
        session.response,
        lambda at: events[at].kind == RESULT and not events[at].users,
    )
    yield from moved(_all_told(session, parts, report))
    tell_left_out(session.others, report)


def _parted(
    session: Session, order: Sequence[int]
) -> tuple[list[int], dict[str, list[int]]]:
    """The main agent's events, and those of each sub-agent."""
    main: list[int] = []
    sides: dict[str, list[int]] = {}
    for at in order:
        agent = session.events[at].agent
        (sides.setdefault(agent, []) if agent else main).append(at)
    return main, sides


def _all_told(
    session: Session, parts: Iterable[Round[int]], report: Report
) -> Iterator[Message]:
    said = False
    for one in parts:
        for message in _told(session, one, report, first=not said):
            said = True
            yield message


def _told(
    session: Session, one: Round[int], report: Report, *, first: bool
) -> Iterator[Message]:
    """The messages of a round."""
    events = session.events
    begun = [at for at in one.others if _is_start(events[at])]
    custom: set[str] = set()
    for message in _response(session, one.answers, begun, report):
        first = False
        custom = {c.id for c in message.calls if c.kind == "custom"}
        yield message
    results = results_message(_values(session, one.results, report), custom)
    if results is not None:
        first = False
        yield results
    others = [at for at in one.others if not _is_start(events[at])]
    yield from _others(session, others, report, first=first)


def _is_start(event: Event) -> bool:
    return event.kind == START and not event.users


def _response(
    session: Session, answers: Sequence[int], begun: Sequence[int], report: Report
) -> Iterator[Message]:
    """The message of a response, if it says anything."""
    said = _values(session, answers, report)
    if not said:
        return
    session.others["sealed reasonings"] += sum(map(is_sealed, said))
    starts = _values(session, begun, report)
    about = session.events[answers[0]]
    message = assistant_message(said, starts, about.model, about.cwd)
    if message is None:
        session.others["responses that say nothing"] += 1
    else:
        yield message


def _others(
    session: Session, places: Sequence[int], report: Report, *, first: bool
) -> Iterator[Message]:
    for at in places:
        event = session.events[at]
        for value in _values(session, [at], report):
            told = (
                users_tool(value) if event.users else other_messages(value, first=first)
            )
            for message in told:
                first = False
                side = bool(event.agent) and message.role == "user"
                yield replace(message, injected=True) if side else message


def _values(
    session: Session, places: Sequence[int], report: Report
) -> list[Mapping[str, Any]]:
    """The events at ``places``, parsed again."""
    found = (session.events[at] for at in places)
    values = (parsed(e.raw, e.line, told_of, report) for e in found)
    return [value for value in values if value is not None]
