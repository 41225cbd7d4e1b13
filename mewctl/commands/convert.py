"""``mewctl convert``: a transcript or history in another format, with a loss report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.options import (
    MESSAGE_FORMATS,
    OutputFile,
    files_argument,
    input_options,
    output_option,
    quiet_option,
    transcript_options,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mewctl.commands.reading import History
    from mewctl.history.losses import Losses
    from mewctl.streams.records import Record


@click.command(
    "convert", short_help="Turn a transcript or history into another format."
)
@files_argument
@input_options
@click.option(
    "--to",
    metavar="FORMAT",
    type=click.Choice(MESSAGE_FORMATS),
    default="mew",
    show_default=True,
    show_envvar=True,
    help="The format to write: " + ", ".join(MESSAGE_FORMATS) + ".",
)
@click.option(
    "--request",
    is_flag=True,
    show_envvar=True,
    help="Write one request body for the API of --to, ready for curl.",
)
@click.option(
    "--report",
    metavar="FILE",
    type=OutputFile(),
    show_envvar=True,
    help="Write what was lost to FILE, as one JSON object.",
)
@transcript_options
@output_option
@quiet_option
def convert(**options: Any) -> None:
    r"""Turn a transcript or history into another format.

    Emits only what the target's API takes, as a valid history. What it cannot say is
    counted on stderr; nothing else is lost.

    \b
    Examples:
      mewctl convert --from claude-code < transcript.jsonl > history.jsonl
      mewctl convert --to openai history.jsonl
      mewctl convert --to anthropic --request < history.jsonl > body.json
    """
    _run(options)


def _run(options: Mapping[str, Any]) -> None:
    from mewctl.commands.reading import exact, load_history, wish_from
    from mewctl.history.convert import convert_records, request_body
    from mewctl.history.formats import load
    from mewctl.history.losses import Losses
    from mewctl.history.repair import repair_records
    from mewctl.streams.jsonvalue import dumps, loads
    from mewctl.streams.stdio import Output

    if options["request"] and options["to"] == "mew":
        raise click.UsageError("--request needs the --to of an API, such as anthropic")
    history = load_history(options["files"], wish_from(options))
    target, losses = load(options["to"]), Losses()
    pairs: Iterable[tuple[Record, Mapping[str, Any]]]
    if target.NAME == history.lens.format.NAME:
        pairs = _kept(history, losses)
    else:
        values = exact(history, history.records)
        source = history.lens.format
        pairs = _made(convert_records(values, source, target, losses))
    findings: list[Any] = []
    lines = repair_records(pairs, target, findings.append)
    if options["request"]:
        body = request_body([loads(line) for line in lines], target)
        lines = iter([dumps(body)])
    with Output(options["output"], options["files"]) as out:
        for line in list(lines):
            out.write(line + b"\n")
    _tell(options, history, losses, findings)


def _kept(
    history: History, losses: Losses
) -> Iterator[tuple[Record, Mapping[str, Any]]]:
    """The very records; of a provider's response its message."""
    from mewctl.commands.reading import exact
    from mewctl.history.convert import convert_records
    from mewctl.history.responses import api

    form = history.lens.format
    for record in history.records:
        value = record.mapping()
        if api(value) is None:
            yield record, value
        else:
            whole = exact(history, [record])
            yield from _made(convert_records(whole, form, form, losses))


def _made(
    values: Iterable[Mapping[str, Any]],
) -> Iterator[tuple[Record, Mapping[str, Any]]]:
    from mewctl.streams.jsonvalue import dumps
    from mewctl.streams.records import Record

    for value in values:
        yield Record(dumps(value)), value


def _tell(
    options: Mapping[str, Any],
    history: History,
    losses: Losses,
    findings: list[Any],
) -> None:
    from mewctl.commands.notes import note
    from mewctl.history.findings import LAYOUT
    from mewctl.streams.jsonvalue import dumps
    from mewctl.streams.stdio import Output

    repairs = [finding for finding in findings if finding.kind not in LAYOUT]
    reading = history.reading
    if options["report"]:
        value = {
            "type": "conversion",
            "from": reading.source,
            "to": options["to"],
            "records": len(history.records),
            "lost": dict(sorted(losses.counts.items())),
            "repairs": [finding.to_json() for finding in repairs],
            "notes": [
                {"line": note.line, "kind": note.kind, "text": note.text}
                for note in reading.report.notes
            ],
            "bad_records": reading.bad,
        }
        with Output(options["report"], options["files"]) as out:
            out.write(dumps(value) + b"\n")
    if options["quiet"]:
        return
    if losses.counts:
        note(f"{reading.source} -> {options['to']} cannot carry: {losses.line()}")
    if repairs:
        note(f"{len(repairs)} repairs; see mewctl repair --check")
