"""Files below a directory, by the ends of their names. Follows no links. Reads only."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mewctl.store.failures import storage_error

if TYPE_CHECKING:
    from collections.abc import Iterator


def files_under(directory: str, endings: tuple[str, ...]) -> Iterator[str]:
    """The paths of plain files below ``directory`` whose names end so, in order.

    Hidden directories are looked into: agents keep their logs there. Raises
    ``StorageError``.
    """

    def fail(error: OSError) -> None:
        raise storage_error(str(error.filename), error, "cannot list") from None

    for where, directories, names in os.walk(directory, onerror=fail):
        directories.sort()
        for name in sorted(names):
            path = os.path.join(where, name)
            if name.endswith(endings) and _is_plain(path):
                yield path


def _is_plain(path: str) -> bool:
    """Whether a path is a file itself: a pipe would be waited for."""
    return os.path.isfile(path) and not os.path.islink(path)
