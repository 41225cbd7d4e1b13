"""Where a command keeps its state: what ``-s``, ``-d`` and the root name."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mewctl.commands.notes import note
from mewctl.errors import StorageError
from mewctl.store.root import STORE, find_root, user_level
from mewctl.streams.apart import keep_apart

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewctl.session.layout import Layout


@dataclass(frozen=True, slots=True)
class Place:
    """A spill directory and a directory of boundaries, as absolute paths.

    ``flags`` is how a command line names them. ``session``: the directory of the
    session that they belong to, and ``log`` its log, "" for none.
    """

    spill: str
    dropped: str
    flags: str
    session: str = ""
    log: str = ""


def place_of(layout: Layout) -> Place:
    """Where a session keeps bodies and facts."""
    flags = f"-s {shlex.quote(layout.directory)}"
    return Place(layout.spill, layout.boundaries, flags, layout.directory, layout.log)


def place_from(options: Mapping[str, Any]) -> Place:
    """The place that a command's options name, none of whose files is an output.

    Raises ``NotFound``, ``ConfigError``, ``StorageError`` and ``Unsafe``.
    """
    from mewctl.spill.ledger import NAME as LEDGER

    place = _named(options)
    own = [os.path.join(place.spill, LEDGER), *filter(None, [place.log])]
    outputs = (options.get("output"), options.get("report"))
    keep_apart(own, [path for path in outputs if path])
    return place


def _named(options: Mapping[str, Any]) -> Place:
    if options["session"]:
        from mewctl.session.layout import sessions_in
        from mewctl.session.references import find

        name = str(options["session"])
        sessions = "" if os.sep in name else sessions_in(store_from(options))
        return place_of(find(sessions, name))
    if options["directory"]:
        where = absolute(options["directory"])
    else:
        where = os.path.join(store_from(options), "spill")
    return Place(where, os.path.join(where, "dropped"), f"-d {shlex.quote(where)}")


def store_from(options: Mapping[str, Any]) -> str:
    """The store of the root; says so where that is the user level.

    Raises what ``find_root`` raises.
    """
    root = root_from(options)
    if user_level(root, os.environ) and not options.get("quiet"):
        note(f"using the user level, {os.path.join(root, STORE)}; --root names another")
    return os.path.join(root, STORE)


def root_from(options: Mapping[str, Any]) -> str:
    """The project root, or the user level. Raises what ``find_root`` raises."""
    given = options["root"]
    return find_root(absolute(given) if given else None, _cwd(), os.environ)


def absolute(path: str) -> str:
    """``path`` as an absolute path. Raises ``StorageError`` where that needs a place.

    A working directory that was removed makes a relative path mean nothing.
    """
    try:
        return os.path.abspath(path)
    except FileNotFoundError:
        raise StorageError(
            path=path,
            what="the working directory is gone",
            remedy="give an absolute path, or change to a directory that is there",
        ) from None


def _cwd() -> str:
    """The working directory; the root of all where it was removed."""
    try:
        return os.getcwd()
    except OSError:
        return os.sep
