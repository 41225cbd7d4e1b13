"""``mewctl session import``: agents' transcripts as sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.options import (
    MESSAGE_FORMATS,
    TRANSCRIPTS,
    InputFile,
    quiet_option,
)
from mewctl.commands.session.options import place_options

if TYPE_CHECKING:
    from collections.abc import Mapping


@click.command("import", short_help="Make sessions of agents' transcripts.")
@click.argument(
    "paths",
    nargs=-1,
    required=True,
    type=InputFile(),
    metavar="FILE|DIR",
    help="Transcripts, or directories that hold them at any depth.",
)
@click.option(
    "--from",
    "from_",
    metavar="FORMAT",
    type=click.Choice(("auto", *MESSAGE_FORMATS, *TRANSCRIPTS)),
    default="auto",
    show_default=True,
    show_envvar=True,
    help="What they are: " + ", ".join(("auto", *MESSAGE_FORMATS, *TRANSCRIPTS)) + ".",
)
@place_options
@quiet_option
def import_(**options: Any) -> int:
    r"""Make sessions of agents' transcripts.

    Of a directory, all transcripts in it and below: projects and sub-agents, too. Run
    again, it adds what is new and leaves the rest as it is. Prints one line a file.

    \b
    Examples:
      mewctl session import ~/.claude/projects
      mewctl session import --from codex rollout.jsonl
    """
    return _run(options)


def _run(options: Mapping[str, Any]) -> int:
    from mewctl.commands.session.importing import import_ as run

    return run(options)
