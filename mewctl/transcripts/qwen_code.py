"""The reader of Qwen Code's sessions (``~/.qwen/projects/*/chats/*.jsonl``).

Two passes: the records and their links, then those of the live branch, parsed again. So
a session costs its bytes. Contents are Gemini's; old releases wrote Gemini CLI's own
session objects, which its reader reads.

What is told: the user's words, the model's, its thoughts, calls and results. Text
around the words that were typed, notifications, scheduled prompts and files that were
named are injected text. A compression's history replaces what came before it; with
``full`` it adds what is new in it. Left out and counted in the report: other branches,
records beside the conversation, commands that the model never got, sub-agents (unless
``sidechains``).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mewctl.transcripts.damage import whole_objects
from mewctl.transcripts.qwen_log import COMPRESSION, Session, is_record, live_branch
from mewctl.transcripts.qwen_messages import (
    Teller,
    merged,
    told_of,
)
from mewctl.transcripts.sides import woven
from mewctl.transcripts.telling import moved, parsed, tell_left_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mewctl.history.view import Message
    from mewctl.streams.records import Record
    from mewctl.transcripts import ReadOptions, Report
    from mewctl.transcripts.qwen_log import Branch
    from mewctl.transcripts.telling import Round

NAME = "qwen-code"


def sniff(value: Mapping[str, Any]) -> bool:
    """Whether a parsed record can only be of this agent's transcript."""
    return is_record(value)


def read(
    records: Iterable[Record], options: ReadOptions, report: Report
) -> Iterator[Message]:
    """The history, oldest first. Damaged records are reported, never raised."""
    session = Session()
    for record, value in whole_objects(records, sniff, report):
        session.add(record, value)
    report.origin = session.origin
    branch = live_branch(session, report, full=options.full)
    if options.every_usage:
        branch = branch._replace(stale=frozenset())
    sides = session.sides()
    if not options.sidechains:
        session.others["records of sub-agents"] += sum(map(len, sides.values()))
        sides = {}
    entries = session.entries
    parts = woven(
        branch.order,
        sides,
        lambda at: at if entries[at].kind == "assistant" else None,
        lambda at: entries[at].kind == "tool_result",
    )
    teller = Teller(session.others, full=options.full)
    told = (m for one in parts for m in _told(session, branch, one, teller, report))
    yield from moved(told)
    tell_left_out(session.others, report)


def _told(
    session: Session,
    branch: Branch,
    one: Round[int],
    teller: Teller,
    report: Report,
) -> Iterator[Message]:
    """The messages of a round."""
    for at in one.answers:
        for value in _values(session, at, report):
            for message in teller.answer(value):
                stale = at in branch.stale
                yield replace(message, usage=None) if stale else message
    values = [v for at in one.results for v in _values(session, at, report)]
    yield from teller.results(values)
    for at in one.others:
        entry = session.entries[at]
        for value in _values(session, at, report):
            if entry.kind == COMPRESSION:
                yield from teller.compressed(value)
            else:
                yield from teller.other(value, injected=bool(entry.agent))


def _values(session: Session, at: int, report: Report) -> list[Mapping[str, Any]]:
    """The record at a position, parsed again; those of one name as one."""
    raws = session.entries[at].raws
    values = [parsed(raw, line, told_of, report) for line, raw in raws]
    whole = [value for value in values if value is not None]
    return [merged(whole)] if whole else []
