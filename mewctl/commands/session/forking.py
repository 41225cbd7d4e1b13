"""What ``session fork`` does: records, facts and spilled bodies into a new session."""

from __future__ import annotations

import os
import re
import time
from typing import TYPE_CHECKING, Any

from mewctl.commands.notes import note
from mewctl.commands.session.finding import session_of, store_of
from mewctl.commands.session.loading import tell_damage
from mewctl.commands.session.titles import checked
from mewctl.errors import NotFound
from mewctl.session.archive import dropped
from mewctl.session.lines import Marker
from mewctl.session.making import make
from mewctl.session.meta import Meta
from mewctl.session.meta import load as load_meta
from mewctl.session.reading import LogReader, find_chapter
from mewctl.session.sharing import share
from mewctl.session.writing import Writer
from mewctl.store.copying import share_files
from mewctl.store.files import private_dir, replace
from mewctl.streams.stdio import Output
from mewctl.transcripts import Report

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mewctl.session.layout import Layout
    from mewctl.session.reading import Pair

#: Ids stand in logs, which are data: no other id becomes the name of a file.
_BOUNDARY = re.compile(r"[0-9a-f]{12}")


def fork(options: Mapping[str, Any]) -> None:
    """Make the new session, whole, and print its id."""
    parent = session_of(options)
    report = Report()
    with LogReader(parent.log) as reader:
        point, pairs = _chosen(reader, options, report)
        lines = [record.raw for record, _ in pairs]
        revision = reader.revision()
        gone = _dropped(reader, options)
    tell_damage(report, options)
    now = time.time()
    child = _made(options, parent, {"at": point, "revision": revision}, now)
    share_files(parent.boundaries, child.boundaries)
    for boundary, dropped_lines in gone.items():
        private_dir(child.boundaries)
        path = os.path.join(child.boundaries, f"{boundary}.jsonl")
        replace(path, b"\n".join((*dropped_lines, b"")))
    share(parent.spill, child.spill)
    marker = Marker(time=now, reason="fork", messages=len(lines))
    with Writer(child) as writer:
        writer.append([marker.line(), *lines])
    with Output() as out:
        out.write(child.id.encode() + b"\n")
    if not options["quiet"]:
        note(f"{len(lines)} messages of {parent.id}")


def _chosen(
    reader: LogReader, options: Mapping[str, Any], report: Report
) -> tuple[str, Iterator[Pair]]:
    """From where the fork is, in words, and its records."""
    if options["before"]:
        chapters = reader.chapters()
        chapter = find_chapter(chapters, options["before"])
        before = chapters[chapter.number - 1]
        return f"before {chapter.number}", reader.whole(before, report)
    if options["at"]:
        chapter = find_chapter(reader.chapters(), options["at"])
        if chapter.snapshot is None:
            raise NotFound(
                what=f"checkpoint {chapter.number} does not say how long it is",
                remedy="fork without --at, or --before another",
            )
        return f"at {chapter.number}", reader.snapshot(chapter, report)
    return "now", reader.history(reader.live(), report)


def _dropped(reader: LogReader, options: Mapping[str, Any]) -> dict[str, list[bytes]]:
    """What the compactions up to the fork dropped, by boundary.

    The child keeps it, so that it can be recalled there when the parent is gone.
    """
    chapters = reader.chapters()
    last = len(chapters) - 1
    if options["at"]:
        last = find_chapter(chapters, options["at"]).number
    elif options["before"]:
        last = find_chapter(chapters, options["before"]).number - 1
    found: dict[str, list[bytes]] = {}
    for chapter in chapters[1 : last + 1]:
        name = chapter.mark.marker.id if chapter.mark else ""
        if _BOUNDARY.fullmatch(name) and chapter.snapshot is not None:
            found[name] = dropped(reader, chapters, chapter.number)
    return found


def _made(
    options: Mapping[str, Any], parent: Layout, point: Mapping[str, Any], now: float
) -> Layout:
    known = load_meta(parent.meta)
    meta = Meta(
        title=checked(options["title"] or ""),
        model=known.model,
        created=now,
        origin={"session": parent.id, "path": parent.directory, **point},
    )
    return make(store_of(options), meta, now, os.urandom)
