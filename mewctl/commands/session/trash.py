"""``mewctl session trash list``, ``restore`` and ``empty``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.options import quiet_option
from mewctl.commands.session.options import Age, format_option, place_options

if TYPE_CHECKING:
    from collections.abc import Mapping


@click.command("list", short_help="List what is in the trash.")
@format_option
@place_options
def list_(**options: Any) -> None:
    r"""List what is in the trash.

    The oldest first, each with when and why it went.

    \b
    Example:
      mewctl session trash list
    """
    _list(options)


@click.command("restore", short_help="Bring sessions back from the trash.")
@click.argument(
    "names",
    nargs=-1,
    required=True,
    metavar="ID...",
    help="Sessions in the trash, by their id or its beginning.",
)
@place_options
@quiet_option
def restore(**options: Any) -> None:
    r"""Bring sessions back from the trash.

    ID may be the beginning of one. Nothing is written over.

    \b
    Example:
      mewctl session trash restore 20261101-093000-1a2b
    """
    _restore(options)


@click.command("empty", short_help="Delete for good what is in the trash.")
@click.option(
    "--older-than",
    metavar="AGE",
    type=Age(),
    show_envvar=True,
    help="Only what has been there for longer, such as 7d.",
)
@place_options
@quiet_option
def empty(**options: Any) -> int:
    r"""Delete for good what is in the trash.

    \b
    Examples:
      mewctl session trash empty --older-than 7d
      mewctl session trash empty
    """
    return _empty(options)


def _list(options: Mapping[str, Any]) -> None:
    from mewctl.commands.session.table import show, when
    from mewctl.store.trash import trashed

    items = trashed(_trash(options))
    rows = [
        {**item.note, "type": "trashed", "id": item.name, "trashed": item.time}
        | {"path": item.path}
        for item in items
    ]
    cells = [
        (
            item.name,
            str(item.note.get("title", "")),
            when(item.time),
            "; ".join(map(str, item.note.get("reasons", ()))),
        )
        for item in items
    ]
    show(options["format_"], rows, ("id", "title", "trashed", "why"), cells)


def _trash(options: Mapping[str, Any]) -> str:
    import os

    from mewctl.commands.session.finding import store_of
    from mewctl.session.layout import TRASH

    return os.path.join(store_of(options), TRASH)


def _restore(options: Mapping[str, Any]) -> None:
    from mewctl.commands.notes import note
    from mewctl.commands.session import loose_bodies
    from mewctl.commands.session.finding import store_of
    from mewctl.errors import NotFound
    from mewctl.session.ids import choose
    from mewctl.session.layout import sessions_in
    from mewctl.store.trash import restore as bring_back
    from mewctl.store.trash import trashed

    store = store_of(options)
    items = {item.path.rpartition("/")[2]: item for item in trashed(_trash(options))}
    chosen = {}
    for name in options["names"]:
        found = choose(name, list(items))
        if found is None:
            raise NotFound(
                what=f"nothing in the trash is called {name}",
                remedy="see mewctl session trash list",
            )
        chosen[found] = items[found]
    for item in chosen.values():
        bodies = loose_bodies.is_bodies(item.note)
        path = (
            loose_bodies.bring_back(item, store)
            if bodies
            else bring_back(item, sessions_in(store))
        )
        if not options["quiet"]:
            note(f"{item.name} is back in {path}")


def _empty(options: Mapping[str, Any]) -> int:
    import time

    from mewctl.commands.notes import note
    from mewctl.commands.session.cleaning import refuse
    from mewctl.commands.session.finding import store_of
    from mewctl.errors import Exit, MewError
    from mewctl.store.trash import destroy, finish, trashed

    refuse(store_of(options), options)
    directory = _trash(options)
    least = options["older_than"]
    code, count = Exit.DONE, 0
    for item in trashed(directory):
        if least is not None and time.time() - item.time <= least:
            continue
        try:
            destroy(item.path, directory)
            count += 1
        except MewError as error:
            note(str(error))
            code = Exit.STORAGE
    finish(directory)
    if not options["quiet"]:
        note(f"{count} deleted for good")
    return code
