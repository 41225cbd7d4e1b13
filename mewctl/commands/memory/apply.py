"""``mewctl memory apply``: proposed changes into the notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.memory.options import new_level_option
from mewctl.commands.options import (
    InputFile,
    files_argument,
    quiet_option,
    root_option,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewctl.memory.evidence import Said


@click.command("apply", short_help="Apply proposed changes to the notes.")
@files_argument
@click.option(
    "--messages",
    metavar="FILE",
    type=InputFile(),
    show_envvar=True,
    help="The history in which the evidence of every action must stand.",
)
@click.option(
    "-n",
    "--dry-run",
    is_flag=True,
    show_envvar=True,
    help="Only say what would become of each action.",
)
@new_level_option
@root_option
@quiet_option
def apply(**options: Any) -> int:
    r"""Apply proposed changes to the notes.

    Reads actions, one JSON object a line, and prints a result for each: applied, merged
    into a note that says the same, rejected with the reason, or conflict where the note
    was changed since (if_match). All happens under one lock. Exit code 1 if any action
    was rejected, 11 for a conflict; the others stand.

    \b
    Examples:
      mewctl memory propose transcript.jsonl | mewctl memory apply
      mewctl memory apply --dry-run actions.jsonl
    """
    return _run(options)


def _run(options: Mapping[str, Any]) -> int:
    from mewctl import limits
    from mewctl.commands.memory.applying import apply_all
    from mewctl.errors import BadInput
    from mewctl.streams.inputs import label, names, opened
    from mewctl.streams.jsonvalue import BadJSON
    from mewctl.streams.records import bad_record, read_records

    values: list[Any] = []
    for path in names(options["files"]):
        with opened(path) as read:
            for record in read_records(read, label(path), limits.ACTION_BYTES):
                try:
                    values.append(record.value())
                except BadJSON as error:
                    found = bad_record(label(path), record, str(error))
                    raise BadInput(
                        **{**found.fields, "remedy": "give actions, one object a line"}
                    ) from None
    return apply_all(options, values, _said(options["messages"]), "apply")


def _said(path: str | None) -> Said | None:
    """The texts of a history; None where none is given."""
    if path is None:
        return None
    from mewctl.commands.memory.hearing import messages_of
    from mewctl.memory.evidence import said

    return said(messages_of([path]))
