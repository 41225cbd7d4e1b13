"""The reader of OpenAI Codex's rollouts (``~/.codex/sessions/**/rollout-*.jsonl``).

Two passes: the records are replayed as Codex would resume them, then the items that
are live are parsed again, response by response. So a rollout costs its bytes.

What is told: messages, thinking, calls and their results, from response items alone
(Codex writes most of them a second time, as events). What Codex put into the user's
place (environment, instructions, notifications, summaries) is injected text. Left out
and counted in the report: events, what a rollback took back, what developers' messages
say of the old agent's own permissions, skills and modes, and thinking that is encrypted
for a model nobody names. A fork begins with the history it forks; that is told too.

With ``full`` compactions replace nothing: of what they kept, only what was not said
before is told, and no usage after them. A rollout is one agent's, so there are no
sub-agents to tell. The first releases wrote items without an envelope, time or model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mewctl.history.view import Message, Text
from mewctl.history.words import own_words
from mewctl.transcripts.codex_items import (
    answer_parts,
    content_parts,
    is_equipment,
    result_of,
    seal_of,
)
from mewctl.transcripts.codex_replay import Replay, is_header, item_of
from mewctl.transcripts.damage import is_message, whole_objects
from mewctl.transcripts.telling import (
    listed,
    moved,
    parsed,
    rounds,
    spoken,
    tell_left_out,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mewctl.history.view import Kind as CallKind
    from mewctl.history.view import Part, Role
    from mewctl.streams.records import Record
    from mewctl.transcripts import ReadOptions, Report
    from mewctl.transcripts.codex_replay import Entry

NAME = "codex"

_TYPES = frozenset(
    {
        "compacted",
        "event_msg",
        "inter_agent_communication",
        "inter_agent_communication_metadata",
        "response_item",
        "session_meta",
        "turn_context",
        "world_state",
    }
)


def sniff(value: Mapping[str, Any]) -> bool:
    """Whether a parsed record can only be of this agent's transcript."""
    if "payload" in value:
        return _is_record(value)
    return value.get("record_type") == "state" or is_header(value)


def read(
    records: Iterable[Record], options: ReadOptions, report: Report
) -> Iterator[Message]:
    """The history, oldest first. Damaged records are reported, never raised."""
    replay = Replay(report, options.full, options.every_usage)
    for record, value in whole_objects(records, _is_record, report, _is_foreign):
        replay.add(record, value)
    replay.responses.settle()
    report.origin = replay.origin
    yield from moved(_told(replay, report))
    tell_left_out(replay.others, report)


def _told(replay: Replay, report: Report) -> Iterator[Message]:
    said = False  # anything: a developer's message before it is system text
    for one in rounds(replay.entries, _response, _is_result):
        kinds: dict[str, CallKind] = {}
        for message in _answer(replay, one.answers, report) if one.answers else ():
            kinds = {call.id: call.kind for call in message.calls}
            yield message
        said = said or bool(one.answers)
        if one.results:
            yield from _results(one.results, kinds, report)
        for entry in one.others:
            yield from _other(replay, entry, report, first=not said)
            said = said or entry.kind != "system"


def _is_foreign(value: Mapping[str, Any]) -> bool:
    """Whether ``value`` is a message; first releases wrote bare items, with a type."""
    return "type" not in value and is_message(value)


def _is_record(value: Mapping[str, Any]) -> bool:
    """Whether an object is a record in its envelope, not a part of one."""
    kind = value.get("type")
    return (
        isinstance(kind, str)
        and kind in _TYPES
        and isinstance(value.get("payload"), dict)
        and isinstance(value.get("timestamp"), str)
    )


def _response(entry: Entry) -> int | None:
    return entry.response


def _is_result(entry: Entry) -> bool:
    return entry.kind == "result"


def _told_of(value: Mapping[str, Any]) -> list[Any]:
    return [item_of(value)]


def _items(entries: Iterable[Entry], report: Report) -> Iterator[Mapping[str, Any]]:
    for entry in entries:
        value = parsed(entry.raw, entry.line, _told_of, report)
        if value is not None:
            yield item_of(value)


def _answer(
    replay: Replay, entries: Sequence[Entry], report: Report
) -> Iterator[Message]:
    """The message that a response of the model is."""
    first = entries[0]
    response = replay.responses.all[first.response or 0]
    sealed = response.model is not None
    parts: list[Part] = []
    for item in _items(entries, report):
        parts += answer_parts(item, sealed=sealed)
        if not sealed and item.get("type") == "reasoning" and seal_of(item):
            replay.others["encrypted thoughts of an unnamed model"] += 1
    if parts:
        usage = None if response.stale else response.usage
        yield Message(
            "assistant",
            tuple(parts),
            first.time,
            response.model,
            usage,
            cwd=response.cwd,
        )


def _results(
    entries: Sequence[Entry], kinds: Mapping[str, CallKind], report: Report
) -> Iterator[Message]:
    results = tuple(result_of(item, kinds) for item in _items(entries, report))
    if results:
        yield Message("tool", results, entries[0].time)


def _other(
    replay: Replay, entry: Entry, report: Report, *, first: bool
) -> Iterator[Message]:
    """What the user, another agent, a developer or Codex itself said."""
    own = entry.kind == "user"
    for item in _items([entry], report):
        parts = list(content_parts(listed(item.get("content"))))
        if entry.kind != "system":
            yield from spoken(((_by_agent(p, own=own), p) for p in parts), entry.time)
            continue
        role: Role = "system" if first else "user"
        kept = tuple(part for part in parts if not _is_equipment(part))
        gone = len(parts) - len(kept)
        replay.others["texts on the old agent's equipment"] += gone
        if kept:
            yield Message(role, kept, entry.time, injected=not first)


def _is_equipment(part: Part) -> bool:
    return isinstance(part, Text) and is_equipment(part.text)


def _by_agent(part: Part, *, own: bool) -> bool:
    """Whether Codex put a part into a message; ``own``: some of it is the user's."""
    return not own or (isinstance(part, Text) and not own_words(part.text))
