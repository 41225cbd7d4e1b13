"""Where notes are, and which one a command line means."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from mewctl.commands.notes import note as say
from mewctl.commands.places import root_from
from mewctl.errors import NotFound
from mewctl.memory.finding import NoSuchNote, find
from mewctl.memory.store import DIRECTORY, Store
from mewctl.store.root import (
    STORE,
    home_directory,
    home_if_known,
    refuse_foreign,
    user_level,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewctl.memory.note import Level, Note


def stores(options: Mapping[str, Any]) -> list[Store]:
    """The stores that ``--level`` and ``--root`` name: the project's, then the user's.

    At the user level itself there is no project. Raises what ``find_root`` raises.
    """
    wanted = options["level"]
    found: list[Store] = []
    if wanted != "user":
        root = root_from(options)
        level: Level = "user" if user_level(root, os.environ) else "project"
        if level == "user" and wanted == "project":
            raise NotFound(
                what="there is no project here, only the user level",
                remedy="name a project with --root, or use --level user",
            )
        found.append(_store(root, level))
    if wanted == "user" or (wanted is None and found[0].level == "project"):
        if wanted is None and not home_if_known(os.environ):
            return found
        home = home_directory(os.environ)
        refuse_foreign(os.path.join(home, STORE))
        found.append(_store(home, "user"))
    return found


def _store(root: str, level: Level) -> Store:
    return Store(os.path.join(root, STORE, DIRECTORY), level)


def gathered(options: Mapping[str, Any]) -> tuple[list[Note], list[Store]]:
    """The notes of the stores, and the stores; says which files are none."""
    found = stores(options)
    notes: list[Note] = []
    for store in found:
        some, unread = store.notes()
        notes += some
        if not options.get("quiet"):
            for one in unread:
                say(f"{os.path.join(store.directory, one.file)}: {one.why}; left out")
    return notes, found


def chosen(notes: list[Note], name: str, options: Mapping[str, Any]) -> Note:
    """The note that ``name`` means. Raises ``NotFound``."""
    try:
        return find(notes, name, options["level"] or "")
    except NoSuchNote as error:
        raise NotFound(
            what=str(error), remedy="mewctl memory list shows the notes"
        ) from None


def store_of(found: list[Store], note: Note) -> Store:
    """The store that a note is in."""
    return next(store for store in found if store.level == note.level)
