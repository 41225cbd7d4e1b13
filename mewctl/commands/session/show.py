"""``mewctl session show``: all that is known of one session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.options import redact_option
from mewctl.commands.session.options import (
    format_option,
    place_options,
    session_argument,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


@click.command("show", short_help="Show all that is known of a session.")
@session_argument
@place_options
@format_option
@redact_option
def show(**options: Any) -> None:
    r"""Show all that is known of a session.

    Its revision, checkpoints, messages, sizes by kind, spilled bodies, and the breaker.

    \b
    Example:
      mewctl session show latest
    """
    _run(options)


def _run(options: Mapping[str, Any]) -> None:
    from mewctl.commands.session.showing import show as run

    run(options)
