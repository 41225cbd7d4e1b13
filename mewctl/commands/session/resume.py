"""``mewctl session resume``: what an agent loop calls before each turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl import limits
from mewctl.commands.options import output_option
from mewctl.commands.session.like_compact import auto_options
from mewctl.commands.session.load import check_request, to_options
from mewctl.commands.session.options import (
    Age,
    age_words,
    place_options,
    session_argument,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


@click.command("resume", short_help="Print the history for the next turn.")
@session_argument
@to_options
@click.option(
    "--remind-after",
    metavar="AGE",
    type=Age(),
    default=age_words(limits.REMIND_AFTER),
    show_default=True,
    show_envvar=True,
    help="Tell the model of a pause that is longer than this, such as 6h or 2d.",
)
@place_options
@click.option(
    "--strict",
    is_flag=True,
    show_envvar=True,
    help="Fail on damage in the log; exit with its code where compaction failed.",
)
@output_option
@auto_options
def resume(**options: Any) -> int:
    r"""Print the history for the next turn.

    Compacts the session first if that is due, and commits it; then prints the history
    with previews for what was spilled, and a notice if the session was paused for long.
    A failed compaction is told, and the history comes without it.

    \b
    Examples:
      mewctl session resume $S --to anthropic | agent | mewctl session append $S
    """
    check_request(options)
    return _run(options)


def _run(options: Mapping[str, Any]) -> int:
    from mewctl.commands.session.resuming import resume as run

    return run(options)
