"""Where a command keeps its state: what ``-s``, ``-d`` and the root name."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mewctl.commands.notes import note
from mewctl.session.layout import sessions_in
from mewctl.session.references import find
from mewctl.store.root import STORE, find_root, user_level

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Place:
    """A spill directory and a directory of boundaries, as absolute paths.

    ``flags`` is how a command line names them. ``log``: the log of the session that
    they belong to, "" for none.
    """

    spill: str
    dropped: str
    flags: str
    log: str = ""


def place_from(options: Mapping[str, Any]) -> Place:
    """The place that a command's options name. Raises ``NotFound``, ``ConfigError``."""
    if options["session"]:
        return _session(options)
    if options["directory"]:
        where = os.path.abspath(options["directory"])
    else:
        where = os.path.join(store_from(options), "spill")
    return Place(where, os.path.join(where, "dropped"), f"-d {shlex.quote(where)}")


def store_from(options: Mapping[str, Any]) -> str:
    """The store of the root; says so where that is the user level.

    Raises ``ConfigError``.
    """
    root = find_root(options["root"], _cwd(), os.environ)
    if user_level(root, os.environ) and not options.get("quiet"):
        note(f"using the user level, {os.path.join(root, STORE)}; --root names another")
    return os.path.join(root, STORE)


def _session(options: Mapping[str, Any]) -> Place:
    name = str(options["session"])
    sessions = "" if os.sep in name else sessions_in(store_from(options))
    layout = find(sessions, name)
    flags = f"-s {shlex.quote(layout.directory)}"
    return Place(layout.spill, layout.boundaries, flags, layout.log)


def _cwd() -> str:
    """The working directory; the root of all where it was removed."""
    try:
        return os.getcwd()
    except OSError:
        return os.sep
