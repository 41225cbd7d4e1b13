"""``mewctl memory approve`` and ``pin``: what a user says about a note."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.memory.options import notes_argument, place_options
from mewctl.commands.options import quiet_option

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mewctl.memory.frontmatter import Value
    from mewctl.memory.note import Note
    from mewctl.memory.writes import Event, Write


@click.command("approve", short_help="Let notes that rest on tool output be used.")
@notes_argument
@place_options
@quiet_option
def approve(**options: Any) -> None:
    r"""Let notes that rest on tool output be used.

    Such a note stays out of the index until somebody has read it: a web page or a file
    could have said anything. See memory list --quarantined.

    \b
    Example:
      mewctl memory approve deploy-host
    """
    _mark(
        options,
        "approve",
        "approved",
        {"approved": True},
        lambda note: not note.quarantined,
    )


@click.command("pin", short_help="Keep notes in the index and from gc.")
@notes_argument
@click.option("--off", is_flag=True, show_envvar=True, help="Take the pin off.")
@place_options
@quiet_option
def pin(**options: Any) -> None:
    r"""Keep notes in the index and from gc.

    A pinned note is the last to fall off a short index, is never archived for its age,
    and no proposal removes it.

    \b
    Examples:
      mewctl memory pin package-manager
      mewctl memory pin --off package-manager
    """
    off = options["off"]
    _mark(
        options,
        "pin",
        "unpinned" if off else "pinned",
        {"pinned": None if off else True},
        lambda note: note.pinned is not off,
    )


def _mark(
    options: Mapping[str, Any],
    by: str,
    event: Event,
    values: Mapping[str, Value | None],
    is_so: Callable[[Note], bool],
) -> None:
    """Set a field of all the notes; those that are so already stay as they are."""
    from mewctl.commands.memory.acting import change
    from mewctl.commands.memory.places import chosen
    from mewctl.commands.notes import note as say
    from mewctl.errors import BadInput
    from mewctl.memory.frontmatter import BadFrontmatter
    from mewctl.memory.writes import Write, with_fields

    def decide(notes: list[Note], _: str) -> Sequence[Write]:
        wanted = [chosen(notes, name, options) for name in options["names"]]
        writes = []
        for note in {one.level + one.file: one for one in wanted}.values():
            if is_so(note):
                continue
            try:
                writes.append(Write(event, note, with_fields(note, values)))
            except BadFrontmatter as error:
                raise BadInput(
                    place=note.path, what=str(error), remedy="mend the file's fields"
                ) from None
        return writes

    for write in change(options, by, decide):
        if write.new is not None and not options["quiet"]:
            say(f"{write.new.id} is {event}")
