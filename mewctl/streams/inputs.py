"""Named inputs: files and standard input, opened late and read as bytes."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.errors import BadInput, NotFound, StorageError
from mewctl.streams.progress import metered
from mewctl.streams.stdio import stdin_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import BinaryIO

    from mewctl.streams.records import Read

STDIN = "-"


def names(paths: Sequence[str]) -> tuple[str, ...]:
    """The inputs to read in order: standard input where none is named."""
    return tuple(paths) or (STDIN,)


def label(path: str) -> str:
    """How an input is called in messages."""
    return "stdin" if path == STDIN else path


@contextmanager
def opened(path: str) -> Iterator[Read]:
    """A read function for ``path``: up to N bytes, as they come; ``b""`` at the end.

    Raises ``NotFound`` (no such file) or ``StorageError``.
    """
    if path == STDIN:
        stdin = stdin_bytes()
        yield _reading(stdin.read1, "stdin", stdin)  # type: ignore[attr-defined]
        return
    try:
        stream = open(path, "rb", buffering=0)  # noqa: SIM115 - closed below
    except OSError as error:
        raise _cannot_read(path, error) from None
    with stream:
        yield _reading(stream.read, path, stream)


def may_wait(path: str) -> Callable[[], bool]:
    """What tells whether the next read of ``path`` may have to wait for its data."""
    if path != STDIN:
        waits = not os.path.isfile(path)
        return lambda: waits

    def nothing_there() -> bool:
        import select

        try:
            return not select.select([0], [], [], 0)[0]
        except (OSError, ValueError):
            return True

    return nothing_there


def read_whole(path: str, most: int = limits.MAX_RECORD) -> bytes:
    """All bytes of a file or of standard input, at most ``most`` of them.

    Raises ``NotFound``, ``StorageError`` or ``BadInput``.
    """
    blocks: list[bytes] = []
    with opened(path) as read:
        while block := read(limits.READ_BLOCK):
            blocks.append(block)
            most -= len(block)
            if most < 0:
                raise BadInput(
                    place=label(path), what="too long", remedy="give a smaller file"
                )
    return b"".join(blocks)


def _reading(read: Read, name: str, stream: BinaryIO) -> Read:
    def guarded(size: int) -> bytes:
        try:
            return read(size) or b""
        except OSError as error:
            raise _cannot_read(name, error) from None

    return metered(guarded, name, _size(stream))


def _size(stream: BinaryIO) -> int | None:
    """Its length in bytes, where it has one."""
    try:
        found = os.fstat(stream.fileno())
    except (OSError, ValueError):  # a stream in memory has no descriptor
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None


def _cannot_read(path: str, error: OSError) -> NotFound | StorageError:
    what = error.strerror or str(error)
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return NotFound(what=f"{path}: {what}", remedy="check the path")
    return StorageError(path=path, what=what, remedy="check the file and its mode")
