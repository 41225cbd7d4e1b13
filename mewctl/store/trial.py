"""Whether a directory can hold a store: locks, synced writes, renames, tried for real.

Leaves nothing behind.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from mewctl.errors import Locked, MewError
from mewctl.store.failures import storage_error
from mewctl.store.files import create_exclusive, private_dir, replace
from mewctl.store.lock import NAME, locked
from mewctl.store.log import Log
from mewctl.store.opening import read_file

if TYPE_CHECKING:
    from collections.abc import Callable

_FILE, _LOG = "file", "log"
_SOME = b"mewctl was here\n"


def try_directory(directory: str) -> dict[str, MewError | None]:
    """What a store needs, each tried in ``directory``: its failure, or None.

    Where not even a directory can be made, that is the only entry.
    """
    place = os.path.join(directory, f".mewctl-{os.getpid()}-trial.tmp")
    try:
        made = _failure(private_dir, place)
        if made is not None:
            return {"write": made}
        return {name: _failure(act, place) for name, act in _TRIALS.items()}
    finally:
        for name in (_FILE, _LOG, NAME):
            with suppress(OSError):
                os.unlink(os.path.join(place, name))
        with suppress(OSError):
            os.rmdir(place)


def _failure(act: Callable[[str], None], place: str) -> MewError | None:
    try:
        act(place)
    except MewError as error:
        return error
    except OSError as error:
        return storage_error(place, error)
    return None


def _write(place: str) -> None:
    create_exclusive(os.path.join(place, _FILE), _SOME)


def _replace(place: str) -> None:
    path = os.path.join(place, _FILE)
    replace(path, _SOME * 2)
    if read_file(path, len(_SOME) * 2) != _SOME * 2:
        raise storage_error(path, OSError(0, "other bytes come back"))


def _append(place: str) -> None:
    with Log(os.path.join(place, _LOG)) as log:
        log.append(_SOME)


def _lock(place: str) -> None:
    with locked(place, 0):
        try:
            with locked(place, 0):
                pass
        except Locked:
            return
    raise storage_error(place, OSError(0, "a lock does not keep a second one out"))


_TRIALS: dict[str, Callable[[str], None]] = {
    "write": _write,
    "rename": _replace,
    "append": _append,
    "lock": _lock,
}
