"""What is wrong with a session on the disk, and a log without its damage. Pure plans.

Reads through the store. Must not change anything: a repaired log is bytes, for the
caller to write.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mewctl.errors import MewError
from mewctl.history.findings import LAYOUT
from mewctl.history.formats import load, mew
from mewctl.history.repair import check_records
from mewctl.session import meta
from mewctl.session.backward import is_record
from mewctl.session.lines import read_marker
from mewctl.session.reading import LogReader
from mewctl.spill.recall import Archive
from mewctl.store.files import TEMP
from mewctl.store.modes import too_wide
from mewctl.store.opening import names_in
from mewctl.transcripts import Report
from mewctl.transcripts.damage import whole_objects

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mewctl.session.layout import Layout
    from mewctl.session.lines import Marker


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong. ``line`` of the log counts from 1, 0: not in the log."""

    kind: str
    detail: str
    line: int = 0
    path: str = ""

    def to_json(self, session: str) -> dict[str, Any]:
        """The finding as a record."""
        value: dict[str, Any] = {
            "type": "finding",
            "session": session,
            "kind": self.kind,
        }
        if self.line:
            value["line"] = self.line
        if self.path:
            value["path"] = self.path
        return {**value, "detail": self.detail}


def findings(layout: Layout) -> Iterator[Finding]:
    """All that is wrong with a session. What cannot be read is a finding, too."""
    try:
        yield from _in_log(layout)
    except MewError as error:
        yield Finding("unreadable", str(error), path=layout.log)
    try:
        known = meta.load(layout.meta)
        if known.damaged:
            yield Finding("damaged-file", known.damaged, path=layout.meta)
        yield from _spills(layout)
    except MewError as error:
        yield Finding("unreadable", str(error), path=layout.directory)
    yield from _files(layout)


def _in_log(layout: Layout) -> Iterator[Finding]:
    report = Report()
    with LogReader(layout.log) as reader:
        for chapter in reader.chapters():
            for _ in reader.whole(chapter, report):
                pass
        extent = reader.live()
        pairs = list(reader.history(extent, Report()))
        base = reader.lines_before(extent.start)
        cut = extent.cut
        size = reader.size
        torn = size > 0 and reader.read(size - 1, 1) != b"\n"
    for found in report.notes:
        yield Finding(f"{found.kind}-line", found.text, found.line)
    if torn:
        yield Finding("torn-end", "the last line has no end; the next append gives it")
    if cut is not None:
        what = "a snapshot that a crash cut short; the next append removes it"
        yield Finding("cut-short", what)
    for wrong in check_records(pairs, load(mew.NAME)):
        if wrong.kind not in LAYOUT:
            yield Finding(wrong.kind, wrong.detail, base + wrong.line)


def _spills(layout: Layout) -> Iterator[Finding]:
    archive = Archive(layout.spill, layout.boundaries)
    for body in archive.bodies():
        path = os.path.join(layout.spill, body.file)
        if body.size is None:
            yield Finding("missing-spill", "a spilled body is gone", path=path)
            continue
        try:
            for _ in archive.read(body):
                break
        except MewError as error:
            yield Finding("altered-spill", str(error), path=path)


def _files(layout: Layout) -> Iterator[Finding]:
    """Modes that others can use, and what unfinished work left behind."""
    for path, mode in too_wide(layout.directory):
        what = f"mode {stat.S_IMODE(mode):04o}: others can get at it"
        yield Finding("wide-mode", what, path=path)
    for path in leftovers(layout):
        yield Finding("leftover", "left by a run that was cut short", path=path)


def leftovers(layout: Layout) -> list[str]:
    """Unfinished files of a session, none of which holds anything."""
    found: list[str] = []
    for directory in (layout.directory, layout.spill, layout.boundaries):
        if os.path.isdir(directory):
            names = sorted(names_in(directory))
            found += [
                os.path.join(directory, name) for name in names if name.startswith(TEMP)
            ]
    return found


# --- a log without its damage ---


@dataclass(slots=True)
class _Lines:
    """The lines of a repaired log, and the marker whose snapshot is being read."""

    made: list[bytes]
    marker: Marker | None = None
    at: int = 0  # of the marker in ``made``
    left: int = 0  # records of its snapshot that are still to come
    kept: int = 0  # records of it that could be read

    def lose(self, count: int) -> None:
        """Take so many lines from which nothing could be read."""
        self.left = max(0, self.left - max(0, count))

    def add(self, raw: bytes) -> None:
        """Take a whole object."""
        if self.left:
            self.left -= 1
            self.kept += 1
        marker = read_marker(raw)
        if marker is not None:
            self.close()
            self.marker, self.at = marker, len(self.made)
            self.left, self.kept = marker.messages or 0, 0
        self.made.append(raw)

    def close(self) -> None:
        """Let a marker say how many records its snapshot has now."""
        marker = self.marker
        if marker is not None and marker.messages not in (None, self.kept):
            self.made[self.at] = replace(marker, messages=self.kept).line()
        self.marker = None


def repaired(reader: LogReader) -> bytes:
    """The log with each whole object on a line of its own, and nothing else.

    A sound line is the very bytes it was. A snapshot that was cut short is left out;
    one that lost records says so many less.
    """
    cut = reader.live().cut
    records = reader.raw(0, reader.size if cut is None else cut.start)
    lines = _Lines([])
    last = 0
    for record, _ in whole_objects(records, is_record, Report(), lambda _: False):
        lines.lose(record.line - last - 1)
        lines.add(record.raw)
        last = record.line
    lines.close()
    return b"".join(line + b"\n" for line in lines.made)
