"""``mewctl config show``: every setting, and where it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.options import (
    color_option,
    format_option,
    output_option,
    root_option,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mewctl.origins import Commands, Row


@click.command("show", short_help="Print every setting with its origin.")
@click.argument(
    "command",
    nargs=-1,
    metavar="[COMMAND]...",
    help="The commands whose settings to print; all if none is named.",
)
@format_option
@color_option
@root_option
@output_option
def show(**options: Any) -> None:
    r"""Print every setting with its origin.

    Origins are flag, environment, project, user and default, the first that speaks
    wins. COMMAND names one command, such as spill. All of both files is checked: an
    unknown key or a wrong value is exit 6. What a project's file may not set, because
    it decides what runs or where data goes, is shown as ignored.

    \b
    Examples:
      mewctl config show
      mewctl config show spill
      mewctl config show | jq -c 'select(.origin != "default")'
    """
    from mewctl.commands.every import every_command, layers_from
    from mewctl.commands.screen import as_table, table
    from mewctl.origins import rows
    from mewctl.streams.jsonvalue import dumps
    from mewctl.streams.stdio import Output

    commands = every_command()
    layers = layers_from(options, commands)
    found = rows(commands, layers)
    if options["command"]:
        found = list(_about(found, options["command"], commands))
    if as_table(options):
        columns = ("setting", "value", "origin", "from")
        data = table(options, columns, map(_cells, found))
    else:
        data = b"".join(dumps(row.to_json()) + b"\n" for row in found)
    with Output(options["output"]) as out:
        out.write(data)


def _about(
    rows: list[Row], words: tuple[str, ...], commands: Commands
) -> Iterator[Row]:
    """The rows of the commands that begin with ``words``, and what they share."""
    from mewctl.settings import options_of

    chosen = {p: c for p, c in commands.items() if p[: len(words)] == words}
    if not chosen:
        known = [" ".join(path) for path in commands]
        raise click.NoSuchCommand(" ".join(words), possibilities=known)
    shared = {key for command in chosen.values() for key in options_of(command)}
    prefixes = tuple(".".join(path) + "." for path in chosen)
    for row in rows:
        if row.key in shared or row.key.startswith(prefixes):
            yield row


def _cells(row: Row) -> tuple[str, ...]:
    text = "" if row.value is None else str(row.value)
    if isinstance(row.value, bool):
        text = text.lower()
    origin = f"{row.origin}, ignored" if row.ignored else row.origin
    return row.key, text, origin, row.place
