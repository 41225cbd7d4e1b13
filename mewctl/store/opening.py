"""Opening and reading files that must be plain ones: no link, pipe or device.

The last part of a path is never followed; nothing here waits or writes.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.errors import StorageError
from mewctl.store.failures import storage_error, unsafe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FILE_MODE = 0o600


def open_private(path: str, flags: int, mode: int = FILE_MODE) -> int:
    """Open a regular file without following a link or waiting for a pipe.

    A new file gets ``mode`` whatever the umask. Raises ``Unsafe`` for anything but a
    regular file, else ``StorageError``.
    """
    flags |= os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        fd = os.open(path, flags, mode)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK):
            raise unsafe(path, "is a symbolic link") from None
        if error.errno in (errno.EISDIR, errno.ENXIO):
            raise unsafe(path, "is not a regular file") from None
        raise storage_error(path, error) from None
    try:
        _check_opened(fd, path, mode if flags & os.O_CREAT else 0)
    except BaseException:
        os.close(fd)
        raise
    return fd


def _check_opened(fd: int, path: str, mode: int) -> None:
    """Refuse what is no regular file; add the bits of ``mode`` that a umask took."""
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise unsafe(path, "is not a regular file")
        if status.st_mode & mode != mode:
            os.fchmod(fd, mode)
    except OSError as error:
        raise storage_error(path, error) from None


def read_blocks(path: str, start: int = 0) -> Iterator[bytes]:
    """The bytes of a regular file from ``start`` on, in blocks of ``READ_BLOCK``.

    Raises ``Unsafe`` or ``StorageError``.
    """
    fd = open_private(path, os.O_RDONLY)
    try:
        if start:
            os.lseek(fd, start, os.SEEK_SET)
        while block := os.read(fd, limits.READ_BLOCK):
            yield block
    except OSError as error:
        raise storage_error(path, error, "cannot read") from None
    finally:
        os.close(fd)


def read_file(path: str, most: int) -> bytes:
    """The bytes of a regular file of at most ``most`` bytes.

    Raises ``Unsafe`` or ``StorageError`` (also for a larger file).
    """
    pieces: list[bytes] = []
    left = most
    for block in read_blocks(path):
        left -= len(block)
        if left < 0:
            raise StorageError(
                path=path, what=f"larger than {most} bytes", remedy="check the file"
            )
        pieces.append(block)
    return b"".join(pieces)


def read_at(path: str, offset: int, size: int) -> bytes:
    """Up to ``size`` bytes of a regular file from ``offset`` on.

    Raises ``Unsafe`` or ``StorageError``.
    """
    fd = open_private(path, os.O_RDONLY)
    try:
        return os.pread(fd, size, offset)
    except OSError as error:
        raise storage_error(path, error, "cannot read") from None
    finally:
        os.close(fd)


def line_counter(source: str | int, base: int = 0) -> Callable[[int, int], int] | None:
    """What counts the line ends in a part of a regular file.

    The part is given by its start and end in bytes, as if the file began at ``base``.

    ``source`` is a path or a descriptor, which is not moved. None for anything else.
    """
    try:
        if not stat.S_ISREG(os.stat(source).st_mode):
            return None
    except OSError:
        return None

    def count(start: int, end: int) -> int:
        fd = source if isinstance(source, int) else os.open(source, os.O_RDONLY)
        lines, at = 0, base + start
        while at < base + end:
            block = os.pread(fd, min(limits.READ_BLOCK, base + end - at), at)
            if not block:
                break
            lines += block.count(b"\n")
            at += len(block)
        if isinstance(source, str):
            os.close(fd)
        return lines

    return count


def position(fd: int) -> int:
    """The offset at which a descriptor reads on; 0 where it has none."""
    try:
        return os.lseek(fd, 0, os.SEEK_CUR)
    except OSError:
        return 0


def names_in(directory: str) -> list[str]:
    """The names in a directory, in no order. Raises ``StorageError``."""
    try:
        return os.listdir(directory)
    except OSError as error:
        raise storage_error(directory, error, "cannot list") from None
