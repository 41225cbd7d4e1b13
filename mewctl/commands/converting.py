"""What ``convert`` does: reads a history, has it converted and mended, tells losses.

Apart from the command's module, because importing this costs more than Click.
"""

from __future__ import annotations

import os
from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.looks import Checks
from mewctl.commands.notes import note
from mewctl.commands.reading import Source, exact, wish_from
from mewctl.history.convert import convert_records, request_pieces
from mewctl.history.findings import LAYOUT
from mewctl.history.formats import load
from mewctl.history.losses import Losses
from mewctl.history.repair import repair_records
from mewctl.history.responses import api
from mewctl.streams.jsonvalue import dumps
from mewctl.streams.printable import counted
from mewctl.streams.records import Record
from mewctl.streams.shelf import Shelf, ended, in_blocks
from mewctl.streams.stdio import Output, ReaderLeft

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mewctl.history.findings import Finding
    from mewctl.history.formats import Format

    Pairs = Iterator[tuple[Record, Mapping[str, Any]]]


@dataclass(slots=True)
class _Tally:
    """What the report says, counted while the history is converted."""

    records: int = 0
    losses: Losses = field(default_factory=Losses)
    repairs: list[Finding] = field(default_factory=list)
    layout: Counter[str] = field(default_factory=Counter)

    def find(self, finding: Finding) -> None:
        if finding.kind in LAYOUT:
            self.layout[finding.kind] += 1
        else:
            self.repairs.append(finding)


def convert(options: Mapping[str, Any]) -> None:
    """Write the history in another format, and the report where one is asked for.

    All of both, or nothing: their places are tried before anything is read.
    """
    _refuse_one_place(options)
    report, inputs = options["report"], options["files"]
    left = False
    with Output(report, inputs) if report else nullcontext() as told:
        try:
            with Output(options["output"], inputs) as out:
                source = Source(inputs, wish_from(options), Checks())
                shelf = Shelf(record for record, _ in source)
                tally = _Tally(len(shelf))
                blocks = in_blocks(_written(shelf, source, options, tally))
                if told:
                    told.write(dumps(_report(options, source, tally)) + b"\n")
                for block in blocks:
                    out.write(block)
        except ReaderLeft:  # who has seen enough; the report is for others
            left = True
    if left:
        raise ReaderLeft
    if not options["quiet"]:
        _tell(options, source, tally)


def _refuse_one_place(options: Mapping[str, Any]) -> None:
    """Refuse a report that would stand among the records, or in their place."""
    report, output = options["report"], options["output"] or "-"
    if report and (
        report == output
        or ("-" not in (report, output) and _target(report) == _target(output))
    ):
        raise click.UsageError("--report and --output name the same place")


def _target(path: str) -> str:
    return os.path.realpath(path)


def _written(
    shelf: Shelf, source: Source[bool], options: Mapping[str, Any], tally: _Tally
) -> Iterator[bytes]:
    """The bytes of the valid history in the target's format; ``shelf`` is emptied."""
    form, target = load(source.format), load(options["to"])
    if target.NAME == form.NAME:
        pairs = _kept(shelf, source, form, tally.losses)
    else:
        values = exact(source, shelf.drain())
        pairs = _made(convert_records(values, form, target, tally.losses))
    lines = repair_records(pairs, target, tally.find)
    if options["request"]:
        yield from request_pieces(lines, target)
        yield b"\n"
    else:
        yield from ended(lines)


def _kept(shelf: Shelf, source: Source[bool], form: Format, losses: Losses) -> Pairs:
    """The very records; of a provider's response its message."""
    for record in shelf.drain():
        value = record.mapping()
        if api(value) is None:
            yield record, value
        else:
            whole = exact(source, [record])
            yield from _made(convert_records(whole, form, form, losses))


def _made(values: Iterable[Mapping[str, Any]]) -> Pairs:
    for value in values:
        yield Record(dumps(value)), value


def _report(
    options: Mapping[str, Any], source: Source[bool], tally: _Tally
) -> dict[str, Any]:
    return {
        "type": "conversion",
        "from": source.source,
        "to": options["to"],
        "records": tally.records,
        "lost": dict(sorted(tally.losses.counts.items())),
        "layout": dict(sorted(tally.layout.items())),
        "repairs": [finding.to_json() for finding in tally.repairs],
        "notes": [
            {"line": found.line, "kind": found.kind, "text": found.text}
            for found in source.report.notes
        ],
        "bad_records": source.bad,
    }


def _tell(options: Mapping[str, Any], source: Source[bool], tally: _Tally) -> None:
    losses = tally.losses
    if losses.counts:
        note(f"{source.source} -> {options['to']} cannot carry: {losses.line()}")
    if tally.repairs:
        repairs = counted(len(tally.repairs), "repair")
        note(f"{repairs}; see mewctl repair --check")
