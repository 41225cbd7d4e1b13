"""No output is one of the inputs, and no file is two outputs. Looks, never opens.

A file is told by its device and inode, so that links and spellings hide nothing.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, TypeAlias

from mewctl.errors import Unsafe, Usage

if TYPE_CHECKING:
    from collections.abc import Iterable

STDIN, STDOUT = 0, 1
_LINKS = 40  # links followed to a descriptor, as the kernel does (ELOOP)
_Identity: TypeAlias = "tuple[object, ...]"


def descriptor(path: str) -> int | None:
    """The descriptor that ``path`` names, such as ``/dev/stdout``; None for others."""
    for _ in range(_LINKS):
        folder, name = os.path.split(path)
        if name.isdigit() and os.path.realpath(folder) == f"/proc/{os.getpid()}/fd":
            return int(name)
        try:
            path = os.path.join(folder, os.readlink(path))
        except (OSError, ValueError):
            return None
    return None


def keep_apart(inputs: Iterable[str], outputs: Iterable[str]) -> None:
    """Refuse outputs that are an input, or one file. ``-`` is a standard stream.

    Standard input is always an input. A standard output that a shell's ``> FILE`` has
    emptied is let pass: there is nothing left to read. Raises ``Unsafe`` and ``Usage``.
    """
    read = {_file(STDIN)} | {_file(STDIN if path == "-" else path) for path in inputs}
    seen: set[_Identity] = set()
    for path in outputs:
        identity = _identity(path)
        if identity is None:
            continue
        if identity in read and not (path == "-" and _is_empty(STDOUT)):
            raise Unsafe(
                path="standard output" if path == "-" else path,
                what="the output is also an input",
                remedy="name another file",
            )
        if identity in seen:
            raise Usage(
                what=f"{path} is the output twice", remedy="give each a file of its own"
            )
        seen.add(identity)


def _identity(path: str) -> _Identity | None:
    """What tells an output from others; None for a device or pipe, which may be two."""
    number = STDOUT if path == "-" else descriptor(path)
    found = _file(path if number is None else number)
    if found is not None:
        return found
    if number is not None:
        return ("descriptor", number)
    return None if os.path.exists(path) else ("name", os.path.realpath(path))


def _is_empty(fd: int) -> bool:
    return os.fstat(fd).st_size == 0


def _file(name: str | int) -> _Identity | None:
    """Device and inode of a regular file; None for all else."""
    try:
        found = os.stat(name)
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None
