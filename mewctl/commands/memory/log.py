"""``mewctl memory log``: what happened to the notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.memory.options import complete_notes, place_options, redact_option
from mewctl.commands.options import format_option, quiet_option

if TYPE_CHECKING:
    from collections.abc import Mapping


@click.command("log", short_help="Tell what happened to the notes.")
@click.argument(
    "name", metavar="[NOTE]", required=False, shell_complete=complete_notes,
    help="Only what happened to one note, by its id; also one that is gone.",
)  # fmt: skip
@place_options
@format_option
@redact_option
@quiet_option
def log(**options: Any) -> None:
    r"""Tell what happened to the notes.

    The oldest comes first. Every change has the hash of the text before and after it;
    memory show --version prints that text.

    \b
    Examples:
      mewctl memory log
      mewctl memory log package-manager --format jsonl | jq -r .event
    """
    _run(options)


def _run(options: Mapping[str, Any]) -> None:
    from mewctl.commands.memory.places import stores
    from mewctl.commands.memory.records import masked
    from mewctl.commands.session.table import show

    found = stores(options)
    events = [event for store in found for event in store.events()]
    events.sort(key=lambda event: str(event.get("time", "")))
    if options["name"]:
        wanted = _id(found, options)
        events = [event for event in events if event.get("id") == wanted]
    rows = [masked(event, no_redact=options["no_redact"]) for event in events]
    heads = ("time", "event", "by", "id", "title")
    show(
        options["format_"],
        rows,
        heads,
        [[str(row.get(head, "")) for head in heads] for row in rows],
    )


def _id(found: list[Any], options: Mapping[str, Any]) -> str:
    """The id of the note that the name means, among those that are gone as well."""
    from mewctl.commands.memory.places import chosen

    live = [note for store in found for note in store.notes()[0]]
    gone = [one.note for store in found for one in store.archived()]
    newest = {note.id: note for note in (*gone, *live)}
    return chosen(list(newest.values()), options["name"], options).id
