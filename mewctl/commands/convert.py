"""``mewctl convert``: a transcript or history in another format, with a loss report.

Imports Click only: help must cost no more than that.
"""

from __future__ import annotations

from typing import Any

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
    if options["request"] and options["to"] == "mew":
        raise click.UsageError("--request needs the --to of an API, such as anthropic")
    from mewctl.commands.converting import convert as run

    run(options)
