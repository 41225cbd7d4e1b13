"""``mewctl session export``: a whole conversation, for a program or for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.options import MESSAGE_FORMATS, output_option, quiet_option
from mewctl.commands.session.options import place_options, session_argument

if TYPE_CHECKING:
    from collections.abc import Mapping


@click.command("export", short_help="Write out a whole conversation.")
@session_argument
@click.option(
    "--to",
    metavar="FORMAT",
    type=click.Choice((*MESSAGE_FORMATS, "markdown")),
    default="markdown",
    show_default=True,
    show_envvar=True,
    help="How: " + ", ".join((*MESSAGE_FORMATS, "markdown")) + ".",
)
@click.option(
    "--live",
    is_flag=True,
    show_envvar=True,
    help="Only the history now, with its summary, not the whole conversation.",
)
@place_options
@output_option
@quiet_option
def export(**options: Any) -> None:
    r"""Write out a whole conversation.

    Each message once, with the originals of what was spilled. As Markdown it is for
    people to read; in a message format it is a valid history.

    \b
    Examples:
      mewctl session export latest -o session.md
      mewctl session export latest --to openai > chat.jsonl
    """
    _run(options)


def _run(options: Mapping[str, Any]) -> None:
    from mewctl.commands.session.finding import session_of
    from mewctl.commands.session.loading import refuse_log, tell_damage, write_history
    from mewctl.history.formats import mew
    from mewctl.session import glimpse
    from mewctl.session.meta import load
    from mewctl.session.reading import LogReader
    from mewctl.session.texts import markdown
    from mewctl.streams.stdio import Output
    from mewctl.transcripts import Report

    layout = session_of(options)
    refuse_log(layout, options["output"])
    report = Report()
    with LogReader(layout.log) as reader:
        live = options["live"]
        pairs = (
            reader.history(reader.live(), report) if live else reader.everything(report)
        )
        if options["to"] != "markdown":
            options = {**options, "request": False}
            write_history(pairs, options["to"], options, layout, report)
            return
        title = load(layout.meta).title or glimpse.title(reader.read, reader.size)
        messages = (mew.view(value) for _, value in pairs)
        with Output(options["output"], [layout.log]) as out:
            for piece in markdown(title, messages):
                out.write(piece.encode("utf-8", "replace"))
    tell_damage(report, options)
