"""What lies in a directory of units: the main file of each, by size and time.

A unit is a directory whose contents belong together, such as a session. Reads only.
"""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from mewctl.store.failures import storage_error


class Unit(NamedTuple):
    """A directory and its main file. ``mtime`` in Unix seconds, ``size`` in bytes.

    ``problem`` says why the file cannot be one of ours, "" where it may be; its time is
    then the directory's.
    """

    name: str
    mtime: float
    size: int = 0
    problem: str = ""


def units(directory: str, file: str) -> list[Unit]:
    """The units in ``directory``, in no order; none where it is not there.

    Names that begin with a dot and plain files are no units. Raises ``StorageError``.
    """
    try:
        fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise storage_error(directory, error, "cannot list") from None
    try:
        found = [
            unit
            for name in os.listdir(fd)
            if not name.startswith(".") and (unit := _unit(fd, name, file)) is not None
        ]
    except OSError as error:
        raise storage_error(directory, error, "cannot list") from None
    finally:
        os.close(fd)
    return found


def _unit(fd: int, name: str, file: str) -> Unit | None:
    try:
        status = os.stat(f"{name}/{file}", dir_fd=fd, follow_symlinks=False)
    except NotADirectoryError:
        return None
    except OSError as error:
        return _without_file(fd, name, file, error)
    if not stat.S_ISREG(status.st_mode):
        kind = "a symbolic link" if stat.S_ISLNK(status.st_mode) else "no regular file"
        return Unit(name, status.st_mtime, 0, f"{file} is {kind}")
    return Unit(name, status.st_mtime, status.st_size)


def _without_file(fd: int, name: str, file: str, error: OSError) -> Unit | None:
    try:
        status = os.stat(name, dir_fd=fd, follow_symlinks=False)
    except OSError:
        return None  # gone meanwhile
    if stat.S_ISLNK(status.st_mode):
        return Unit(name, status.st_mtime, 0, "a symbolic link")
    return Unit(name, status.st_mtime, 0, f"{file}: {error.strerror}")
