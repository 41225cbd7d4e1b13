"""Bodies that were spilled without a session and that nothing points at any more."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from mewctl.session.layout import SESSIONS, TRASH
from mewctl.spill.entries import BODY_NAME
from mewctl.store import trash
from mewctl.store.copying import share_files
from mewctl.store.lock import locked
from mewctl.store.loose import named_in, older_files, set_aside

if TYPE_CHECKING:
    from collections.abc import Mapping

SPILL = "spill"
KIND = "spilled bodies"
_DROPPED = "dropped"


def found(store: str, older_than: float, now: float) -> list[str]:
    """The files of a store's spill directory that are old and named nowhere.

    What a session, a boundary or the trash still names stays. Raises ``StorageError``.
    """
    directory = os.path.join(store, SPILL)
    old = [
        name
        for name in older_files(directory, now - older_than)
        if BODY_NAME.fullmatch(name)
    ]
    if not old:
        return []
    trees = (
        os.path.join(store, SESSIONS),
        os.path.join(store, TRASH),
        os.path.join(directory, _DROPPED),
    )
    named = named_in(trees, SPILL)
    return [name for name in old if name not in named]


def remove(store: str, names: list[str], now: float, *, delete: bool) -> str:
    """Move bodies into the trash as one, or delete them; where they are now.

    Raises ``StorageError``, ``Locked``.
    """
    directory = os.path.join(store, SPILL)
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(now))
    aside = os.path.join(directory, f"spill-{stamp}-{os.urandom(2).hex()}")
    bin_ = os.path.join(store, TRASH)
    with locked(directory):
        set_aside(directory, names, aside)
        if delete:
            trash.destroy(aside, bin_)
            return ""
        note = {"kind": KIND, "title": f"{len(names)} {KIND}"}
        return trash.discard(aside, bin_, note, now)


def bring_back(item: trash.Trashed, store: str) -> str:
    """Put bodies of the trash back where they were; the directory they are in."""
    directory = os.path.join(store, SPILL)
    share_files(item.path, directory)
    trash.destroy(item.path, os.path.join(store, TRASH))
    return directory


def is_bodies(note: Mapping[str, Any]) -> bool:
    """Whether something in the trash is such bodies."""
    return note.get("kind") == KIND
