"""``mewctl session clean``: old sessions into the trash, made for cron."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl import limits
from mewctl.commands.options import quiet_option
from mewctl.commands.session.options import (
    Age,
    Size,
    age_words,
    format_option,
    place_options,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


@click.command("clean", short_help="Move old sessions to the trash, by rules.")
@click.option(
    "--older-than",
    metavar="AGE",
    type=Age(),
    show_envvar=True,
    help="Keep what was active within AGE (default: 30d, where no rule is given).",
)
@click.option(
    "--keep-last",
    metavar="N",
    type=click.IntRange(1),
    show_envvar=True,
    help="Keep the N newest.",
)
@click.option(
    "--keep-within",
    metavar="AGE",
    type=Age(),
    show_envvar=True,
    help="Keep what was active within AGE.",
)
@click.option(
    "--keep-daily",
    metavar="N",
    type=click.IntRange(1),
    show_envvar=True,
    help="Keep the newest of each of the N newest days that have one.",
)
@click.option(
    "--max-total-size",
    metavar="SIZE",
    type=Size(),
    show_envvar=True,
    help="Remove the oldest until the rest is no larger than SIZE, such as 2G.",
)
@click.option(
    "--min-age",
    metavar="AGE",
    type=Age(),
    default=age_words(limits.CLEAN_MIN_AGE),
    show_default=True,
    show_envvar=True,
    help="Never remove what was active within AGE, whatever the rules.",
)
@click.option(
    "--spill-older-than",
    metavar="AGE",
    type=Age(),
    show_envvar=True,
    help="Also remove bodies spilled without a session that nothing points at.",
)
@click.option(
    "--trash-for",
    metavar="AGE",
    type=Age(),
    default=age_words(limits.TRASH_FOR),
    show_default=True,
    show_envvar=True,
    help="Delete for good what has been in the trash for longer.",
)
@click.option(
    "--delete",
    is_flag=True,
    show_envvar=True,
    help="Delete for good, not into the trash.",
)
@click.option(
    "--dry-run", is_flag=True, show_envvar=True, help="Print the plan, do nothing."
)
@click.option(
    "-y", "--yes", is_flag=True, show_envvar=True, help="Do not ask on a terminal."
)
@format_option
@place_options
@quiet_option
def clean(**options: Any) -> int:
    r"""Move old sessions to the trash, by rules.

    One rule that keeps a session is enough. Never removed: what is pinned, in use,
    damaged, younger than --min-age, or dated in the future. On a terminal it shows the
    plan and asks; without one it acts, and prints removals and problems as JSONL.

    \b
    Examples:
      mewctl session clean --dry-run
      mewctl session clean --older-than 30d --keep-last 20
      mewctl session clean --max-total-size 2G --keep-daily 30
    """
    return _run(options)


def _run(options: Mapping[str, Any]) -> int:
    from mewctl.commands.session.cleaning import clean as run

    return run(options)
