"""``mewctl spill``: layer 1 as a streaming filter.

Imports Click only: an empty input must cost no more than that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl import limits
from mewctl.commands.options import (
    MESSAGE_FORMATS,
    Count,
    files_argument,
    input_options,
    lang_option,
    model_options,
    output_option,
    quiet_option,
    state_options,
    transcript_options,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


@click.command(
    "spill", short_help="Move oversized tool output to files, leaving previews."
)
@files_argument
@click.option(
    "--single-limit",
    metavar="BYTES",
    type=Count(1),
    show_envvar=True,
    help="Spill a result of more than this."
    f"  [default: the ledger's, else {limits.SINGLE_LIMIT}]",
)
@click.option(
    "--aggregate-limit",
    metavar="BYTES",
    type=Count(1),
    show_envvar=True,
    help="Spill the biggest results of one step until the rest is not more than this."
    f"  [default: the ledger's, else {limits.AGGREGATE_LIMIT}]",
)
@click.option(
    "--relimit",
    is_flag=True,
    show_envvar=True,
    help="Bind the directory to the limits given now, instead of those it began with.",
)
@click.option(
    "--calls",
    is_flag=True,
    show_envvar=True,
    help="Long texts in the inputs of calls too, but for the newest turn's. Reads the"
    " whole history first.",
)
@click.option(
    "--keep-recent",
    metavar="TOKENS",
    type=Count(0),
    show_envvar=True,
    help="Spill results older than the newest TOKENS of tool output as well, where that"
    f" frees {limits.AGE_MIN_GAIN} tokens or more. Reads the whole history first.",
)
@click.option(
    "--images",
    is_flag=True,
    show_envvar=True,
    help="Move images and documents in results to files as well.",
)
@click.option(
    "--preview",
    metavar="both|head|tail",
    type=click.Choice(("both", "head", "tail")),
    default="both",
    show_default=True,
    show_envvar=True,
    help="Which ends of a body its preview shows.",
)
@click.option(
    "--to",
    metavar="FORMAT",
    type=click.Choice(MESSAGE_FORMATS),
    show_envvar=True,
    help="The format to write (default: the input's; mew for a transcript).",
)
@input_options
@transcript_options
@model_options
@state_options
@lang_option
@output_option
@quiet_option
def spill(**options: Any) -> None:
    r"""Move oversized tool output to files, leaving previews.

    Each preview names the file, and the command that brings the text back. A decision
    once made is kept in a ledger, so that the prefix a provider has cached stays the
    same while the history grows. What cannot be written stays in the history, with a
    warning; --strict makes that exit 5.

    \b
    Examples:
      mewctl spill < history.jsonl > smaller.jsonl
      my-agent --history | mewctl spill -s "$S" | mewctl compact
      mewctl spill --single-limit 20k --images history.jsonl -o smaller.jsonl
    """
    _run(options)


def _run(options: Mapping[str, Any]) -> None:
    from mewctl.streams.inputs import label, names, opened
    from mewctl.streams.stdio import Output

    job = None
    with Output(options["output"], options["files"]) as out:
        if options["calls"] or options["keep_recent"] is not None or options["to"]:
            from mewctl.commands.spilling import Job

            job = Job(options, out)
            job.whole()
        else:
            for path in names(options["files"]):
                with opened(path) as read:
                    first = read(limits.SPILL_BLOCK)
                    if first:
                        from mewctl.commands.spilling import Job

                        job = job or Job(options, out)
                        job.stream(first, read, label(path), path)
    if job is not None:
        job.close()
