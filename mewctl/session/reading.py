"""A session log as readers see it: its history now, its chapters, what is damaged.

A chapter is what stands between two compact markers: a snapshot, then the messages that
came after it. Reads only, through the store; must not decide what to do about damage.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from mewctl import limits
from mewctl.errors import BadInput, NotFound
from mewctl.session.backward import (
    Extent,
    Mark,
    is_cut_short,
    is_record,
    live,
    marks_back,
    records_between,
)
from mewctl.store.opening import line_counter
from mewctl.store.pages import Pages
from mewctl.streams.jsonvalue import BadJSON, loads
from mewctl.streams.records import Record
from mewctl.transcripts import Note, Report

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import TracebackType

#: A record of a log with its value.
Pair = tuple[Record, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Chapter:
    """What follows a marker: ``number`` counts markers from 1, 0: the log's beginning.

    ``start`` and ``end`` in bytes. ``snapshot``: how many of its records the marker
    brought; None where it does not say, 0 at the beginning.
    """

    number: int
    mark: Mark | None
    start: int
    end: int

    @property
    def snapshot(self) -> int | None:
        """How many records the marker brought."""
        return 0 if self.mark is None else self.mark.marker.messages


class LogReader:
    """An open log. Use as a context manager. Raises what ``Pages`` raises."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._pages = Pages(path)
        self.size = self._pages.size
        self._live: Extent | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pages.__exit__(kind, value, trace)

    def read(self, offset: int, size: int) -> bytes:
        """Up to ``size`` bytes from ``offset`` on."""
        return self._pages.read(offset, size)

    # --- where things are ---

    def live(self) -> Extent:
        """The part that is the history now."""
        if self._live is None:
            self._live = live(self._pages.read, self.size)
        return self._live

    def chapters(self) -> list[Chapter]:
        """All chapters in order; a snapshot that was cut short is none."""
        marks = list(marks_back(self._pages.read, self.size))
        end = self.size
        if marks and is_cut_short(self._pages.read, marks[0], self.size):
            end = marks.pop(0).start
        chapters: list[Chapter] = []
        for at, mark in enumerate(marks):
            chapters.append(Chapter(len(marks) - at, mark, mark.stop, end))
            end = mark.start
        chapters.append(Chapter(0, None, 0, end))
        return chapters[::-1]

    def revision(self) -> str:
        """What changes with every record that is added: size and hash of the end."""
        start = max(0, self.size - limits.REVISION_BYTES)
        return revision(self.size, self._pages.read(start, self.size - start))

    def holds(self, needle: bytes, start: int, end: int) -> bool:
        """Whether some bytes stand anywhere in a part."""
        rest = b""
        for block in self._pages.blocks(start, end):
            if needle in block or needle in rest + block[: len(needle)]:
                return True
            rest = block[-len(needle) :]
        return False

    # --- records ---

    def raw(self, start: int, end: int) -> Iterator[Record]:
        """The lines of a part as they stand there; numbers count from its start."""
        return records_between(self._pages.read, start, end)

    def records(self, start: int, end: int, report: Report) -> Iterator[Pair]:
        """The whole records of a part, markers aside, with their values.

        What is damaged goes to ``report``, with line numbers of the log.
        """
        for record in self.raw(start, end):
            try:
                value = loads(record.raw)
            except BadJSON:
                break
            if not isinstance(value, dict):
                break
            if not _is_known(value) and (why := _why_not(value)):
                if why != _MARKER:
                    line = self.lines_before(start) + record.line
                    report.add(line, "skipped", why)
                continue
            yield record, value
        else:
            return
        yield from self._recovered(record, end, report)

    def _recovered(self, first: Record, end: int, report: Report) -> Iterator[Pair]:
        """The same from a damaged line on: slower, and it knows what to do."""
        from mewctl.transcripts.damage import whole_objects

        start, above = first.offset, first.line - 1
        found = Report()
        told = 0
        for record, value in whole_objects(
            self.raw(start, end), is_record, found, lambda _: False
        ):
            told = self._tell(found, told, start, report)
            if not _is_known(value) and (why := _why_not(value)):
                if why != _MARKER:
                    line = self.lines_before(start) + record.line
                    report.add(line, "skipped", why)
                continue
            yield Record(record.raw, record.line + above, record.offset), value
        self._tell(found, told, start, report)

    def _tell(self, found: Report, told: int, start: int, report: Report) -> int:
        """Pass notes on, with line numbers of the whole log; how many there are."""
        if len(found.notes) > told:
            base = self.lines_before(start)
            for note in found.notes[told:]:
                report.notes.append(Note(base + note.line, note.kind, note.text))
        return len(found.notes)

    def lines_before(self, offset: int) -> int:
        """How many lines end before a place in bytes."""
        count = line_counter(self.path)
        return count(0, offset) if count else 0

    def history(self, extent: Extent, report: Report) -> Iterator[Pair]:
        """The records of the history now."""
        return self.records(extent.start, extent.end, report)

    def everything(self, report: Report) -> Iterator[Pair]:
        """All messages from the log's beginning, each once: no snapshots.

        Where a marker does not say how long its snapshot is, that is told, and the
        snapshot comes with the rest.
        """
        for chapter in self.chapters():
            if chapter.snapshot is None and chapter.mark is not None:
                line = self.lines_before(chapter.mark.start) + 1
                what = "a marker without a count: its snapshot stays with the rest"
                report.add(line, "branch", what)
            yield from self.since(chapter, report)

    def since(self, chapter: Chapter, report: Report) -> Iterator[Pair]:
        """The records of a chapter after its snapshot."""
        for place, pair in self._placed(chapter, report):
            if place > (chapter.snapshot or 0):
                yield pair

    def snapshot(self, chapter: Chapter, report: Report) -> Iterator[Pair]:
        """The records that the marker of a chapter brought."""
        for place, pair in self._placed(chapter, report):
            if place > (chapter.snapshot or 0):
                return
            yield pair

    def _placed(self, chapter: Chapter, report: Report) -> Iterator[tuple[int, Pair]]:
        """The records of a chapter, counted from 1; a lost line counts as one."""
        place, last = 0, 0 if chapter.mark is None else 1  # its marker's own line
        for pair in self.whole(chapter, report):
            line = pair[0].line
            place += max(1, line - last)
            last = max(last, line)
            yield place, pair

    def whole(self, chapter: Chapter, report: Report) -> Iterator[Pair]:
        """All records of a chapter: the history before the next marker."""
        return self.records(chapter.start, chapter.end, report)


