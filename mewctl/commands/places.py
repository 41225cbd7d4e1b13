"""Where a command keeps its state: what ``-s``, ``-d`` and the root name."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mewctl.commands.notes import note
from mewctl.errors import NotFound
from mewctl.store.root import STORE, find_root, user_level

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Place:
    """A spill directory and a directory of boundaries, as absolute paths.

    ``flags`` is how a command line names them. ``session`` is the session's directory,
    empty where there is none.
    """

    spill: str
    dropped: str
    flags: str
    session: str = ""


def place_from(options: Mapping[str, Any]) -> Place:
    """The place that a command's options name. Raises ``NotFound``, ``ConfigError``."""
    if options["session"]:
        return _session(options["session"], options["root"])
    if options["directory"]:
        where = os.path.abspath(options["directory"])
    else:
        where = os.path.join(_store(options), "spill")
    return Place(where, os.path.join(where, "dropped"), f"-d {shlex.quote(where)}")


def _store(options: Mapping[str, Any]) -> str:
    root = find_root(options["root"], _cwd(), os.environ)
    if user_level(root, os.environ) and not options.get("quiet"):
        note(f"using the user level, {os.path.join(root, STORE)}; --root names another")
    return os.path.join(root, STORE)


def _session(name: str, given: str | None) -> Place:
    root = find_root(given, _cwd(), os.environ)
    for path in (name, os.path.join(root, STORE, "sessions", name)):
        if os.path.isdir(path) and name not in ("", ".", ".."):
            where = os.path.abspath(path)
            return Place(
                os.path.join(where, "tool-results"),
                os.path.join(where, "boundaries"),
                f"-s {shlex.quote(where)}",
                where,
            )
    raise NotFound(what=f"no session {name}", remedy="give a path, or a full id")


def _cwd() -> str:
    """The working directory; the root of all where it was removed."""
    try:
        return os.getcwd()
    except OSError:
        return os.sep
