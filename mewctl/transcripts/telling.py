"""What the readers of all agents share in telling messages from records. Pure.

Times, values that need an exact parser, whose words a message is, rounds of calls and
results, and the counts of what is left out. Must not know an agent's records.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar

from mewctl import limits
from mewctl.history.formats.blocks import as_time, json_text, opaque, read_block
from mewctl.history.view import Image, Message, Opaque, Text
from mewctl.streams.jsonvalue import BadJSON, loads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from mewctl.history.view import Content, Part
    from mewctl.transcripts import Report

T = TypeVar("T")

#: Types of records are input: in notes they are clipped to so many characters.
KIND_CHARS = 40

_EXACT = 2.0**63  # orjson keeps whole numbers below it
_ENVELOPE = 6  # levels of a record around its blocks, and of a message made of them
_MILLISECONDS = 1e11  # seconds until the year 5138: a larger time is in milliseconds


# --- single values ---


def seconds(value: object) -> float | None:
    """An ISO 8601 time (UTC where no zone is given) or a number, in Unix seconds."""
    try:
        if not isinstance(value, str):
            number = as_time(value)
            if number is None or abs(number) < _MILLISECONDS:
                return number
            return number / 1000
        moment = datetime.fromisoformat(value)
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return aware.timestamp()
    except ValueError:
        return None


def listed(content: object) -> list[Any]:
    """Content that is one item or a list of items, as a list; nothing for null."""
    if isinstance(content, list):
        return content
    return [] if content is None else [content]


def as_object(value: object) -> Mapping[str, Any]:
    """``value`` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


# --- parts ---


def loose(item: object) -> Text:
    """What stands where a block should: its text, or the JSON that it is."""
    return Text(item if isinstance(item, str) else json_text(item))


def told_block(block: Mapping[str, Any]) -> Part:
    """A block of Anthropic's kinds as a part that is made anew; others are opaque."""
    part = read_block(block)
    return part if isinstance(part, Opaque) else replace(part, raw=None)


def in_result(part: Part, item: Mapping[str, Any]) -> Content:
    """A part as content of a result; as the opaque ``item`` where it cannot be that."""
    return part if isinstance(part, (Text, Image, Opaque)) else opaque(item)


# --- exact values ---


def care(parts: Iterable[Any]) -> Literal["", "exact", "deep"]:
    """What care the values need that are to be told.

    ``exact``: orjson made floats of integers of more than 64 bits, which the exact
    parser keeps. ``deep``: they nest too deep to be written again.
    """
    level = list(parts)
    bent = False
    for _ in range(limits.MAX_DEPTH - _ENVELOPE):
        children: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                children += item.values()
            elif isinstance(item, list):
                children += item
            elif isinstance(item, float) and abs(item) >= _EXACT:
                bent = True
        if not children:
            return "exact" if bent else ""
        level = children
    return "deep"


def parsed(
    raw: bytes,
    line: int,
    told: Callable[[Mapping[str, Any]], Iterable[Any]],
    report: Report,
) -> Mapping[str, Any] | None:
    """A record parsed again, as exactly as ``told``, what is told of it, needs.

    None, with a note, for one that nests too deep.
    """
    value: Mapping[str, Any] = loads(raw)
    needed = care(told(value))
    if needed != "exact":
        if not needed:
            return value
        report.add(line, "skipped", "nested too deep")
        return None
    try:
        exact: Mapping[str, Any] = loads(raw, exact=True)
    except BadJSON as error:
        report.add(line, "skipped", str(error))
        return None
    return exact


# --- words ---


def spoken(parts: Iterable[tuple[bool, Part]], time: float | None) -> Iterator[Message]:
    """Messages of role ``user``; a new one where the user's words end or begin.

    Each part comes with whether an agent put it there.
    """
    for injected, run in groupby(parts, lambda part: part[0]):
        told = tuple(part for _, part in run)
        yield Message("user", told, time=time, injected=injected)


def moved(messages: Iterable[Message]) -> Iterator[Message]:
    """The messages; a working directory is told only where it changes."""
    cwd: str | None = None
    for message in messages:
        if message.cwd is None or message.cwd != cwd:
            cwd = message.cwd or cwd
            yield message
        else:
            yield message.told(message.usage, None)


# --- rounds ---


class Round(NamedTuple, Generic[T]):
    """One assistant message, the results up to the next one, and what else came.

    ``answers``: the records that are one assistant message; none before the first.
    """

    answers: list[T]
    results: list[T]
    others: list[T]


def rounds(
    items: Iterable[T],
    answer: Callable[[T], object],
    is_result: Callable[[T], bool],
) -> Iterator[Round[T]]:
    """``items`` in rounds.

    ``answer`` gives what the records of one assistant message share, None for a record
    that is of none. Those of one message follow each other. Before the first answer,
    results and others keep their order.
    """
    current: Round[T] = Round([], [], [])
    shared: object = None
    for item in items:
        key = answer(item)
        result = key is None and is_result(item)
        begins = key is not None and (
            key != shared or bool(current.results or current.others)
        )
        turns = bool(current.others) if result else bool(current.results)
        if begins or (key is None and not current.answers and turns):
            yield current
            current = Round([], [], [])
        if key is not None:
            current.answers.append(item)
            shared = key
        else:
            (current.results if result else current.others).append(item)
    yield current


# --- reports ---


def tell_left_out(counts: Mapping[str, int], report: Report) -> None:
    """Count what is not told, and put all notes into the order of the input."""
    for kind, count in sorted(counts.items()):
        if count:
            report.add(0, "left-out", f"{count} {kind}")
    report.notes.sort(key=lambda note: note.line or float("inf"))
