"""What ``session fork`` does: records, facts and spilled bodies into a new session."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from mewctl.commands.notes import note
from mewctl.commands.session.finding import session_of, store_of
from mewctl.commands.session.loading import tell_damage
from mewctl.commands.session.titles import checked
from mewctl.errors import NotFound
from mewctl.session.lines import Marker
from mewctl.session.making import make, whole_or_none
from mewctl.session.meta import Meta
from mewctl.session.meta import load as load_meta
from mewctl.session.reading import LogReader, find_chapter
from mewctl.session.sharing import line_anew, share, share_dropped
from mewctl.session.writing import Writer
from mewctl.store.copying import share_files
from mewctl.streams.stdio import Output
from mewctl.transcripts import Report

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mewctl.session.layout import Layout
    from mewctl.session.reading import Chapter, Pair


def fork(options: Mapping[str, Any]) -> None:
    """Make the new session, whole, and print its id."""
    parent = session_of(options)
    report = Report()
    with LogReader(parent.log) as reader:
        chapters = reader.chapters()
        point, last, found = _chosen(reader, chapters, options, report)
        pairs = list(found)
        tell_damage(report, options)
        now = time.time()
        about = {"at": point, "revision": reader.revision()}
        child = _made(options, parent, about, now)
        with whole_or_none(child):
            share_files(parent.boundaries, child.boundaries)
            share_dropped(reader, chapters, last, child.boundaries)
            share(parent.spill, child.spill)
            lines = [line_anew(pair, parent, child) for pair in pairs]
            marker = Marker(time=now, reason="fork", messages=len(lines))
            with Writer(child) as writer:
                writer.append([marker.line(), *lines])
    with Output() as out:
        out.write(child.id.encode() + b"\n")
    if not options["quiet"]:
        note(f"{len(lines)} messages of {parent.id}")


def _chosen(
    reader: LogReader,
    chapters: Sequence[Chapter],
    options: Mapping[str, Any],
    report: Report,
) -> tuple[str, int, Iterator[Pair]]:
    """From where the fork is, in words, the last marker before it, and its records."""
    if options["before"]:
        chapter = find_chapter(chapters, options["before"])
        before = chapters[chapter.number - 1]
        words = f"before {chapter.number}"
        return words, before.number, reader.whole(before, report)
    if options["at"]:
        chapter = find_chapter(chapters, options["at"])
        if chapter.snapshot is None:
            raise NotFound(
                what=f"checkpoint {chapter.number} does not say how long it is",
                remedy="fork without --at, or --before another",
            )
        words = f"at {chapter.number}"
        return words, chapter.number, reader.snapshot(chapter, report)
    return "now", chapters[-1].number, reader.history(reader.live(), report)


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
