"""Finding compact markers from the end of a log, without reading what is before them.

The text of a marker inside a message is none: it has to begin a line and be a whole
object, or stand free in a damaged line. Pure: bytes come from a function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from mewctl import limits
from mewctl.session.lines import Marker, read_marker
from mewctl.streams.jsonvalue import BadJSON, loads
from mewctl.streams.records import BOM, Record

#: Up to so many bytes (second) from an offset (first).
ReadAt: TypeAlias = Callable[[int, int], bytes]

_NEEDLE = b'"compact"'
_BREAK = b"\n"


@dataclass(frozen=True, slots=True)
class Mark:
    """A marker in a log: its object stands from ``start`` to ``stop``, in bytes."""

    start: int
    stop: int
    marker: Marker


@dataclass(frozen=True, slots=True)
class Extent:
    """The part of a log that is the history now, from ``start`` to ``end`` in bytes.

    ``mark`` begins it; None: the log's beginning does. ``cut``: a marker whose snapshot
    was cut short by a crash, and is ignored with what follows it.
    """

    start: int
    end: int
    mark: Mark | None = None
    cut: Mark | None = None


def marks_back(read: ReadAt, end: int) -> Iterator[Mark]:
    """The markers of the first ``end`` bytes of a log, the newest first."""
    high = end
    while high > 0:
        low = max(0, high - limits.BACK_BLOCK)
        data = read(low, min(end, high + len(_NEEDLE) - 1) - low)
        at = len(data)
        lowest = low
        while at > 0 and (at := data.rfind(_NEEDLE, 0, at)) >= 0:
            begin = data.rfind(_BREAK, 0, at) + 1
            start = low + begin if begin else _line_start(read, low)
            stop = _line_stop(read, data, low, at, end)
            line = (
                data[begin : stop - low]
                if begin and stop <= low + len(data)
                else read(start, stop - start)
            )
            yield from _in_line(line, start)
            at = begin
            lowest = start
        high = min(low, lowest)


def _line_start(read: ReadAt, before: int) -> int:
    """Where the line begins that the byte at ``before`` is in."""
    while before > 0:
        low = max(0, before - limits.BACK_BLOCK)
        found = read(low, before - low).rfind(_BREAK)
        if found >= 0:
            return low + found + 1
        before = low
    return 0


def _line_stop(read: ReadAt, data: bytes, low: int, at: int, end: int) -> int:
    """Where the line ends that ``data[at]`` is in, ``data`` standing at ``low``."""
    found = data.find(_BREAK, at)
    if found >= 0:
        return low + found
    start = low + len(data)
    while start < end:
        block = read(start, min(limits.BACK_BLOCK, end - start))
        found = block.find(_BREAK)
        if found >= 0:
            return start + found
        if not block:
            break
        start += len(block)
    return min(start, end)


def _in_line(line: bytes, start: int) -> Iterator[Mark]:
    """The markers in one line, the last first: one, unless the line is damaged."""
    marker = read_marker(line)
    if marker is not None:
        yield Mark(start, start + len(line), marker)
        return
    try:
        loads(line)
    except BadJSON:
        from mewctl.transcripts.damage import salvage

        for offset, raw in reversed(salvage(line, is_record).objects):
            marker = read_marker(raw)
            if marker is not None:
                at = start + offset
                yield Mark(at, at + len(raw), marker)


def is_record(value: Mapping[str, Any]) -> bool:
    """Whether a value is what stands in a session log."""
    from mewctl.history.detect import classify

    return classify(value).group in ("message", "marker", "response")


def live(read: ReadAt, end: int) -> Extent:
    """The part of a log of ``end`` bytes that is the history now.

    A marker at the log's end with fewer messages after it than it says was cut short:
    the history is then what it was before it.
    """
    cut: Mark | None = None
    stop = end
    for mark in marks_back(read, end):
        if cut is not None or not is_cut_short(read, mark, end):
            return Extent(mark.stop, stop, mark, cut)
        cut, stop = mark, mark.start
    return Extent(0, stop, None, cut)


def is_cut_short(read: ReadAt, mark: Mark, end: int) -> bool:
    """Whether fewer records follow a marker to the log's end than it says."""
    wanted = mark.marker.messages
    if not wanted or _has_lines(read, mark.stop, end, wanted + 1):
        return False
    return _count_records(read, mark.stop, end) < wanted


def _has_lines(read: ReadAt, start: int, end: int, wanted: int) -> bool:
    """Whether so many lines end between two places; quick, and mostly enough."""
    while start < end and wanted > 0:
        block = read(start, min(limits.READ_BLOCK, end - start))
        wanted -= block.count(_BREAK)
        start += len(block) or end
    return wanted <= 0


def _count_records(read: ReadAt, start: int, end: int) -> int:
    """The records from ``start`` to ``end``.

    A line that nothing can be read from counts as one, but for a torn one at the end.
    """
    count = 0
    last = b""
    for record in records_between(read, start, end):
        if last:
            count += max(1, _objects(last))
        last = record.raw
    return count + _objects(last) if last else count


def _objects(raw: bytes) -> int:
    """How many objects a line holds: one, unless it is damaged."""
    try:
        loads(raw)
    except BadJSON:
        from mewctl.transcripts.damage import salvage

        return len(salvage(raw, is_record).objects)
    return 1


def records_between(read: ReadAt, start: int, end: int) -> Iterator[Record]:
    """The lines of a part of a log; their numbers count from its start.

    Like ``read_records``, for a file that is there as a whole: lines are split in
    blocks, which costs half as much.
    """
    number, at = 0, start
    held: list[bytes] = []
    for *whole, rest in _split(read, start, end):
        for piece in whole:
            held.append(piece)
            line = b"".join(held) if len(held) > 1 else piece
            held.clear()
            number += 1
            if raw := _bare(line, at):
                yield Record(raw, number, at)
            at += len(line) + 1
        held.append(rest)
    if raw := _bare(b"".join(held), at):
        yield Record(raw, number + 1, at)


def _split(read: ReadAt, start: int, end: int) -> Iterator[list[bytes]]:
    while start < end and (block := read(start, min(limits.READ_BLOCK, end - start))):
        start += len(block)
        yield block.split(_BREAK)


def _bare(line: bytes, offset: int) -> bytes:
    r"""A line without its ``\r`` and the BOM of a file; empty where it is blank."""
    if offset == 0:
        line = line.removeprefix(BOM)
    if line.endswith(b"\r"):
        line = line[:-1]
    return b"" if line.isspace() else line
