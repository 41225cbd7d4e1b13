"""``mewctl session new``: an empty session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.options import quiet_option
from mewctl.commands.session.options import place_options

if TYPE_CHECKING:
    from collections.abc import Mapping


@click.command("new", short_help="Make a session and print its id.")
@click.option("--title", metavar="TEXT", show_envvar=True, help="What to call it.")
@click.option(
    "--model",
    metavar="NAME",
    envvar="MEWCTL_MODEL",
    show_envvar=True,
    help="The model it is for, where messages do not name it.",
)
@place_options
@quiet_option
def new(**options: Any) -> None:
    r"""Make a session and print its id.

    \b
    Example:
      S=$(mewctl session new --title "fix the upload")
    """
    _run(options)


def _run(options: Mapping[str, Any]) -> None:
    import os
    import time

    from mewctl.commands.session.finding import store_of
    from mewctl.commands.session.titles import checked
    from mewctl.session.making import make
    from mewctl.session.meta import Meta
    from mewctl.streams.stdio import Output

    now = time.time()
    title = checked(options["title"] or "")
    meta = Meta(title=title, model=options["model"] or "", created=now)
    layout = make(store_of(options), meta, now, os.urandom)
    with Output() as out:
        out.write(layout.id.encode() + b"\n")
