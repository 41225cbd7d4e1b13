"""Items of a SWE-agent history as messages, and its steps as such items. Pure.

Parts carry no raw block; opaque parts do. Items may hold values of any type in any
place. Must not decide which items are told.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from mewctl.history.formats.blocks import as_id, as_text
from mewctl.history.view import Message, Result, Text
from mewctl.transcripts.chat_parts import calls, contents, parts, thoughts
from mewctl.transcripts.telling import as_object, listed

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Mapping, Sequence

    from mewctl.history.view import Part


def history_messages(
    items: Sequence[Mapping[str, Any]], others: Counter[str]
) -> Iterator[Message]:
    """The messages of a history; what says nothing is counted in ``others``.

    Results in a row are one message. The user's words are what stands before the first
    answer; later texts of that role are observations.
    """
    answered = False
    for kind, run in groupby(items, _kind):
        if kind == "tool":
            yield Message(
                "tool", tuple(result for item in run for result in _results(item))
            )
            continue
        for item in run:
            told = tuple(_parts(item))
            if not told:
                others["messages that say nothing"] += 1
            elif kind == "assistant":
                answered = True
                yield Message("assistant", told)
            elif kind == "system" and not answered:
                yield Message("system", told)
            else:
                shown = kind != "user" or answered
                yield Message("user", told, injected=shown)


def _kind(item: Mapping[str, Any]) -> str:
    """A role; ``shown`` for what was only shown, not said or done."""
    if item.get("is_demo") is True:
        return "shown"
    role = as_text(item.get("role"))
    return role if role in ("assistant", "system", "tool", "user") else "shown"


def _parts(item: Mapping[str, Any]) -> list[Part]:
    said = [
        part
        for part in parts(item.get("content"))
        if not isinstance(part, Text) or part.text.strip()
    ]
    if item.get("is_demo") is True or item.get("role") != "assistant":
        return said
    return [*thoughts(item), *said, *calls(item.get("tool_calls"))]


def _results(item: Mapping[str, Any]) -> Iterator[Result]:
    """The result that an item brings: SWE-agent answers one call at a time."""
    names = [as_id(name) for name in listed(item.get("tool_call_ids"))]
    names += [as_id(item.get("tool_call_id"))]
    yield Result(names[0], tuple(contents(item.get("content"))))


def steps_as_history(steps: Sequence[Any]) -> list[dict[str, Any]]:
    """What the steps of a trajectory tell, as items of a history.

    The first step has the query that it began with; each has what the model answered
    and what came back.
    """
    history: list[dict[str, Any]] = []
    for step in map(as_object, steps):
        if not history:
            history += [dict(i) for i in map(as_object, listed(step.get("query"))) if i]
        made = {
            key: step[key] for key in ("tool_calls", "thinking_blocks") if key in step
        }
        answer = as_text(step.get("response")) or as_text(step.get("thought"))
        history.append({"role": "assistant", "content": answer, **made})
        names = listed(step.get("tool_call_ids"))
        role = {"role": "tool", "tool_call_ids": names} if names else {"role": "user"}
        history.append({**role, "content": step.get("observation")})
    for item in history:
        item["agent"] = ""
    return history
