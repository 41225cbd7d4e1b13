"""``mewctl memory list``: the notes, as the index orders them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.memory.options import TYPES, place_options, redact_option
from mewctl.commands.options import format_option, quiet_option

if TYPE_CHECKING:
    from collections.abc import Mapping


@click.command("list", short_help="List the notes.")
@click.option(
    "--type",
    "type_",
    metavar="TYPE",
    type=click.Choice(TYPES),
    show_envvar=True,
    help=f"Only notes of one type: {', '.join(TYPES)}.",
)
@click.option(
    "--quarantined",
    is_flag=True,
    show_envvar=True,
    help="Only those that wait for memory approve.",
)
@click.option(
    "--archived",
    is_flag=True,
    show_envvar=True,
    help="Instead, those that were removed or archived: memory restore has them.",
)
@place_options
@format_option
@redact_option
@quiet_option
def list_(**options: Any) -> None:
    r"""List the notes.

    The project's first, then the user's; by type, then by when they were made.

    \b
    Examples:
      mewctl memory list
      mewctl memory list --level user --format jsonl | jq -r .title
      mewctl memory list --quarantined
    """
    _run(options)


def _run(options: Mapping[str, Any]) -> None:
    from mewctl.commands.memory.places import gathered, stores
    from mewctl.commands.memory.records import HEADS, cells, masked, record
    from mewctl.commands.session.table import show
    from mewctl.memory.index import order
    from mewctl.memory.value import stamp

    if options["archived"]:
        gone = [one for store in stores(options) for one in store.archived()]
        rows = [
            (one.note, {"event": one.event, "time": stamp(one.time), "why": one.why})
            for one in gone
        ]
    else:
        notes, _ = gathered(options)
        rows = [(note, {}) for note in sorted(notes, key=order)]
    if options["type_"]:
        rows = [row for row in rows if row[0].type == options["type_"]]
    if options["quarantined"]:
        rows = [row for row in rows if row[0].quarantined]
    records = (
        masked(record(note) | more, no_redact=options["no_redact"])
        for note, more in rows
    )
    show(options["format_"], records, HEADS, [cells(note) for note, _ in rows])
