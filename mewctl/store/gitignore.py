"""The store's own ``.gitignore``: private state stays out of a repository."""

from __future__ import annotations

import os

from mewctl.store.files import AlreadyThere, create_exclusive, private_dir
from mewctl.store.root import STORE

TEXT = """\
# Written once by mewctl. All of this is private state, except for memory notes.
*
!.gitignore
!memory/
!memory/*.md
"""


def ensure_store(store: str) -> None:
    """Make the directory ``store`` (a ``.mewcode``) and its ``.gitignore``.

    One that is there, changed by hand or not, stays as it is. Raises ``StorageError``.
    """
    private_dir(store)
    path = os.path.join(store, ".gitignore")
    if os.path.lexists(path):
        return
    try:
        create_exclusive(path, TEXT.encode())
    except AlreadyThere:  # another process was first
        return


def ensure_store_above(path: str) -> None:
    """The same for the ``.mewcode`` that ``path`` is in, if any. Raises likewise."""
    above, store, _ = path.rpartition(f"/{STORE}/")
    if store:
        ensure_store(f"{above}/{STORE}")
