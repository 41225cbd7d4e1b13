"""``mewctl memory propose`` and ``update``: what of a conversation is worth a note."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl import limits
from mewctl.commands.memory.options import new_level_option
from mewctl.commands.options import (
    SessionName,
    chain,
    files_argument,
    input_options,
    quiet_option,
    root_option,
    transcript_options,
)
from mewctl.commands.providing import provider_options

if TYPE_CHECKING:
    from collections.abc import Mapping

_seen_options = chain(
    click.option(
        "-s",
        "--session",
        metavar="S",
        type=SessionName(),
        envvar="MEWCTL_SESSION",
        show_envvar=True,
        help="Look at what is new in a session since the last update of it.",
    ),
    click.option(
        "--turns",
        metavar="N",
        type=click.IntRange(1),
        default=limits.UPDATE_TURNS,
        show_default=True,
        show_envvar=True,
        help="Without a session: look at the newest turns of the input.",
    ),
)


@click.command("propose", short_help="Propose notes from a conversation.")
@files_argument
@_seen_options
@input_options
@transcript_options
@new_level_option
@root_option
@provider_options
@quiet_option
def propose(**options: Any) -> None:
    r"""Propose notes from a conversation.

    Writes nothing. Prints actions for memory apply, one a line; usually there are none.
    The offline provider takes what the user said to remember, prefers, or wants always
    or never. Notes and instructions that were put into the conversation are not learned
    again. Evidence that is not in the messages is refused.

    \b
    Examples:
      mewctl memory propose transcript.jsonl
      mewctl memory propose transcript.jsonl | mewctl memory apply
    """
    _check(options)
    from mewctl.commands.memory.updating import propose as run

    run(options)


@click.command("update", short_help="Propose notes and apply them.")
@files_argument
@_seen_options
@click.option(
    "--if-due",
    is_flag=True,
    show_envvar=True,
    help=f"Act on every {limits.UPDATE_EVERY}th finished turn, or on a signal word.",
)
@click.option(
    "--signal",
    "signals",
    metavar="WORD",
    multiple=True,
    show_envvar=True,
    help="A further word that makes it due, as remember does.",
)
@click.option(
    "--detach",
    is_flag=True,
    show_envvar=True,
    help="Return at once and go on in the background; needs a session.",
)
@input_options
@transcript_options
@new_level_option
@root_option
@provider_options
@quiet_option
def update(**options: Any) -> int:
    r"""Propose notes and apply them.

    This is memory propose and memory apply in one. With a session, it looks at what
    came since its last update there, and does nothing where nothing came. Prints a
    result for each action. In the background, what happened is in update.log.jsonl
    beside the notes.

    \b
    Examples:
      mewctl memory update transcript.jsonl
      mewctl memory update -s latest --if-due
    """
    _check(options)
    if options["detach"] and not options["session"]:
        raise click.UsageError("--detach needs a session: -s S")
    from mewctl.commands.memory.updating import update as run

    return run(options)


def _check(options: Mapping[str, Any]) -> None:
    if options["session"] and options["files"]:
        raise click.UsageError("give a session or a FILE, not both")
