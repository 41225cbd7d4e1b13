"""Making a session: a directory of its own, its log, and what is known of it.

Time and chance are arguments. Must not write messages.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from mewctl.errors import StorageError
from mewctl.session import ids
from mewctl.session.layout import Layout, sessions_in
from mewctl.session.meta import save
from mewctl.store.copying import remove_tree
from mewctl.store.files import AlreadyThere, new_dir, private_dir
from mewctl.store.gitignore import ensure_store
from mewctl.store.lock import locked
from mewctl.store.log import Log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mewctl.session.meta import Meta

_TRIES = 100  # ids of one second; each is free with a chance of nearly one


def make(store: str, meta: Meta, now: float, chance: Callable[[int], bytes]) -> Layout:
    """A new, empty session in a store (a ``.mewcode``).

    ``chance`` gives so many random bytes. Raises ``StorageError`` and ``Unsafe``.
    """
    ensure_store(store)
    directory = sessions_in(store)
    private_dir(directory)
    layout = _directory(directory, now, chance)
    with locked(layout.directory):
        Log(layout.log).close()
        save(layout.meta, meta)
    return layout


@contextmanager
def whole_or_none(layout: Layout) -> Iterator[None]:
    """Fill a new session; it is removed again if that fails: nobody was told of it."""
    try:
        yield
    except BaseException:
        with suppress(StorageError):
            remove_tree(layout.directory)
        raise


def _directory(directory: str, now: float, chance: Callable[[int], bytes]) -> Layout:
    for _ in range(_TRIES):
        path = os.path.join(directory, ids.make(now, chance(ids.CHANCE)))
        try:
            new_dir(path)
        except AlreadyThere:
            continue
        return Layout(path)
    raise StorageError(
        path=directory, what="every id that was tried is taken", remedy="try again"
    )
