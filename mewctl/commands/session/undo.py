"""``mewctl session undo``: the history before the last compaction, brought back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.options import quiet_option
from mewctl.commands.session.options import place_options, session_argument

if TYPE_CHECKING:
    from collections.abc import Mapping


@click.command("undo", short_help="Take a session's last compaction back.")
@session_argument
@place_options
@quiet_option
def undo(**options: Any) -> None:
    r"""Take a session's last compaction back.

    Adds the history before it and the messages since to the log, as the history from
    now on. Again for one further back. Automatic compaction then stays off until the
    next message of the user.

    \b
    Example:
      mewctl session undo latest
    """
    _run(options)


def _run(options: Mapping[str, Any]) -> None:
    import time

    from mewctl.commands.notes import note
    from mewctl.commands.session.finding import session_of
    from mewctl.commands.session.loading import tell_damage
    from mewctl.session.lines import Marker
    from mewctl.session.reading import LogReader
    from mewctl.session.undoing import plan
    from mewctl.session.writing import Writer
    from mewctl.transcripts import Report

    layout = session_of(options)
    report = Report()
    with Writer(layout) as writer, writer.locked() as held:
        with LogReader(layout.log) as reader:
            todo = plan(reader.chapters())
            lines = [record.raw for record, _ in reader.whole(todo.before, report)]
            before = len(lines)
            for chapter in todo.since:
                lines += [record.raw for record, _ in reader.since(chapter, report)]
        marker = Marker(
            time=time.time(), reason="undo", messages=len(lines), undoes=todo.number
        )
        held.append([marker.line(), *lines])
    tell_damage(report, options)
    if not options["quiet"]:
        note(
            f"took checkpoint {todo.number} back: {before} messages before it and "
            f"{len(lines) - before} since; no automatic compaction until the user's "
            "next message"
        )
