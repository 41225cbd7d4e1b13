"""Damaged lines: the whole records that still stand in them, and what is lost.

Agents are killed, disks fill up and two writers share a file: a line then holds two
glued objects, a torn head before a whole object, or a run of NUL bytes; a raw line
break inside a string spreads one object over several lines. Pure: bytes in, values
out. Must not know an agent's records: each reader says what a record looks like.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from mewctl import limits
from mewctl.history.detect import classify
from mewctl.streams.jsonvalue import BadJSON, loads
from mewctl.streams.records import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mewctl.transcripts import Report

# What an object can begin with: a brace in the middle of a text rarely looks like it.
_OPEN = re.compile(r'\{\s*["}]')
_GAP = re.compile(r"[ \t\r\n\0]*")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Lost:
    """A piece of a line that is no whole record: where it stands, in bytes."""

    offset: int
    raw: bytes

    @property
    def why(self) -> str:
        """What is lost, in words."""
        size = len(self.raw)
        if self.raw.count(0) == size:
            return f"{size} NUL bytes, likely a power cut"
        return f"{size} bytes that are no whole record"


@dataclass(frozen=True, slots=True)
class Salvage:
    """What a damaged line gave: whole objects as (offset, raw bytes), and the rest."""

    objects: tuple[tuple[int, bytes], ...]
    lost: tuple[Lost, ...]


def salvage(raw: bytes, is_record: Callable[[Mapping[str, Any]], bool]) -> Salvage:
    """The whole objects of a line that is not one object.

    An object that stands free (nothing torn before it, another object or nothing
    after it) is taken as it is. One with torn text on one side may be a part of what
    was torn: it is taken only if ``is_record`` knows it for a record of its own. One
    with torn text on both sides is not taken. The work is bounded by
    ``limits.SALVAGE_WORK`` times the line.
    """
    text = raw.decode("utf-8", "surrogateescape")  # torn characters keep their bytes
    found: list[tuple[int, int]] = []
    start = kept = work = 0
    while work <= limits.SALVAGE_WORK * len(text):
        match = _OPEN.search(text, start)
        if match is None:
            break
        begin = match.start()
        end, cost = _object_end(text, begin)
        work += cost
        if end < 0:
            start = begin + 1
            continue
        start = end
        after = _past_gap(text, end)
        torn_before = _past_gap(text, kept) != begin
        torn_after = text[after : after + 1] not in ("", "{")
        if _is_whole(text[begin:end], is_record, torn_before + torn_after):
            found.append((begin, end))
            kept = end
    return _parted(text, found)


def _past_gap(text: str, at: int) -> int:
    match = _GAP.match(text, at)
    return match.end() if match else at


def _object_end(text: str, begin: int) -> tuple[int, int]:
    """Where the object at ``begin`` ends (-1: it is none), and the work to know it."""
    try:
        _, end = _DECODER.raw_decode(text, begin)
    except json.JSONDecodeError as error:
        # The error counts lines from the very beginning; an open string is read to
        # the very end.
        unclosed = error.msg.startswith("Unterminated")
        return -1, len(text) if unclosed else error.pos
    except (RecursionError, ValueError):  # nested too deep, too many digits
        return -1, len(text)
    return end, 0


def _is_whole(
    text: str, is_record: Callable[[Mapping[str, Any]], bool], torn: int
) -> bool:
    """Whether an object that is torn on so many sides is a record of its own."""
    if torn > 1:
        return False
    try:
        value = loads(_bytes(text))
    except BadJSON:
        return False
    return not torn or is_record(value)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _parted(text: str, found: Sequence[tuple[int, int]]) -> Salvage:
    objects: list[tuple[int, bytes]] = []
    lost: list[Lost] = []
    at = offset = 0
    for begin, end in (*found, (len(text), len(text))):
        between = _bytes(text[at:begin])
        if between.strip():
            lost.append(Lost(offset, between))
        offset += len(between)
        if end > begin:
            whole = _bytes(text[begin:end])
            objects.append((offset, whole))
            offset += len(whole)
        at = end
    return Salvage(tuple(objects), tuple(lost))


def rejoin(records: Sequence[Record]) -> bytes | None:
    """One object that raw line breaks spread over ``records``; None if there is none.

    Breaks inside a string are written as JSON wants them. Blank lines between the
    records are told from the line numbers.
    """
    for line_break in (b"\\n", b"\n"):
        joined = records[0].raw
        for before, record in pairwise(records):
            joined += line_break * max(1, record.line - before.line) + record.raw
        try:
            if isinstance(loads(joined), dict):
                return joined
        except BadJSON:
            continue
    return None


class Foreign(Exception):
    """A record of a transcript is no agent's, but a message of a format."""

    def __init__(self, record: Record) -> None:
        super().__init__(record.line)
        self.record = record


def is_message(value: Mapping[str, Any]) -> bool:
    """Whether ``value`` is of a message format: a second kind in a transcript."""
    return classify(value).group in ("message", "marker", "response")


def whole_objects(
    records: Iterable[Record],
    is_record: Callable[[Mapping[str, Any]], bool],
    report: Report,
    is_foreign: Callable[[Mapping[str, Any]], bool] = is_message,
) -> Iterator[tuple[Record, dict[str, Any]]]:
    """Every whole object of a transcript, with the record it can be read from again.

    Damage goes to ``report`` as ``recovered`` and ``skipped`` notes with their lines.
    Raises ``Foreign`` for a record that ``is_foreign`` and no record of the agent:
    its reader would leave it out without a word.
    """
    held: list[tuple[Record, str]] = []  # bad lines that may be one spread record
    for record in records:
        try:
            value = loads(record.raw)
            why = "not an object"
        except BadJSON as error:
            value, why = None, str(error)
        if isinstance(value, dict):
            if held:
                _give_up(held, report)
            if not is_record(value) and is_foreign(value):
                raise Foreign(record)
            yield record, value
            continue
        held.append((record, why))
        joined = rejoin([bad for bad, _ in held]) if len(held) > 1 else None
        if joined is not None:
            first = held[0][0]
            report.add(
                first.line,
                "recovered",
                f"one record that line breaks spread to line {record.line}",
            )
            held.clear()
            yield Record(joined, first.line, first.offset), loads(joined)
            continue
        parts = salvage(record.raw, is_record)
        if parts.objects:
            held.pop()
            _give_up(held, report)
            yield from _recovered(record, parts, report)
        elif len(held) > limits.REJOIN_LINES or not _may_be_spread(held):
            _give_up(held, report)
    _give_up(held, report)


def _may_be_spread(held: Sequence[tuple[Record, str]]) -> bool:
    return held[0][0].raw.lstrip().startswith(b"{")


def _give_up(held: list[tuple[Record, str]], report: Report) -> None:
    for record, why in held:
        if record.raw.strip(b" \t\0"):
            report.add(record.line, "skipped", why)
        else:
            report.add(record.line, "skipped", Lost(0, record.raw.strip()).why)
    held.clear()


def _recovered(
    record: Record, parts: Salvage, report: Report
) -> Iterator[tuple[Record, dict[str, Any]]]:
    count = len(parts.objects)
    what = "1 whole record" if count == 1 else f"{count} whole records"
    report.add(record.line, "recovered", f"{what} in a damaged line")
    for lost in parts.lost:
        report.add(record.line, "skipped", lost.why)
    for offset, raw in parts.objects:
        yield Record(raw, record.line, record.offset + offset), loads(raw)
