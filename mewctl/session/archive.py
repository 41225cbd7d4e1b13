"""What a session's compactions dropped, found in its log: no second copy is kept.

A message was dropped if it stood in the history before a marker and is not, as the very
line it was, in the snapshot after it. Reads only.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

from mewctl.errors import NotFound
from mewctl.session.reading import Chapter, LogReader
from mewctl.spill.recall import Archive
from mewctl.transcripts import Report

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def archive_of(spill: str, dropped: str, log: str) -> Archive:
    """The archive of a place; ``log`` is its session's, "" for none."""
    if log and os.path.lexists(log):
        return SessionArchive(spill, dropped, log)
    return Archive(spill, dropped)


class SessionArchive(Archive):
    """An archive whose compactions may be those of a log."""

    def __init__(self, directory: str, dropped: str, log: str) -> None:
        super().__init__(directory, dropped)
        self._log = log
        self._marks: dict[str, int] | None = None

    def boundaries(self) -> list[str]:
        """The boundaries whose messages are here, in files or in the log."""
        return sorted({*super().boundaries(), *self._in_log()})

    def _in_log(self) -> dict[str, int]:
        """The boundaries of the log, with the numbers of their markers."""
        if self._marks is None:
            with LogReader(self._log) as reader:
                chapters = reader.chapters()
            self._marks = {
                chapter.mark.marker.id: chapter.number
                for chapter in chapters
                if chapter.mark is not None and chapter.mark.marker.id
            }
        return self._marks

    def messages(self, boundary: str) -> Iterator[bytes]:
        """The messages that the compaction at ``boundary`` dropped, in order.

        A unique beginning of the id is enough. Raises ``NotFound``.
        """
        matches = [name for name in self.boundaries() if name.startswith(boundary)]
        name = boundary if boundary in matches else matches[0] if matches else ""
        several = len(matches) > 1 and boundary not in matches
        if several or not boundary or name not in self._in_log():
            return super().messages(boundary)
        return self._dropped(self._in_log()[name])

    def _dropped(self, number: int) -> Iterator[bytes]:
        with LogReader(self._log) as reader:
            chapters = reader.chapters()
            lines = dropped(reader, chapters, number)
        for line in lines:
            yield line + b"\n"


def dropped(reader: LogReader, chapters: Sequence[Chapter], number: int) -> list[bytes]:
    """The lines that the marker ``number`` dropped. Raises ``NotFound``."""
    chapter = chapters[number]
    if chapter.snapshot is None:
        raise NotFound(
            what=f"checkpoint {number} does not say how long its snapshot is",
            remedy="see mewctl session load --raw",
        )
    report = Report()
    kept = Counter(record.raw for record, _ in reader.snapshot(chapter, report))
    gone: list[bytes] = []
    before = [record.raw for record, _ in reader.whole(chapters[number - 1], report)]
    for line in reversed(before):  # what stays is the newest
        if kept[line]:
            kept[line] -= 1
        else:
            gone.append(line)
    return gone[::-1]
