"""Modes of private files and directories: which are too wide, and the right ones."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mewctl.store.failures import storage_error
from mewctl.store.files import DIR_MODE
from mewctl.store.opening import FILE_MODE

if TYPE_CHECKING:
    from collections.abc import Iterator

_OTHERS = 0o077


def too_wide(directory: str) -> Iterator[tuple[str, int]]:
    """What others can get at in ``directory``, itself included: path and mode.

    Links are left out: their own mode means nothing.
    """
    paths = [directory]
    for where, directories, names in os.walk(directory):
        paths += (os.path.join(where, name) for name in (*directories, *names))
    for path in sorted(paths):
        try:
            mode = os.stat(path, follow_symlinks=False).st_mode
        except OSError:
            continue
        if mode & _OTHERS and not os.path.islink(path):
            yield path, mode


def make_private(path: str) -> None:
    """Give a file or directory the mode of a private one. Raises ``StorageError``."""
    try:
        os.chmod(path, DIR_MODE if os.path.isdir(path) else FILE_MODE)
    except OSError as error:
        raise storage_error(path, error, "cannot change its mode") from None


def remove_file(path: str) -> None:
    """Remove one file. Raises ``StorageError``."""
    try:
        os.unlink(path)
    except OSError as error:
        raise storage_error(path, error, "cannot remove") from None
