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

if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Iterator, Sequence

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
    held = [first]
    if is_cut_short(first.raw):
        _hold(stream, held, max_record)
        whole = _value(_joined(held))
        group = classify(whole).group
        if group == "transcript":  # a whole session in one object
            whole = None
            held = [Record(_joined(held), first.line, first.offset)]
        elif group == "response":  # as curl prints it
            whole = _exact(held, name)
            yield Record(dumps(whole), first.line, first.offset)
            return
    elif classify(_value(first.raw)).group == "document":
        after = next(stream, None)
        if after is None:
            whole = _value(first.raw)
        else:
            held.append(after)
    if document.is_document(whole):
        try:
            values = document.records(_exact(held, name))
        except ValueError as error:
            raise BadInput(
                place=name, what=str(error), remedy="give messages, one object each"
            ) from None
        for value in values:
            yield Record(dumps(value), first.line, first.offset)
        return
    yield from held
    yield from stream


def _hold(stream: Iterator[Record], held: list[Record], most: int) -> None:
    """Hold what comes, up to ``most`` bytes or a little more."""
    size = sum(len(record.raw) for record in held)
    for record in stream:
        held.append(record)
        size += len(record.raw) + 1
        if size > most:
            break


def _joined(held: Sequence[Record]) -> bytes:
    return b"\n".join(record.raw for record in held)


def _exact(held: Sequence[Record], name: str) -> Any:
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
