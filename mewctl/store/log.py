"""Appending to a log of lines: every batch whole or not at all, and on the disk.

Owns the seal of a torn tail and the way back after a failed write. The caller holds
the lock; must not know what the lines mean.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Self

from mewctl.errors import StorageError
from mewctl.store.failures import storage_error, unsafe
from mewctl.store.files import sync_dir, write_all
from mewctl.store.opening import FILE_MODE, open_private

if TYPE_CHECKING:
    from types import TracebackType


class Log:
    """An append-only file of lines, made with mode 0600 if it is not there.

    Raises ``Unsafe`` for a link, a pipe, a device, a file with a second name or one of
    another user, and ``StorageError``.
    """

    def __init__(self, path: str, *, create: bool = True) -> None:
        self.path = path
        fresh = create and not os.path.lexists(path)
        flags = os.O_RDWR | os.O_APPEND | (os.O_CREAT if create else 0)
        self._fd = open_private(path, flags, FILE_MODE)
        try:
            refuse_foreign(self._fd, path)
            if fresh:
                _sync_name(path)
        except BaseException:
            os.close(self._fd)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def size(self) -> int:
        """Its length in bytes, now."""
        return os.fstat(self._fd).st_size

    def moved(self) -> bool:
        """Whether another file, or none, has its path now: open it anew."""
        try:
            there = os.stat(self.path, follow_symlinks=False)
        except OSError:
            return True
        mine = os.fstat(self._fd)
        return (mine.st_dev, mine.st_ino) != (there.st_dev, there.st_ino)

    def append(self, data: bytes, *, sync: bool = True) -> int:
        r"""Write ``data`` (whole lines) at the end; the offset where it begins.

        A last line without ``\n`` (a torn write of a process that died) is ended first.
        Raises ``StorageError``; then the file is as it was, and with ``sync`` nothing
        may be acknowledged: a failed sync is not tried again, because a second one
        would succeed without writing anything.
        """
        size = self.size
        start = size + self._is_torn(size)
        try:
            write_all(self._fd, b"\n" * (start - size) + data)
            if sync:
                os.fsync(self._fd)
        except OSError as error:
            raise self._undo(size, storage_error(self.path, error, _TRIED)) from None
        except BaseException:
            self._undo(size, storage_error(self.path, OSError(0, _TRIED)))
            raise
        return start

    def read(self, start: int) -> bytes:
        """Its bytes from offset ``start`` on. Raises ``StorageError``."""
        try:
            return os.pread(self._fd, self.size - start, start)
        except OSError as error:
            raise storage_error(self.path, error, "cannot read") from None

    def cut(self, size: int) -> None:
        """Take everything from offset ``size`` on away, on the disk when this returns.

        Raises ``StorageError``.
        """
        try:
            os.ftruncate(self._fd, size)
            os.fsync(self._fd)
        except OSError as error:
            raise storage_error(self.path, error, "cannot cut it back") from None

    def _is_torn(self, size: int) -> bool:
        if size == 0:
            return False
        try:
            return os.pread(self._fd, 1, size - 1) != b"\n"
        except OSError as error:
            raise storage_error(self.path, error, "cannot read") from None

    def _undo(self, size: int, error: StorageError) -> StorageError:
        """Cut the file back to ``size``; the error to raise."""
        try:
            os.ftruncate(self._fd, size)
        except OSError:
            what = f"{error.fields['what']}; a part of it was left at the end"
            return StorageError(**{**error.fields, "what": what})
        return error

    def close(self) -> None:
        """Close the file."""
        os.close(self._fd)


_TRIED = "nothing was appended"


def _sync_name(path: str) -> None:
    try:
        sync_dir(os.path.dirname(os.path.abspath(path)))
    except OSError as error:
        raise storage_error(path, error, "cannot sync the directory") from None


def refuse_foreign(fd: int, path: str) -> None:
    """Raise ``Unsafe`` for an open file with a second name or of another user."""
    status = os.fstat(fd)
    if status.st_nlink != 1:
        raise unsafe(path, "has a second name (a hard link), or none")
    if status.st_uid != os.geteuid():
        raise unsafe(path, "belongs to another user")