_TALKERS = ("user", "assistant", "system")
_MARKER = "a marker"


def _is_known(value: dict[str, Any]) -> bool:
    """Whether a record is plainly a message: the quick look at most of them."""
    return (
        value.get("role") in _TALKERS
        and type(value.get("content")) is str
        and "tool_calls" not in value
        and "tool_results" not in value
        and "stop_reason" not in value
    )


def _why_not(value: dict[str, Any]) -> str:
    """Why a record is no message that can be shown; "" where it is one."""
    if value.get("type") == "compact" and "role" not in value:
        return _MARKER
    from mewctl.history.lens import lens

    try:
        lens("mew").view(value, "the log")
    except (ValueError, BadInput) as error:
        return str(error)
    return ""


def revision(size: int, end: bytes) -> str:
    """The revision of a log of ``size`` bytes that ends in ``end``."""
    from hashlib import sha256  # slow to load

    return f"{size}-{sha256(end[-limits.REVISION_BYTES :]).hexdigest()[:8]}"


def find_chapter(chapters: Sequence[Chapter], name: str) -> Chapter:
    """The chapter of a checkpoint: by its number, or by (the beginning of) its id.

    Raises ``NotFound``.
    """
    marked = [chapter for chapter in chapters if chapter.mark is not None]
    if name.isascii() and name.isdigit():
        matches = [c for c in marked if c.number == int(name)]
        if matches:
            return matches[0]
    matches = [
        c for c in marked if c.mark and name and c.mark.marker.id.startswith(name)
    ]
    if len({c.mark.marker.id for c in matches if c.mark}) == 1:
        return matches[-1]
    count = f"it has {len(marked)}" if marked else "it has none"
    what = f"{name} is the beginning of several checkpoints' ids" if matches else ""
    raise NotFound(
        what=what or f"no checkpoint {name}: {count}",
        remedy="see mewctl session checkpoints",
    )
