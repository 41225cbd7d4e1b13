"""``mewctl memory gc``: notes that nobody uses any more go to the archive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.memory.options import place_options
from mewctl.commands.options import format_option, quiet_option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewctl.memory.note import Note
    from mewctl.memory.retention import Verdict
    from mewctl.memory.writes import Write


@click.command("gc", short_help="Archive notes that are expired or of no use.")
@click.option(
    "-n",
    "--dry-run",
    is_flag=True,
    show_envvar=True,
    help="Only say what would go, and why.",
)
@place_options
@format_option
@quiet_option
def gc(**options: Any) -> None:
    r"""Archive notes that are expired or of no use.

    A note's value is its use times its freshness, which halves in 90 days for project
    knowledge and in 180 for reference material. Preferences and corrections never age,
    and a pinned note stays. Nothing is deleted: memory restore brings a note back.

    \b
    Examples:
      mewctl memory gc --dry-run
      mewctl memory gc -q
    """
    _run(options)


def _run(options: Mapping[str, Any]) -> None:
    import time

    from mewctl.commands.memory.acting import change
    from mewctl.commands.memory.places import gathered
    from mewctl.commands.notes import note as say
    from mewctl.commands.session.table import show
    from mewctl.memory.retention import verdicts
    from mewctl.memory.writes import Write

    going: list[Verdict] = []

    def decide(notes: list[Note], _: str) -> list[Write]:
        going.extend(verdicts(notes, time.time()))
        return [Write("archived", one.note, None, one.why) for one in going]

    if options["dry_run"]:
        decide(gathered(options)[0], "")
    else:
        change(options, "gc", decide)
    rows = [
        {"type": "memory_gc", "id": one.note.id, "path": one.note.path, "why": one.why}
        for one in going
    ]
    if rows:
        cells = [(one.note.id, one.note.title, one.why) for one in going]
        show(options["format_"], rows, ("id", "title", "why"), cells)
    if not options["quiet"]:
        would = "would go" if options["dry_run"] else "went"
        say(f"{len(going)} of the notes {would} to the archive")
