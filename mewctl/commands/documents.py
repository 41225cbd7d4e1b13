"""What one input is: lines of records, or one JSON document; an agent's log, or not.

Looks ahead and gives back all that it looked at. Must not say what a record means.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mewctl.errors import BadInput
from mewctl.history import document
from mewctl.history.detect import Detector, classify
from mewctl.streams.jsonvalue import BadJSON, dumps, is_cut_short, loads
from mewctl.streams.records import Record
from mewctl.streams.shelf import Shelf

if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Iterator

#: How far to look for what an input is, before it is taken as messages.
_LOOK_RECORDS = 1000
_LOOK_BYTES = 8 * 1024 * 1024


def records_of(
    stream: Iterator[Record], name: str, max_record: int
) -> Iterator[Record]:
    """``stream``, or the records of the one JSON document that it is."""
    first = next(stream, None)
    if first is None:
        return
    whole: Any = None
    held = Shelf([first])
    ahead: Record | None = None
    if is_cut_short(first.raw):
        ahead = _hold(stream, held, max_record)
        whole = _value(_joined(held)) if _may_be_whole(held) else None
        group = classify(whole).group
        if group == "transcript":  # a whole session in one object
            yield Record(_joined(held), first.line, first.offset)
            return
        if group == "response":  # as curl prints it
            yield Record(dumps(_exact(held, name)), first.line, first.offset)
            return
    elif classify(_value(first.raw)).group == "document":
        ahead = next(stream, None)
        if ahead is None:
            whole = _value(first.raw)
    if document.is_document(whole):
        del whole
        yield from _inside(_exact(held, name), first, name)
        return
    yield from held
    if ahead is not None:
        yield ahead
    yield from stream


def _inside(whole: Any, first: Record, name: str) -> Iterator[Record]:
    """The messages of a document that began with ``first``."""
    try:
        values = document.records(whole)
    except ValueError as error:
        raise BadInput(
            place=name, what=str(error), remedy="give messages, one object each"
        ) from None
    for value in values:
        yield Record(dumps(value), first.line, first.offset)


def _hold(stream: Iterator[Record], held: Shelf, most: int) -> Record | None:
    """Hold what may be one JSON value, up to ``most`` bytes; the first that is none.

    Between the end of an object and the beginning of another stands a comma.
    """
    size, ended = len(held[0].raw), False
    for record in stream:
        if size > most or (ended and record.raw.lstrip().startswith((b"{", b"["))):
            return record
        held.put(record)
        size += len(record.raw) + 1
        ended = record.raw.rstrip().endswith((b"}", b"]"))
    return None


def _may_be_whole(held: Shelf) -> bool:
    """Whether what is held ends as it begins: with a bracket of one kind."""
    ends = held[0].raw.lstrip()[:1] + held[len(held) - 1].raw.rstrip()[-1:]
    return ends in (b"[]", b"{}")


def _joined(held: Shelf) -> bytes:
    return b"\n".join(record.raw for record in held)


def _exact(held: Shelf, name: str) -> Any:
    """The document, with its numbers as they are, for its records are written anew."""
    try:
        return loads(_joined(held), exact=True)
    except BadJSON as error:
        raise BadInput(
            place=name, what=str(error), remedy="give messages, one object each"
        ) from None


def _value(raw: bytes) -> Any:
    try:
        return loads(raw)
    except BadJSON:
        return None


def kind_of(stream: Iterator[Record], seen: deque[Record], name: str) -> str:
    """The agent whose log an input is, "" for messages, told by its first records.

    They stay in ``seen``. Damaged and unknown records tell nothing, so the look goes on
    behind them.
    """
    detector = Detector(name)
    size = 0
    for record in stream:
        seen.append(record)
        size += len(record.raw)
        value = _value(record.raw)
        if value is not None:
            kind = detector.feed(record.line, value)
            if detector.is_transcript:
                return detector.format
            if kind.group not in ("unknown", "document"):
                return ""
        if len(seen) >= _LOOK_RECORDS or size >= _LOOK_BYTES:
            return ""
    return ""


def drained(seen: deque[Record]) -> Iterator[Record]:
    """The records looked at, given up one by one, so that none is held twice."""
    while seen:
        yield seen.popleft()
