"""When the files of a directory last changed, cheaply for thousands. Reads only."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mewctl.store.failures import storage_error

if TYPE_CHECKING:
    from collections.abc import Callable


def stamps(
    directory: str, wanted: Callable[[str], bool]
) -> dict[str, tuple[int, int, int]]:
    """Name -> inode, size in bytes, time of change in ns, of what is ``wanted``.

    The time is the inode's own, which nothing but the system sets. A directory that is
    not there has none. Raises ``StorageError``.
    """
    try:
        with os.scandir(directory) as found:  # one expression: a call each would show
            return {
                entry.name: (status.st_ino, status.st_size, status.st_ctime_ns)
                for entry in found
                if wanted(entry.name)
                for status in (entry.stat(follow_symlinks=False),)
            }
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise storage_error(directory, error, "cannot list") from None


def directory_stamp(directory: str) -> int:
    """When a name in ``directory`` last changed, in ns; 0 where it is not there."""
    try:
        return os.stat(directory).st_mtime_ns
    except OSError:
        return 0
