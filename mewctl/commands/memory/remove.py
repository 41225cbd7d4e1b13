"""``mewctl memory remove`` and ``restore``: notes to the archive, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.memory.options import notes_argument, place_options
from mewctl.commands.options import quiet_option

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from click.shell_completion import CompletionItem

    from mewctl.memory.note import Note
    from mewctl.memory.store import Store
    from mewctl.memory.writes import Archived, Write


@click.command("remove", short_help="Move notes to the archive.")
@notes_argument
@click.option(
    "--why",
    metavar="TEXT",
    default="",
    show_envvar=True,
    help="The reason, for memory log and memory list --archived.",
)
@place_options
@quiet_option
def remove(**options: Any) -> None:
    r"""Move notes to the archive.

    A tombstone stays, so that an update does not learn the same again. Nothing is
    deleted: memory restore brings a note back. Either all of them go or none.

    \b
    Examples:
      mewctl memory remove package-manager
      mewctl memory remove deploy-host --why "we moved"
    """
    from mewctl.commands.memory.acting import change
    from mewctl.commands.memory.places import chosen
    from mewctl.commands.notes import note as say
    from mewctl.memory.writes import Write

    def decide(notes: list[Note], _: str) -> Sequence[Write]:
        wanted = {
            note.file + note.level: note
            for note in (chosen(notes, name, options) for name in options["names"])
        }
        return [Write("removed", one, None, options["why"]) for one in wanted.values()]

    for write in change(options, "remove", decide):
        if write.old is not None and not options["quiet"]:
            say(f"{write.old.id} is archived; mewctl memory restore has it")


def _complete_archived(
    ctx: click.Context,
    param: click.Parameter,  # noqa: ARG001 - Click's signature
    incomplete: str,
) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    from mewctl.commands.memory.places import stores
    from mewctl.errors import MewError

    try:
        found = stores({"root": None, "level": None, **ctx.params})
        gone = [one.note for store in found for one in store.archived()]
    except MewError:
        return []
    return [
        CompletionItem(one.id, help=one.title)
        for one in gone
        if one.id.startswith(incomplete)
    ]


@click.command("restore", short_help="Bring notes back from the archive.")
@click.argument(
    "names", metavar="NOTE...", nargs=-1, required=True,
    shell_complete=_complete_archived, help="Ids, or slugs, of archived notes.",
)  # fmt: skip
@place_options
@quiet_option
def restore(**options: Any) -> None:
    r"""Bring notes back from the archive.

    They are what they were, byte for byte.

    \b
    Examples:
      mewctl memory list --archived
      mewctl memory restore package-manager
    """
    from mewctl.commands.memory.acting import change
    from mewctl.commands.memory.places import stores
    from mewctl.commands.notes import note as say
    from mewctl.memory.writes import Write

    def decide(notes: list[Note], _: str) -> Sequence[Write]:
        gone = _gone(stores(options), options)
        for one in gone:
            _refuse_taken(one, notes)
        return [Write("restored", None, one, "") for one in gone]

    for write in change(options, "restore", decide):
        if write.new is not None and not options["quiet"]:
            say(f"{write.new.id} is back as {write.new.path}")


def _gone(found: Sequence[Store], options: Mapping[str, Any]) -> list[Note]:
    """The archived notes that are meant; of one that went twice, the newest."""
    from mewctl.errors import NotFound
    from mewctl.memory.finding import NoSuchNote, find

    archived: list[Archived] = [one for store in found for one in store.archived()]
    newest = {(one.note.level, one.note.id): one.note for one in archived}
    wanted: dict[str, Note] = {}
    for name in options["names"]:
        try:
            one = find(list(newest.values()), name, options["level"] or "")
        except NoSuchNote as error:
            raise NotFound(
                what=f"in the archive {error}",
                remedy="mewctl memory list --archived shows what is there",
            ) from None
        wanted[one.level + one.id] = one
    return list(wanted.values())


def _refuse_taken(one: Note, notes: Sequence[Note]) -> None:
    from mewctl.errors import StorageError

    if any(
        note.level == one.level and note.file.casefold() == one.file.casefold()
        for note in notes
    ):
        raise StorageError(
            path=one.path,
            what="another note has that name now",
            remedy="rename or remove that one first",
        )
