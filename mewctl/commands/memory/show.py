"""``mewctl memory show``: a note's file, or all that is known of it as a record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.memory.options import note_argument, place_options, redact_option
from mewctl.commands.options import quiet_option

if TYPE_CHECKING:
    from collections.abc import Mapping


@click.command("show", short_help="Print a note.")
@note_argument
@click.option(
    "--version",
    metavar="HASH",
    show_envvar=True,
    help="The note as it was: a hash (or its beginning) that memory log names.",
)
@click.option(
    "--jsonl",
    is_flag=True,
    show_envvar=True,
    help="A record with the text, the hash and all that is known, instead of the file.",
)
@place_options
@redact_option
@quiet_option
def show(**options: Any) -> None:
    r"""Print a note.

    The file as it is, but for secrets, which are masked. Looking at a note is no use of
    it.

    \b
    Examples:
      mewctl memory show package-manager
      mewctl memory show package-manager --jsonl | jq -r .hash
    """
    _run(options)


def _run(options: Mapping[str, Any]) -> None:
    from mewctl.commands.memory.places import chosen, gathered, store_of
    from mewctl.commands.memory.records import masked, record
    from mewctl.errors import NotFound
    from mewctl.memory.note import read
    from mewctl.streams.jsonvalue import dumps, utf8
    from mewctl.streams.secrets import mask
    from mewctl.streams.stdio import Output

    notes, found = gathered(options)
    note = chosen(notes, options["name"], options)
    wanted = options["version"]
    if wanted and not note.hash.startswith(wanted):
        text = store_of(found, note).version(wanted)
        if text is None:
            raise NotFound(
                what=f"no earlier text has the hash {wanted}",
                remedy=f"mewctl memory log {note.id} names them",
            )
        note = read(text, note.file, note.level)
    with Output() as out:
        if options["jsonl"]:
            value = record(note) | {"body": note.body}
            out.write(dumps(masked(value, no_redact=options["no_redact"])) + b"\n")
        else:
            text = note.text if options["no_redact"] else mask(note.text)
            out.write(utf8(text))
