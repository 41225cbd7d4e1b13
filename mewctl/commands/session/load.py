"""``mewctl session load``: the history that a session's log holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.options import (
    MESSAGE_FORMATS,
    OutputFile,
    chain,
    output_option,
    quiet_option,
)
from mewctl.commands.session.options import place_options, session_argument

if TYPE_CHECKING:
    from collections.abc import Mapping

to_options = chain(
    click.option(
        "--to",
        metavar="FORMAT",
        type=click.Choice(MESSAGE_FORMATS),
        show_envvar=True,
        help="The format to write (default: the log's, mew for several): "
        + ", ".join(MESSAGE_FORMATS)
        + ".",
    ),
    click.option(
        "--request",
        is_flag=True,
        show_envvar=True,
        help="Write one request body for the API of --to, ready for curl.",
    ),
)


@click.command("load", short_help="Print a session's history.")
@session_argument
@to_options
@click.option(
    "--spilled",
    is_flag=True,
    show_envvar=True,
    help="With the previews that the session's ledger knows, not the originals.",
)
@click.option(
    "--full",
    is_flag=True,
    show_envvar=True,
    help="All messages from the beginning, without summaries that replaced them.",
)
@click.option(
    "--raw",
    is_flag=True,
    show_envvar=True,
    help="Every record of the log as it stands there, markers and envelopes included.",
)
@click.option(
    "--at",
    metavar="CHECKPOINT",
    show_envvar=True,
    help="As it was right after a compact marker: its number or id.",
)
@click.option(
    "--strict",
    is_flag=True,
    show_envvar=True,
    help="Fail on anything skipped or damaged, instead of reporting it.",
)
@click.option(
    "--revision-to",
    metavar="FILE",
    type=OutputFile(),
    show_envvar=True,
    help="Write the log's revision to FILE, for append --if-revision.",
)
@place_options
@output_option
@quiet_option
def load(**options: Any) -> None:
    r"""Print a session's history.

    That is what follows the last compact marker, as a valid history; each repair is
    told. Nothing in the session changes.

    \b
    Examples:
      mewctl session load latest --to anthropic --request > body.json
      mewctl session load $S --full --to openai
      mewctl session load $S --at 2
    """
    chosen = [name for name in ("full", "raw", "at") if options[name]]
    if len(chosen) > 1:
        raise click.UsageError(f"--{chosen[0]} and --{chosen[1]} contradict each other")
    if options["raw"] and (options["to"] or options["request"] or options["spilled"]):
        raise click.UsageError("--raw gives the log's own records and nothing else")
    if options["revision_to"] == "-":
        raise click.UsageError("--revision-to needs a file of its own")
    check_request(options)
    _run(options)


def check_request(options: Mapping[str, Any]) -> None:
    """``--request`` needs an API. Raises ``UsageError``."""
    if options["request"] and options["to"] in (None, "mew"):
        raise click.UsageError("--request needs the --to of an API, such as anthropic")


def _run(options: Mapping[str, Any]) -> None:
    from mewctl.commands.session.loading import load as run

    run(options)
