"""A file that is read from any place, as long as it was when it was opened. Reads only.

Must not know what the bytes mean.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Self

from mewctl import limits
from mewctl.store.failures import storage_error
from mewctl.store.log import refuse_foreign
from mewctl.store.opening import open_private

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType


class Pages:
    """A regular file of one name, ours, opened for reading. ``size`` in bytes.

    Raises ``Unsafe`` for a link, a pipe, a device, a file with a second name or one of
    another user, and ``StorageError``.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._fd = open_private(path, os.O_RDONLY)
        try:
            refuse_foreign(self._fd, path)
            status = os.fstat(self._fd)
        except BaseException:
            os.close(self._fd)
            raise
        self.size = status.st_size
        self.mtime = status.st_mtime

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._fd)

    def read(self, offset: int, size: int) -> bytes:
        """The bytes from ``offset`` on, ``size`` at most, none beyond the end.

        Raises ``StorageError``.
        """
        pieces: list[bytes] = []
        left = min(size, self.size - offset)
        try:
            while left > 0 and (block := os.pread(self._fd, left, offset)):
                pieces.append(block)
                offset += len(block)
                left -= len(block)
        except OSError as error:
            raise storage_error(self.path, error, "cannot read") from None
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def blocks(self, start: int, end: int) -> Iterator[bytes]:
        """The bytes of a range, in blocks of ``limits.READ_BLOCK``."""
        while start < end and (
            block := self.read(start, min(limits.READ_BLOCK, end - start))
        ):
            start += len(block)
            yield block
