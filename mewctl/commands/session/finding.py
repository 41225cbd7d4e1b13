"""Where sessions are, and which one a command line means."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from mewctl.commands.places import store_from
from mewctl.errors import NotFound
from mewctl.session.layout import sessions_in
from mewctl.session.references import find
from mewctl.store.root import STORE, home_directory

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewctl.session.layout import Layout


def store_of(options: Mapping[str, Any]) -> str:
    """The store that ``--root`` and ``--user`` name. Raises ``ConfigError``."""
    if options.get("user"):
        return os.path.join(home_directory(os.environ), STORE)
    return store_from({"root": None, **options})


def sessions_of(options: Mapping[str, Any]) -> str:
    """The directory of its sessions."""
    return sessions_in(store_of(options))


def session_of(options: Mapping[str, Any]) -> Layout:
    """The session that the argument ``S`` means. Raises ``NotFound``.

    A path must lead to a log: no directory becomes a session by being named.
    """
    reference = str(options["reference"])
    directory = "" if os.sep in reference else sessions_of(options)
    layout = find(directory, reference)  # a path needs no store
    known = os.path.dirname(layout.directory) == directory
    if not known and not os.path.lexists(layout.log):
        raise NotFound(
            what=f"no session at {reference}", remedy="see mewctl session list"
        )
    return layout
