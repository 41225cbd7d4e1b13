"""``mewctl tokens timeline``: how a context grew, and what made it shrink."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl import limits
from mewctl.commands.options import (
    InsteadFile,
    SessionName,
    color_option,
    files_argument,
    format_option,
    input_options,
    model_options,
    output_option,
    quiet_option,
    redact_option,
    root_option,
    strict_option,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewctl.tokens.report import Bounds
    from mewctl.tokens.timeline import Timeline


@click.command("timeline", short_help="Show how the context grew, turn by turn.")
@files_argument
@click.option(
    "-s",
    "--session",
    metavar="S",
    type=SessionName(),
    envvar="MEWCTL_SESSION",
    show_envvar=True,
    help="Show a session's log instead, as it was sent; by its variable alone only"
    " where nothing is piped in.",
)
@root_option
@click.option(
    "--html",
    metavar="FILE",
    type=InsteadFile(),
    show_envvar=True,
    help="Write one self-contained page to FILE instead.",
)
@click.option(
    "--turns",
    metavar="N",
    type=click.IntRange(0),
    default=limits.TIMELINE_TURNS,
    show_default=True,
    show_envvar=True,
    help="How many of the newest turns a table shows.",
)
@click.option(
    "--biggest",
    metavar="N",
    type=click.IntRange(0, 10_000),
    default=limits.BIGGEST,
    show_default=True,
    show_envvar=True,
    help="How many of the biggest items to name.",
)
@format_option
@color_option
@model_options
@input_options
@strict_option
@redact_option
@output_option
@quiet_option
def timeline(**options: Any) -> None:
    r"""Show how the context grew, turn by turn.

    Of a transcript (from its beginning), a history or a session's log: the size of the
    context behind each turn, as usage reported it, else estimated; spills, boundaries
    and their cost; the biggest items. Nothing leaves this machine.

    \b
    Examples:
      mewctl tokens timeline transcript.jsonl
      mewctl tokens timeline -s latest
      mewctl tokens timeline --html timeline.html transcript.jsonl
      mewctl tokens timeline < transcript.jsonl | jq 'select(.type == "boundary")'
    """
    _run(options)


def _run(options: Mapping[str, Any]) -> None:
    from mewctl.streams.stdio import Output

    if options["html"] and options["output"]:
        raise click.UsageError("give --html or -o, not both")
    found, bounds = _read(options)
    data = _page(found, bounds) if options["html"] else _shown(options, found, bounds)
    with Output(options["html"] or options["output"], options["files"]) as out:
        out.write(data)


def _read(options: Mapping[str, Any]) -> tuple[Timeline, Bounds]:
    from mewctl.commands.timeline_session import named, timeline_of_session

    if named(click.get_current_context()):
        if options["files"]:
            raise click.UsageError("give FILE or --session, not both")
        return timeline_of_session(options)
    from mewctl.commands.timeline_input import timeline_of

    return timeline_of(options)


def _page(found: Timeline, bounds: Bounds) -> bytes:
    from mewctl.tokens.page import page

    return page(found, bounds).encode("utf-8", "backslashreplace")


def _shown(options: Mapping[str, Any], found: Timeline, bounds: Bounds) -> bytes:
    import os

    from mewctl.commands.screen import as_table, colored
    from mewctl.streams.jsonvalue import dumps
    from mewctl.streams.table import terminal_width
    from mewctl.tokens.timeline_report import records

    told = records(found, bounds)
    if not as_table(options):
        return b"".join(dumps(record) + b"\n" for record in told)
    from mewctl.commands.timeline_table import Look, rows

    look = Look(terminal_width(os.environ), options["turns"], color=colored(options))
    return "".join(f"{line}\n" for line in rows(found, list(told), look)).encode()
