"""Taking one file away, on the disk when it returns. Nothing is followed."""

from __future__ import annotations

import os
from contextlib import suppress

from mewctl.store.failures import storage_error
from mewctl.store.files import sync_dir
from mewctl.streams.interrupts import whole_file


def remove_file(path: str) -> None:
    """Remove the file ``path``; one that is not there is fine. Raises ``StorageError``.

    A link is removed, not what it leads to.
    """
    with whole_file:
        try:
            with suppress(FileNotFoundError):
                os.unlink(path)
            sync_dir(os.path.dirname(os.path.abspath(path)))
        except OSError as error:
            raise storage_error(path, error, "cannot remove") from None
