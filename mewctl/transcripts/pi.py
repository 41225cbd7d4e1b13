"""The reader of pi's sessions (``~/.pi/agent/sessions/*/*.jsonl``), versions 1 to 3.

Two passes: the entries and their links, then those of the live branch, parsed again. So
a session costs its bytes.

What is told: the user's words, the model's, thinking, calls and results; summaries of
compactions and branches, messages of extensions and commands that the user ran, as
injected text. Left out and counted in the report: other branches, what stands before
the last compaction (unless ``full``), responses that were broken off before they said
anything, calls that were never run for the same reason, what the user kept from the
model, labels, settings and extensions' data. The last entry of the file is the leaf,
as pi has it. pi's sub-agents have sessions of their own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mewctl.transcripts.damage import whole_objects
from mewctl.transcripts.pi_messages import (
    assistant_message,
    cut_off,
    other_messages,
    results_message,
    told_of,
)
from mewctl.transcripts.pi_tree import SPOKEN, Session, live_branch
from mewctl.transcripts.telling import (
    Round,
    as_object,
    moved,
    parsed,
    rounds,
    tell_left_out,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mewctl.history.view import Message
    from mewctl.streams.records import Record
    from mewctl.transcripts import ReadOptions, Report
    from mewctl.transcripts.pi_tree import Branch

NAME = "pi"

# What each type of record has beside it, that no other agent's has.
_SIGNS: dict[str, tuple[str, ...]] = {
    "branch_summary": ("fromId", "summary"),
    "compaction": ("summary", "tokensBefore"),
    "custom_message": ("customType", "content"),
    "custom": ("customType", "parentId"),
    "label": ("targetId", "parentId"),
    "model_change": ("provider", "modelId"),
    "session": ("id", "timestamp", "cwd"),
    "session_info": ("id", "parentId"),
    "thinking_level_change": ("thinkingLevel",),
}
_OWN_ROLES = frozenset(
    {
        "bashExecution",
        "branchSummary",
        "compactionSummary",
        "custom",
        "hookMessage",
        "toolResult",
    }
)


def sniff(value: Mapping[str, Any]) -> bool:
    """Whether a parsed record can only be of this agent's transcript.

    A message is one of pi's by its role, or by its own time, in milliseconds.
    """
    kind = value.get("type")
    if not isinstance(kind, str) or "role" in value:
        return False
    if kind != "message":
        return kind in _SIGNS and value.keys() >= set(_SIGNS[kind])
    message = as_object(value.get("message"))
    role, time = message.get("role"), message.get("timestamp")
    if isinstance(role, str) and role in _OWN_ROLES:
        return True
    return role in ("user", "assistant") and isinstance(time, (int, float))


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
    _count(session, branch, full=options.full)
    roles = [entry.role for entry in session.entries]
    parts = rounds(
        branch.order,
        lambda at: at if roles[at] == "assistant" else None,
        lambda at: roles[at] == "toolResult",
    )
    told = (m for one in parts for m in _told(session, branch, one, report))
    yield from moved(told)
    tell_left_out(session.others, report)


def _count(session: Session, branch: Branch, *, full: bool) -> None:
    """Count the entries that are not on the branch."""
    if not session.entries:
        return
    live = set(branch.order)
    first = branch.order[0]
    bound = 0 if full or session.entries[first].kind != "compaction" else first
    for at, entry in enumerate(session.entries):
        if entry.kind in SPOKEN and at not in live:
            early = at < bound
            where = "before the compaction" if early else "of other branches"
            session.others[f"records {where}"] += 1


def _told(
    session: Session, branch: Branch, one: Round[int], report: Report
) -> Iterator[Message]:
    """The messages of a round."""
    results = results_message(_values(session, one.results, report))
    answered = {result.call_id for result in results.results} if results else set()
    for value in _values(session, one.answers, report):
        session.others["calls that were never run"] += cut_off(value, answered)
        message = assistant_message(value, answered, session.cwd)
        if message is None:
            session.others["responses that say nothing"] += 1
        elif branch.stale.isdisjoint(one.answers):
            yield message
        else:
            yield replace(message, usage=None)
    if results is not None:
        yield results
    for value in _values(session, one.others, report):
        silent = True
        for message in other_messages(value):
            silent = False
            yield message
        session.others["records that the model does not see"] += silent


def _values(
    session: Session, places: Sequence[int], report: Report
) -> list[Mapping[str, Any]]:
    """The entries at ``places`` that a model may see, parsed again."""
    entries = (session.entries[at] for at in places)
    values = (
        parsed(entry.raw, entry.line, told_of, report) for entry in entries if entry.raw
    )
    return [value for value in values if value is not None]
