"""The trash of a store: directories moved away as a whole, and brought back.

What is in it says by itself where it came from and when it went. Owns names, the order
of steps and the way across devices; must not know what a directory means. The caller
holds the directory's lock.
"""

from __future__ import annotations

import errno
import os
import re
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mewctl.errors import MewError
from mewctl.store.copying import move_across, remove_tree
from mewctl.store.failures import storage_error, unsafe
from mewctl.store.files import AlreadyThere, private_dir, replace, sync_dir
from mewctl.store.opening import names_in, read_file
from mewctl.streams.jsonvalue import BadJSON, dumps, loads

if TYPE_CHECKING:
    from collections.abc import Mapping

NOTE = ".trash.json"  # in each directory of the trash: what it was, and when it went
DOOMED = ".deleting-"  # how the name of a directory begins that is being destroyed
_TAKEN = (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR)
_MOST = 1024 * 1024  # bytes of a note


@dataclass(frozen=True, slots=True)
class Trashed:
    """A directory in the trash: its path, what it was called, and when it went.

    ``time`` in Unix seconds; ``note`` is what was said about it when it went.
    """

    path: str
    name: str
    time: float
    note: Mapping[str, Any] = field(default_factory=dict)


def discard(directory: str, trash: str, note: Mapping[str, Any], now: float) -> str:
    """Move ``directory`` into ``trash``; where it is now.

    Raises ``StorageError`` and ``Unsafe``; then it is where it was.
    """
    if os.path.islink(directory):
        raise unsafe(directory, "is a symbolic link")
    private_dir(trash)
    name = os.path.basename(directory)
    known = {**note, "name": name, "from": directory, "trashed": now}
    replace(os.path.join(directory, NOTE), dumps(known) + b"\n")
    try:
        return _move(directory, trash, name)
    except MewError:
        with suppress(OSError):
            os.unlink(os.path.join(directory, NOTE))
        raise


def _move(directory: str, parent: str, name: str) -> str:
    """Move a directory under ``parent``, by ``name`` or the next that is free."""
    number = 1
    while True:
        target = os.path.join(parent, name if number == 1 else f"{name}.{number}")
        number += 1
        if os.path.lexists(target):
            continue
        try:
            _rename(directory, target)
        except AlreadyThere:
            continue
        return target


def _rename(source: str, target: str) -> None:
    """Give a directory another name, on another device if need be."""
    try:
        os.rename(source, target)
        sync_dir(os.path.dirname(target))
        sync_dir(os.path.dirname(source))
    except OSError as error:
        if error.errno in _TAKEN:
            raise AlreadyThere(
                path=target, what="already there", remedy="move it away first"
            ) from None
        if error.errno != errno.EXDEV:
            raise storage_error(source, error, "cannot move it") from None
        move_across(source, target)


def trashed(trash: str) -> list[Trashed]:
    """What is in the trash, the oldest first. Raises ``StorageError``."""
    if not os.path.isdir(trash):
        return []
    found = [
        _read(os.path.join(trash, name))
        for name in names_in(trash)
        if not name.startswith(".") and os.path.isdir(os.path.join(trash, name))
    ]
    return sorted(found, key=lambda item: (item.time, item.path))


def _read(path: str) -> Trashed:
    try:
        value = loads(read_file(os.path.join(path, NOTE), _MOST))
    except (MewError, BadJSON):
        value = {}
    note = value if isinstance(value, dict) else {}
    own, name, time = os.path.basename(path), note.get("name"), note.get("trashed")
    if not isinstance(name, str) or not _is_named_after(own, name):
        name = own
    if not isinstance(time, (int, float)) or isinstance(time, bool):
        try:
            time = os.stat(path, follow_symlinks=False).st_mtime
        except OSError as error:
            raise storage_error(path, error) from None
    return Trashed(path, name, float(time), note)


def _is_named_after(own: str, name: str) -> bool:
    """Whether a directory has the name that ``_move`` makes of ``name``."""
    pattern = re.escape(name) + r"(\.[0-9]+)?"
    return bool(name) and re.fullmatch(pattern, own) is not None


def restore(item: Trashed, parent: str) -> str:
    """Bring a directory back under ``parent``, by its old name; where it is now.

    Raises ``AlreadyThere`` where that name is taken, ``StorageError``.
    """
    target = free(item, parent)
    private_dir(parent)
    _rename(item.path, target)
    with suppress(FileNotFoundError):
        os.unlink(os.path.join(target, NOTE))
    return target


def free(item: Trashed, parent: str) -> str:
    """Where a directory would be brought back to.

    Raises ``AlreadyThere`` where that name is taken.
    """
    target = os.path.join(parent, item.name)
    if os.path.lexists(target):
        raise AlreadyThere(
            path=target, what="already there", remedy="move it away first"
        )
    return target


def destroy(path: str, trash: str) -> None:
    """Delete a directory for good. One cut short is finished by ``finish``.

    Raises ``StorageError`` naming what could not be deleted.
    """
    private_dir(trash)
    doomed = _move(path, trash, DOOMED + os.path.basename(path))
    remove_tree(doomed)


def finish(trash: str) -> None:
    """Delete what an earlier ``destroy`` began to. Raises ``StorageError``."""
    if os.path.isdir(trash):
        for name in names_in(trash):
            if name.startswith(DOOMED):
                remove_tree(os.path.join(trash, name))
