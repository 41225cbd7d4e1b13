"""``mewctl session fork``: a new session from a point of another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.options import quiet_option
from mewctl.commands.session.options import place_options, session_argument

if TYPE_CHECKING:
    from collections.abc import Mapping


@click.command("fork", short_help="Make a new session from a point of another.")
@session_argument
@click.option(
    "--at",
    metavar="CHECKPOINT",
    show_envvar=True,
    help="The history right after a compact marker: its number or id.",
)
@click.option(
    "--before",
    metavar="CHECKPOINT",
    show_envvar=True,
    help="The history right before a compact marker: what it replaced.",
)
@click.option("--title", metavar="TEXT", show_envvar=True, help="What to call it.")
@place_options
@quiet_option
def fork(**options: Any) -> None:
    r"""Make a new session from a point of another.

    Prints the new id. The parent stays as it is; spilled bodies are shared or copied,
    and previews name the new session's own files.

    \b
    Examples:
      T=$(mewctl session fork $S)
      mewctl session fork $S --before 2 --title "another way"
    """
    if options["at"] and options["before"]:
        raise click.UsageError("--at and --before contradict each other")
    _run(options)


def _run(options: Mapping[str, Any]) -> None:
    from mewctl.commands.session.forking import fork as run

    run(options)
