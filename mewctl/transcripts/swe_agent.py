"""The reader of SWE-agent's trajectories (``*.traj``): one JSON object, also torn.

What is told: the system text, the task (the user's words, in SWE-agent's template), the
model's words, thinking, calls and results; demonstrations and observations that answer
no call, as injected text. The messages come from ``history``; where there is none, from
the first query and the steps of ``trajectory``. Left out and counted in the report: the
histories of other agents (reviewers; unless ``sidechains``), steps that ``history``
tells too, earlier attempts. Its tokens are counted for the whole run, so no usage is
told; it has no times. mini-swe-agent's trajectories are documents of chat messages.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from mewctl.history.formats.blocks import as_text
from mewctl.transcripts.damage import whole_objects
from mewctl.transcripts.openhands_log import is_trajectory
from mewctl.transcripts.swe_messages import history_messages, steps_as_history
from mewctl.transcripts.telling import as_object, care, tell_left_out
from mewctl.transcripts.torn import told_apart

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mewctl.history.view import Message
    from mewctl.streams.records import Record
    from mewctl.transcripts import ReadOptions, Report
    from mewctl.transcripts.torn import Torn

NAME = "swe-agent"

_LISTS = re.compile(r'"(history|trajectory)"\s*:\s*\[')


def sniff(value: Mapping[str, Any]) -> bool:
    """Whether a parsed record can only be of this agent's transcript."""
    steps, history = value.get("trajectory"), value.get("history")
    if not isinstance(steps, list) or "messages" in value or is_trajectory(value):
        return False
    about = isinstance(value.get("info"), dict)
    return (about or isinstance(history, list)) and not value.keys() & {"type", "role"}


def read(
    records: Iterable[Record], options: ReadOptions, report: Report
) -> Iterator[Message]:
    """The history, oldest first. Damaged records are reported, never raised."""
    others: Counter[str] = Counter()
    whole, torn = told_apart(records, _LISTS)
    held: list[Record] = []
    for record, value in whole_objects(whole, sniff, report):
        if sniff(value):
            held.append(record)
        else:
            others["records that are no trajectory"] += 1
    if torn is not None:
        yield from _told(_of_torn(torn, report), others, options, report)
    for record in held:
        trajectory = _value(record)
        report.origin = report.origin or as_text(trajectory.get("environment"))
        yield from _told(_history(trajectory, others), others, options, report)
    tell_left_out(others, report)


def _value(record: Record) -> Mapping[str, Any]:
    """A trajectory, with whole numbers kept whole where that can be."""
    value = record.mapping()
    if care([value.get("history"), value.get("trajectory")]) == "exact":
        return record.mapping(exact=True)
    return value


def _history(value: Mapping[str, Any], others: Counter[str]) -> Sequence[Any]:
    """The items of a trajectory's history; its steps in their place if it has none."""
    history, steps = value.get("history"), value.get("trajectory")
    attempts = value.get("attempts")
    others["earlier attempts"] += len(attempts) if isinstance(attempts, list) else 0
    if isinstance(history, list) and history:
        others["steps"] += len(steps) if isinstance(steps, list) else 0
        return history
    return steps_as_history(steps if isinstance(steps, list) else [])


def _of_torn(torn: Torn, report: Report) -> Sequence[Any]:
    """The whole items of a torn history; of the steps, where it has none."""
    found = {match.group(1): match.end() for match in _LISTS.finditer(torn.text)}
    if "history" in found:
        saved = list(torn.items(found["history"], "message", report))
        if saved:
            return [value for _, value in saved]
    start = found.get("trajectory", len(torn.text))
    return steps_as_history([value for _, value in torn.items(start, "step", report)])


def _told(
    history: Sequence[Any],
    others: Counter[str],
    options: ReadOptions,
    report: Report,
) -> Iterator[Message]:
    """The messages of the agent that the history begins with."""
    items: list[Mapping[str, Any]] = []
    for item in map(as_object, history):
        if care([item]) == "deep":
            report.add(0, "skipped", "a message that is nested too deep")
        elif item:
            items.append(item)
        else:
            others["messages that are no objects"] += 1
    agent = as_text(items[0].get("agent")) if items else ""
    main = [item for item in items if as_text(item.get("agent")) == agent]
    side = [item for item in items if as_text(item.get("agent")) != agent]
    yield from history_messages(main, others)
    if options.sidechains:
        yield from history_messages(side, others)
    else:
        others["messages of other agents"] += len(side)
