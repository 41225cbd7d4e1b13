"""Loose files of a directory: which are old and named nowhere, and setting them aside.

Owns the search for names in other files; must not know what the files mean.
"""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

from mewctl.store.failures import storage_error
from mewctl.store.files import new_dir, sync_dir
from mewctl.store.opening import names_in, read_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_NAME_MOST = 200  # bytes of a path's end that two blocks must share


def older_files(directory: str, before: float) -> list[str]:
    """The names of plain files last written before a time, hidden ones aside."""
    if not os.path.isdir(directory):
        return []
    found: list[str] = []
    for name in sorted(names_in(directory)):
        with suppress(OSError):
            status = os.stat(os.path.join(directory, name), follow_symlinks=False)
            old = stat.S_ISREG(status.st_mode) and status.st_mtime < before
            if old and not name.startswith("."):
                found.append(name)
    return found


def named_in(trees: Sequence[str], parent: str) -> set[str]:
    """The names that stand behind ``parent/`` anywhere in the files of ``trees``.

    Raises ``StorageError`` for a file that cannot be read: then nothing is known.
    """
    pattern = re.compile(re.escape(parent.encode()) + rb"\\?/([A-Za-z0-9_.-]+)")
    found: set[str] = set()
    for path in _files(trees):
        rest = b""
        for block in read_blocks(path):
            data = rest + block
            found.update(match.decode() for match in pattern.findall(data))
            rest = data[-_NAME_MOST - len(parent) :]
    return found


def _files(trees: Sequence[str]) -> Iterator[str]:
    def fail(error: OSError) -> None:
        raise storage_error(str(error.filename), error, "cannot list") from None

    for tree in trees:
        if os.path.isdir(tree):
            for where, _, names in os.walk(tree, onerror=fail):
                paths = (os.path.join(where, name) for name in names)
                yield from (path for path in paths if not os.path.islink(path))


def set_aside(directory: str, names: Sequence[str], target: str) -> None:
    """Move files of ``directory`` into the new directory ``target``.

    Raises ``StorageError``; then those that were moved are in ``target``.
    """
    new_dir(target)
    try:
        for name in names:
            os.rename(os.path.join(directory, name), os.path.join(target, name))
        sync_dir(target)
        sync_dir(directory)
    except OSError as error:
        raise storage_error(directory, error, "cannot move a file of it") from None
