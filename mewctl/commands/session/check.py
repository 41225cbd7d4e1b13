"""``mewctl session check`` and ``repair``: damage on the disk, told and mended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.completing import complete_sessions
from mewctl.commands.options import quiet_option
from mewctl.commands.session.options import place_options, session_argument

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewctl.session.layout import Layout


@click.command("check", short_help="Say what is wrong with a session on the disk.")
@click.argument(
    "reference",
    required=False,
    metavar="[S]",
    shell_complete=complete_sessions,
    help="The session: an id, the beginning of one, latest, or a path.",
)
@click.option("--all", "all_", is_flag=True, show_envvar=True, help="All sessions.")
@place_options
@quiet_option
def check(**options: Any) -> int:
    r"""Say what is wrong with a session on the disk.

    One finding a line; exit 1 if there is one: damaged lines, calls without results,
    missing or altered spilled bodies, modes that others can use, leftovers.

    \b
    Examples:
      mewctl session check latest
      mewctl session check --all
    """
    if (options["reference"] is not None) == options["all_"]:
        raise click.UsageError("give a session, or --all")
    return _check(options)


@click.command("repair", short_help="Write a session's log anew without damage.")
@session_argument
@click.option(
    "--apply", is_flag=True, show_envvar=True, help="Do it; without it, say what."
)
@place_options
@quiet_option
def repair(**options: Any) -> int:
    r"""Write a session's log anew without damage.

    The old log is kept beside it, with .bak at its end. Whole records of damaged lines
    get lines of their own; what cannot be read is left out. Calls without results stay:
    they are mended whenever the history is read.

    \b
    Examples:
      mewctl session repair latest
      mewctl session repair latest --apply
    """
    return _repair(options)


def _check(options: Mapping[str, Any]) -> int:
    import os

    from mewctl.commands.session.finding import session_of, sessions_of
    from mewctl.errors import Exit
    from mewctl.session.damage import findings
    from mewctl.session.layout import LOG, Layout
    from mewctl.store.listing import units
    from mewctl.streams.jsonvalue import dumps
    from mewctl.streams.stdio import Output

    if options["all_"]:
        directory = sessions_of(options)
        names = sorted(unit.name for unit in units(directory, LOG))
        layouts = [Layout(os.path.join(directory, name)) for name in names]
    else:
        layouts = [session_of(options)]
    code = Exit.DONE
    with Output() as out:
        for layout in layouts:
            for found in findings(layout):
                code = Exit.NO
                out.write(dumps(found.to_json(layout.id)) + b"\n")
    return code


def _repair(options: Mapping[str, Any]) -> int:
    from mewctl.commands.notes import note
    from mewctl.commands.session.finding import session_of
    from mewctl.errors import Exit
    from mewctl.session.damage import leftovers
    from mewctl.session.reading import LogReader
    from mewctl.store.lock import locked
    from mewctl.store.modes import make_private, remove_file, too_wide

    layout = session_of(options)
    if not options["apply"]:
        return _check({**options, "all_": False})
    with locked(layout.directory):
        kept = _rewrite(layout)
        for path, _ in too_wide(layout.directory):
            make_private(path)
        for path in leftovers(layout):
            remove_file(path)
        with LogReader(layout.log) as reader:
            size = reader.size
    if not options["quiet"]:
        words = f"written anew; the old log is {kept}" if kept else "needs no repair"
        note(f"{layout.log}: {words} ({size} bytes)")
    return Exit.DONE


def _rewrite(layout: Layout) -> str:
    """Write the log anew if that changes it; where the old one is kept."""
    from mewctl.session.damage import repaired
    from mewctl.session.reading import LogReader
    from mewctl.store.files import AlreadyThere, create_exclusive, replace

    with LogReader(layout.log) as reader:
        old = reader.read(0, reader.size)
        new = repaired(reader)
    if new == old:
        return ""
    number = 1
    while True:
        kept = f"{layout.log}.bak" + (f".{number}" if number > 1 else "")
        try:
            create_exclusive(kept, old)
        except AlreadyThere:
            number += 1
            continue
        replace(layout.log, new)
        return kept
