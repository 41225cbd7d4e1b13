"""``mewctl repair``: a valid history, or (``--check``) what is wrong with one.

Imports Click only: help must cost no more than that.
"""

from __future__ import annotations

from typing import Any

import click

from mewctl.commands.options import (
    files_argument,
    input_options,
    output_option,
    quiet_option,
    transcript_options,
)


@click.command("repair", short_help="Make a history valid for the API it is meant for.")
@files_argument
@click.option(
    "--check",
    is_flag=True,
    show_envvar=True,
    help="Write what is wrong, one JSON finding a line, and exit 1 if anything is.",
)
@input_options
@transcript_options
@output_option
@quiet_option
def repair(**options: Any) -> int:
    r"""Make a history valid for the API it is meant for.

    Calls and results are paired, thinking stays with its tool loop, roles come in the
    order the API wants, and nothing is empty. A record that nothing is wrong with
    comes out as it was; every repair is told on stderr.

    \b
    Examples:
      mewctl repair history.jsonl > valid.jsonl
      mewctl repair --check history.jsonl
      my-agent --history | mewctl repair -q | mewctl tokens
    """
    from mewctl.commands.repairing import check, mend

    return check(options) if options["check"] else mend(options)
