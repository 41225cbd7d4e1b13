"""Private directories and files: made whole or not at all, never seen by others.

A file appears under its name only when its bytes are on the disk; a signal to stop
waits for that. Owns modes, temporary files and the order of syncs; must not know what
the bytes mean.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING

from mewctl.errors import StorageError
from mewctl.store.failures import storage_error
from mewctl.store.opening import FILE_MODE, open_private
from mewctl.streams.interrupts import whole_file

if TYPE_CHECKING:
    from collections.abc import Sequence

DIR_MODE = 0o700
TEMP = ".tmp-"  # how the name of an unfinished file begins
_UNFINISHED = re.compile(re.escape(TEMP) + "[0-9a-f]{16}")

_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK)


class AlreadyThere(StorageError):
    """{path}: {what}; {remedy}"""


# --- directories ---


def private_dir(path: str) -> None:
    """Make the directory ``path`` and what is missing above it, with mode 0700.

    One that is there stays as it is. Raises ``StorageError``.
    """
    try:
        if os.path.isdir(path):
            return
        above = os.path.dirname(os.path.abspath(path))
        private_dir(above)
        with suppress(FileExistsError):  # another process was first
            os.mkdir(path, DIR_MODE)
            os.chmod(path, DIR_MODE)  # whatever the umask took away
            sync_dir(above)
        if not os.path.isdir(path):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
    except OSError as error:
        raise storage_error(path, error, "cannot make the directory") from None


def new_dir(path: str) -> None:
    """Make the directory ``path``, which must be new, with mode 0700.

    Raises ``AlreadyThere`` when anything has that name, else ``StorageError``.
    """
    try:
        os.mkdir(path, DIR_MODE)
        os.chmod(path, DIR_MODE)  # whatever the umask took away
        sync_dir(os.path.dirname(os.path.abspath(path)))
    except FileExistsError:
        raise AlreadyThere(
            path=path, what="already there", remedy="choose another name"
        ) from None
    except OSError as error:
        raise storage_error(path, error, "cannot make the directory") from None


def sync_dir(path: str) -> None:
    """Put the names in the directory ``path`` on the disk. Raises ``OSError``."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a file system without synced directories
            raise
    finally:
        os.close(fd)


# --- whole files ---


def create_exclusive(path: str, data: bytes) -> None:
    """A new file with ``data``, on the disk when this returns.

    Raises ``AlreadyThere`` when anything has that name, else ``StorageError``; then
    nothing was made.
    """
    directory, name = os.path.split(os.path.abspath(path))
    (error,) = create_all(directory, [(name, data)])
    if error is not None:
        raise error


def create_all(
    directory: str, files: Sequence[tuple[str, bytes]]
) -> list[StorageError | None]:
    """New files in ``directory``, all on the disk when this returns: one error each.

    None for a file that was made, ``AlreadyThere`` where its name is taken. The
    directory is synced once, and the disk works on all files while the first is waited
    for: one by one would cost a commit each.
    """
    with whole_file:
        return _create_all(directory, files)


def _create_all(
    directory: str, files: Sequence[tuple[str, bytes]]
) -> list[StorageError | None]:
    temps: list[_Temp | StorageError] = []
    outcome: list[StorageError | None] = []
    try:
        for name, data in files:
            temps.append(_start(directory, name, data))
        outcome = [t.finish() if isinstance(t, _Temp) else t for t in temps]
        if None in outcome:
            sync_dir(directory)
    except OSError as error:
        failed = storage_error(directory, error, "cannot sync the directory")
        return [old or failed for old in outcome]
    finally:
        for temp in temps:
            if isinstance(temp, _Temp):
                temp.discard()
    return outcome


def replace(path: str, data: bytes, mode: int = FILE_MODE) -> None:
    """``path`` with ``data`` for its content: the old file or the new one, never half.

    A symbolic or hard link at ``path`` is replaced, not followed. Raises
    ``StorageError``; then the old file is still there.
    """
    with whole_file:
        _replace(path, data, mode)


def _replace(path: str, data: bytes, mode: int) -> None:
    directory, name = os.path.split(os.path.abspath(path))
    temp = _start(directory, name, data)
    if isinstance(temp, StorageError):
        raise temp
    try:
        os.fchmod(temp.fd, mode)
        os.fsync(temp.fd)
        os.replace(temp.path, path)
        sync_dir(directory)
    except OSError as error:
        raise storage_error(path, error, "cannot write") from None
    finally:
        temp.discard()


def set_aside(path: str, data: bytes) -> str:
    """Keep ``data``, what a damaged file at ``path`` holds, beside it; its new path.

    The file itself stays, to be replaced. Raises ``StorageError``.
    """
    aside = f"{path}.bad-{sha256(data).hexdigest()[:8]}"
    with suppress(AlreadyThere):  # the same bytes were set aside before
        create_exclusive(aside, data)
    return aside


def sweep(directory: str, age: float) -> None:
    """Remove unfinished files that were left ``age`` seconds ago or earlier.

    The caller holds the lock of ``directory``, so that nobody is writing them. What
    cannot be removed stays.
    """
    before = time.time() - age
    with suppress(OSError), os.scandir(directory) as found:
        for entry in found:
            if not _UNFINISHED.fullmatch(entry.name):
                continue
            with suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(status.st_mode) and status.st_mtime <= before:
                    os.unlink(entry.path)


class _Temp:
    """An unfinished file: written, not yet synced, under a name of its own."""

    def __init__(self, directory: str, name: str) -> None:
        self.target = os.path.join(directory, name)
        self.path = os.path.join(directory, TEMP + os.urandom(8).hex())
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
        self.fd = open_private(self.path, flags, FILE_MODE)

    def finish(self) -> StorageError | None:
        """Sync it and give it its name; the error if that failed."""
        try:
            os.fsync(self.fd)
            _name(self.path, self.target)
        except FileExistsError:
            return AlreadyThere(
                path=self.target, what="already there", remedy="choose another name"
            )
        except OSError as error:
            return storage_error(self.target, error, "cannot write")
        return None

    def discard(self) -> None:
        """Close it, and remove what is left under its own name."""
        os.close(self.fd)
        with suppress(OSError):
            os.unlink(self.path)


def _start(directory: str, name: str, data: bytes) -> _Temp | StorageError:
    target = os.path.join(directory, name)
    try:
        temp = _Temp(directory, name)
    except StorageError as error:
        return StorageError(**{**error.fields, "path": target})
    try:
        write_all(temp.fd, data)
        with suppress(OSError):  # a hint: begin to write back now
            os.posix_fadvise(temp.fd, 0, 0, os.POSIX_FADV_DONTNEED)
    except OSError as error:
        temp.discard()
        return storage_error(target, error, "cannot write")
    except BaseException:
        temp.discard()
        raise
    return temp


def _name(temp: str, target: str) -> None:
    """Give an unfinished file its name, if that is free."""
    try:
        os.link(temp, target)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
        os.rename(temp, target)  # no hard links here: the caller's lock has to do


def write_all(fd: int, data: bytes) -> None:
    """Write all of ``data``, however short each write is. Raises ``OSError``."""
    view = memoryview(data)
    while view:
        done = os.write(fd, view)
        if done == 0:
            raise OSError(errno.EIO, "nothing was written")
        view = view[done:]
