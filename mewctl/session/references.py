"""Which session a reference means: an id, its beginning, ``latest``, or a path.

Ids are compared with names that are there; only what has a slash is a path at once.
"""

from __future__ import annotations

import os

from mewctl.errors import NotFound
from mewctl.session.ids import LATEST, choose
from mewctl.session.layout import LOG, Layout
from mewctl.store.listing import units

_LATEST_OF = 20  # sessions whose last records decide which is the latest


def find(directory: str, reference: str) -> Layout:
    """The session that ``reference`` means: an id, its beginning, ``latest``, a path.

    Raises ``NotFound`` for none and for several, ``StorageError``.
    """
    if os.sep in reference or reference in (".", ".."):
        return _at(reference)
    names = [unit.name for unit in units(directory, LOG)] if reference else []
    if reference == LATEST and LATEST not in names:
        from mewctl.session.catalogue import newest

        rows, _ = newest(directory, _LATEST_OF)
        if not rows:
            raise NotFound(
                what=f"{directory} has no sessions", remedy="see mewctl session new"
            )
        return Layout(os.path.join(directory, rows[0].id))
    name = choose(reference, names)
    if name is not None:
        return Layout(os.path.join(directory, name))
    if reference and os.path.isdir(reference):
        return _at(reference)
    raise NotFound(
        what=f"no session {reference or 'with an empty name'} in {directory}",
        remedy="see mewctl session list",
    )


def _at(path: str) -> Layout:
    """The session at a path: its directory, or its log."""
    where = os.path.abspath(path)
    if os.path.basename(where) == LOG:
        where = os.path.dirname(where)
    if not os.path.isdir(where):
        raise NotFound(what=f"no session at {path}", remedy="check the path")
    return Layout(where)
