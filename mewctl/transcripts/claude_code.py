"""The reader of Claude Code's transcripts (``~/.claude/projects/*/*.jsonl``).

Two passes: the index of all records, then the live entries, each parsed again when its
message is told. So a transcript costs its bytes and a small index.

What is told: user, assistant and tool messages of the live branch, joined; prompts
that waited in the queue; the summary of the compaction it starts after; attachments a
model saw as text, as injected messages (``claude_text`` says which). Left out and
counted in the report: rewound branches, sub-agents (unless asked for), what stands
before the last compaction (unless ``full``), messages that were taken back or replaced
after a refusal, progress, system and UI records, copies of results
(``toolUseResult``), and errors of the API that Claude Code words as an assistant: they
are no model's words. A transcript of a sub-agent alone is read as a conversation.

With sub-agents, the branch of each follows the message during which it began, its
prompt as injected text. Usage is not told where it counts a context that is not what
stands before it: of preserved messages and, with ``full``, after the first compaction.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mewctl.streams.jsonvalue import loads
from mewctl.transcripts.claude_groups import (
    Unit,
    complete,
    side_branches,
    superseded,
    units,
    weave,
)
from mewctl.transcripts.claude_index import CHAIN, SPOKEN, Index, kind_of
from mewctl.transcripts.claude_messages import (
    assistant_message,
    attachment_messages,
    prompt_message,
    results_message,
    told_of,
    user_messages,
)
from mewctl.transcripts.claude_report import tell_boundaries, tell_left_out
from mewctl.transcripts.claude_tree import Tree, live_branch
from mewctl.transcripts.damage import whole_objects
from mewctl.transcripts.telling import KIND_CHARS, moved, parsed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mewctl.history.view import Message
    from mewctl.streams.records import Record
    from mewctl.transcripts import ReadOptions, Report
    from mewctl.transcripts.claude_index import Entry

NAME = "claude-code"

#: Types of records beside the conversation that no other agent writes.
_BESIDE = frozenset(
    {
        "agent-name",
        "ai-title",
        "atis-latch",
        "attribution-snapshot",
        "bridge-session",
        "content-replacement",
        "custom-title",
        "file-history-delta",
        "file-history-snapshot",
        "frame-link",
        "last-prompt",
        "permission-mode",
        "pr-link",
        "queue-operation",
        "relocated",
        "worktree-state",
    }
)


def sniff(value: Mapping[str, Any]) -> bool:
    """Whether a parsed record can only be of this agent's transcript.

    A message of the conversation names its session and itself or its parent, and holds
    Anthropic's ``content`` (Qwen Code's envelope is the same around Gemini's parts).
    """
    kind = kind_of(value)
    if kind == "summary":
        return "leafUuid" in value
    if kind in CHAIN:
        message = value.get("message")
        parts = isinstance(message, dict) and "parts" in message
        named = "parentUuid" in value or "uuid" in value
        other = parts or "systemPayload" in value
        return "sessionId" in value and named and not other
    return isinstance(kind, str) and kind in _BESIDE


def read(
    records: Iterable[Record], options: ReadOptions, report: Report
) -> Iterator[Message]:
    """The history, oldest first. Damaged records are reported, never raised."""
    index = Index()
    for record, value in whole_objects(records, _is_record, report):
        index.add(record, value)
    report.origin = index.origin
    tree = Tree(index.entries)
    branch = live_branch(tree, index.leaf, report, full=options.full)
    if options.every_usage:
        branch = branch._replace(stale=frozenset())
    gone = superseded(tree, branch.order, index.retracted)
    order = complete(tree, branch.order, gone)
    sides = side_branches(tree, report) if options.sidechains else []
    items = weave(tree, order, gone, index.queue.prompts(), sides)
    silent: Counter[str] = Counter()
    told = (
        message
        for unit in units(tree, items, branch)
        for message in _told(index.entries, unit, silent, report)
    )
    yield from moved(told)
    tell_boundaries(index, branch.order, report, full=options.full)
    tell_left_out(index, tree, items, gone, silent, report)


def _told(
    entries: Sequence[Entry], unit: Unit, silent: Counter[str], report: Report
) -> Iterator[Message]:
    """The messages of a unit; records that say nothing are counted in ``silent``."""
    if unit.prompt is not None:
        yield from prompt_message(loads(unit.prompt.record.raw))
        return
    kind = entries[unit.members[0]].kind
    if kind == "assistant":
        yield from _answer(entries, unit, report)
    elif kind in SPOKEN:
        tell = _words if kind == "user" else attachment_messages
        for value in _values(entries, unit.members, report):
            empty = True
            for message in tell(value, inner=unit.inner):
                empty = False
                yield message
            if empty:
                silent[_silence(value)] += 1


def _answer(entries: Sequence[Entry], unit: Unit, report: Report) -> Iterator[Message]:
    """An assistant message, one message with its results, and what came with them."""
    members = [at for at in unit.members if not entries[at].synthetic]
    message = assistant_message(_values(entries, members, report))
    if message is not None:
        yield replace(message, usage=None) if unit.stale else message
    answers = _values(entries, unit.results, report)
    results = results_message(answers)
    if results is not None:
        yield results
    for answer in answers:
        yield from user_messages(answer, inner=unit.inner)


def _values(
    entries: Sequence[Entry], places: Sequence[int], report: Report
) -> list[Mapping[str, Any]]:
    """The records at ``places``, parsed again, as exactly as they need it."""
    values = (
        parsed(entries[at].raw, entries[at].line, told_of, report) for at in places
    )
    return [value for value in values if value is not None]


def _words(value: Mapping[str, Any], *, inner: bool) -> Iterator[Message]:
    """A user record whose results, if it has any, answer no live call."""
    results = results_message([value])
    if results is not None:
        yield results
    yield from user_messages(value, inner=inner)


def _silence(value: Mapping[str, Any]) -> str:
    attachment = value.get("attachment")
    if isinstance(attachment, dict) and isinstance(attachment.get("type"), str):
        return f"attachments {attachment['type'][:KIND_CHARS]}"
    return "records without content"


def _is_record(value: Mapping[str, Any]) -> bool:
    """Whether an object from a damaged line is a record, not a part of one."""
    return sniff(value) or (
        kind_of(value) in CHAIN and "uuid" in value and "timestamp" in value
    )
