"""The lock of a directory: one writer at a time, gone with the process that held it.

``flock`` on a lock file in the directory, never a pid file. Must not be held while a
model is asked.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.errors import Locked
from mewctl.store.failures import storage_error
from mewctl.store.opening import FILE_MODE, open_private

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = ".lock"
_LOOK = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_BUSY = (errno.EAGAIN, errno.EACCES)


@contextmanager
def locked(directory: str, timeout: float = limits.LOCK_TIMEOUT) -> Iterator[None]:
    """Hold the exclusive lock of ``directory``; ``timeout`` in seconds, 0: try once.

    Raises ``Locked`` when others hold it for that long, ``StorageError`` when the file
    system has no locks or the lock file cannot be made.
    """
    path = os.path.join(directory, NAME)
    fd = _acquire(path, time.monotonic() + timeout, timeout)
    try:
        yield
    finally:
        os.close(fd)  # gives the lock back


class Lock:
    """The lock of a directory, to be held again and again by one process.

    Cheaper than ``locked`` for each time: the lock file stays open between. Whoever
    holds it must not expect the directory to be where it was the last time.
    """

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._path = os.path.join(directory, NAME)
        self._fd = -1

    @contextmanager
    def held(self, timeout: float = limits.LOCK_TIMEOUT) -> Iterator[None]:
        """Hold it. Raises what ``locked`` raises."""
        if self._fd < 0 or not self._again():
            self.close()
            self._fd = _acquire(self._path, time.monotonic() + timeout, timeout)
        try:
            yield
        finally:
            if self._fd >= 0:
                fcntl.flock(self._fd, fcntl.LOCK_UN)

    def _again(self) -> bool:
        """Whether the file that is open could be locked at once, and is still it."""
        return _try(self._fd, self._path) and _still_there(self._fd, self._path)

    def close(self) -> None:
        """Close the lock file."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def is_locked(directory: str) -> bool:
    """Whether another process holds the lock of ``directory`` now. Makes nothing."""
    try:
        fd = os.open(os.path.join(directory, NAME), _LOOK)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno in _BUSY
    finally:
        os.close(fd)
    return False


def _acquire(path: str, deadline: float, timeout: float) -> int:
    """A descriptor that holds the lock of the file that is at ``path`` now."""
    pause = limits.LOCK_PAUSE
    while True:
        fd = open_private(path, os.O_RDWR | os.O_CREAT, FILE_MODE)
        try:
            if _try(fd, path) and _still_there(fd, path):
                return fd
        except BaseException:
            os.close(fd)
            raise
        os.close(fd)
        if time.monotonic() >= deadline:
            raise Locked(
                path=path,
                what=f"another process has held the lock for {timeout:g} s",
                remedy="try again later",
            )
        time.sleep(pause)
        pause = min(pause * 2, limits.LOCK_PAUSE_MAX)


def _try(fd: int, path: str) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _BUSY:
            return False
        raise storage_error(path, error, "cannot lock") from None
    return True


def _still_there(fd: int, path: str) -> bool:
    """Whether the locked file was not moved away while we waited for it."""
    try:
        there = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise storage_error(path, error, "cannot lock") from None
    mine = os.fstat(fd)
    return (mine.st_dev, mine.st_ino) == (there.st_dev, there.st_ino)
