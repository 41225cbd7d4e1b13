"""``mewctl session append``: records into a session's log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.options import files_argument, input_options, quiet_option
from mewctl.commands.session.options import place_options, session_argument

if TYPE_CHECKING:
    from collections.abc import Mapping


@click.command("append", short_help="Add messages to a session's log.")
@session_argument
@files_argument
@click.option(
    "--replace",
    is_flag=True,
    show_envvar=True,
    help="The input is the whole history from now on; writes nothing if it is so.",
)
@click.option(
    "--if-revision",
    metavar="R",
    show_envvar=True,
    help="Refuse (exit 11) if the log is at another revision than R.",
)
@click.option(
    "--sync",
    metavar="batch|each|none",
    type=click.Choice(("batch", "each", "none")),
    default="batch",
    show_default=True,
    show_envvar=True,
    help="What is brought to the disk at once, before it is acknowledged.",
)
@click.option(
    "--tee",
    is_flag=True,
    show_envvar=True,
    help="Pass the input on to standard output, and acknowledge on standard error.",
)
@place_options
@input_options
@quiet_option
def append(**options: Any) -> None:
    r"""Add messages to a session's log.

    Takes messages of any format, or a provider's whole response. What has arrived is
    written as one batch and acknowledged, one line a batch, when it is on the disk.

    \b
    Examples:
      S=$(mewctl session new)
      echo '{"role":"user","content":"list the files"}' | mewctl session append $S
      curl -s ... | mewctl session append $S
      mewctl session load $S | mewctl compact | mewctl session append --replace $S
    """
    if options["replace"] and options["tee"]:
        raise click.UsageError("--tee passes records on as they come; --replace cannot")
    _run(options)


def _run(options: Mapping[str, Any]) -> None:
    from mewctl.commands.session.appending import append as run
    from mewctl.commands.session.appending import replace

    (replace if options["replace"] else run)(options)
