"""What ``session load`` does: choose the records, replay the ledger, write them.

Also for other commands: writing a session's records as a history of some format.
"""

from __future__ import annotations

import gc
from itertools import islice
from typing import TYPE_CHECKING, Any

from mewctl import limits
from mewctl.commands.notes import note
from mewctl.commands.session.finding import session_of
from mewctl.errors import BadInput, NotFound
from mewctl.history.findings import LAYOUT
from mewctl.history.formats import mew
from mewctl.session import render
from mewctl.session.reading import LogReader, find_chapter
from mewctl.streams.stdio import Output
from mewctl.transcripts import Report

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mewctl.session.layout import Layout
    from mewctl.session.reading import Pair

#: Objects between two looks for cycles: nothing here is cyclic, and looking takes time.
_CALM = 1_000_000
_BATCH = 128  # lines given to the output at once


def load(options: Mapping[str, Any]) -> None:
    """Write the records that the options choose."""
    gc.set_threshold(_CALM)
    layout = session_of(options)
    refuse_log(layout, options["output"], options["revision_to"])
    with LogReader(layout.log) as reader:
        report = Report()
        if options["raw"]:
            lines: Iterable[bytes] = (r.raw for r in reader.raw(0, reader.size))
            write(lines, options)
        else:
            pairs = _pairs(reader, options, report)
            if options["spilled"]:
                from mewctl.commands.session.spilled import spilled

                pairs = spilled(layout, list(pairs))
            form = options["to"] or _own_format(reader, options)
            if options["strict"] or options["spilled"]:
                pairs = iter(list(pairs))
                tell_damage(report, options)
            write_history(pairs, form, options, layout, report)
        if options["revision_to"]:
            with Output(options["revision_to"], [layout.log]) as out:
                out.write(reader.revision().encode() + b"\n")


def refuse_log(layout: Layout, *outputs: str | None) -> None:
    """Refuse a session's own log for an output. Raises ``Unsafe``."""
    for path in outputs:
        Output(path, [layout.log])


def _pairs(
    reader: LogReader, options: Mapping[str, Any], report: Report
) -> Iterator[Pair]:
    if options["full"]:
        return reader.everything(report)
    if not options["at"]:
        return reader.history(reader.live(), report)
    chapter = find_chapter(reader.chapters(), options["at"])
    if chapter.snapshot is None:
        raise NotFound(
            what=f"checkpoint {chapter.number} does not say how long it is",
            remedy="load --raw, or without --at",
        )
    return reader.snapshot(chapter, report)


def _own_format(reader: LogReader, options: Mapping[str, Any]) -> str:
    """The format that all messages of the log are of."""
    start, end = 0, reader.size
    if not options["full"] and not options["at"]:
        extent = reader.live()
        start, end = extent.start, extent.end
    if not reader.holds(b'"format"', start, end):
        return mew.NAME
    return render.one_format(reader.raw(start, end))


def write_history(
    pairs: Iterable[Pair],
    form: str,
    options: Mapping[str, Any],
    layout: Layout,
    report: Report,
) -> None:
    """Write records as a valid history of ``form``, and tell what was done to it."""
    told = render.Told()
    lines: Iterable[bytes] = render.render(pairs, form, told)
    if options["request"]:
        from mewctl.history.convert import request_pieces
        from mewctl.history.formats import load as load_format

        lines = [b"".join(request_pieces(lines, load_format(form)))]
    write(lines, options)
    tell_damage(report, options)
    if options["quiet"]:
        return
    repairs = [finding for finding in told.findings if finding.kind not in LAYOUT]
    for finding in repairs[: limits.REPAIRS_TOLD]:
        where = f"{layout.log}: message {finding.message}"
        note(f"{where}: {finding.detail}; {finding.repair}")
    if len(repairs) > limits.REPAIRS_TOLD:
        note(f"{len(repairs) - limits.REPAIRS_TOLD} more repairs")
    if lost := told.lost().line():
        note(f"{form} cannot carry: {lost}")


def write(lines: Iterable[bytes], options: Mapping[str, Any]) -> None:
    """Write lines to standard output or ``-o``."""
    waiting = iter(lines)
    with Output(options["output"]) as out:
        while batch := list(islice(waiting, _BATCH)):
            out.write(b"\n".join((*batch, b"")))


def tell_damage(report: Report, options: Mapping[str, Any]) -> None:
    """Tell what of the log is damaged, once; with ``--strict`` that is an error."""
    if report.notes and options.get("strict"):
        first = report.notes[0]
        raise BadInput(
            place=f"line {first.line} of the log",
            what=f"{first.kind}: {first.text}",
            remedy="see mewctl session check, or load it without --strict",
        )
    for found in report.notes:
        note(f"line {found.line} of the log: {found.kind}: {found.text}")
    report.notes.clear()
