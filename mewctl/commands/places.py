"""Where a command keeps its state: what ``-s``, ``-d`` and the root name."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mewctl.commands.notes import note
from mewctl.errors import NotFound, StorageError
from mewctl.spill.ledger import NAME as LEDGER
from mewctl.store.root import STORE, find_root, is_directory, user_level
from mewctl.streams.apart import keep_apart

if TYPE_CHECKING:
    from collections.abc import Mapping


_LOG = "conversation.jsonl"  # of a session, beside its spill directory


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
    """The place that a command's options name, none of whose files is an output.

    Raises ``NotFound``, ``ConfigError``, ``StorageError`` and ``Unsafe``.
    """
    place = _named(options)
    own = (
        os.path.join(place.spill, LEDGER),
        os.path.join(os.path.dirname(place.spill), _LOG),
    )
    outputs = (options.get("output"), options.get("report"))
    keep_apart(own, [path for path in outputs if path])
    return place


def _named(options: Mapping[str, Any]) -> Place:
    if options["session"]:
        return _session(options["session"], root_from(options))
    if options["directory"]:
        where = absolute(options["directory"])
    else:
        where = os.path.join(_store(options), "spill")
    return Place(where, os.path.join(where, "dropped"), f"-d {shlex.quote(where)}")


def _store(options: Mapping[str, Any]) -> str:
    root = root_from(options)
    if user_level(root, os.environ) and not options.get("quiet"):
        note(f"using the user level, {os.path.join(root, STORE)}; --root names another")
    return os.path.join(root, STORE)


def _session(name: str, root: str) -> Place:
    for path in (name, os.path.join(root, STORE, "sessions", name)):
        if is_directory(path) and name not in ("", ".", ".."):
            where = absolute(path)
            return Place(
                os.path.join(where, "tool-results"),
                os.path.join(where, "boundaries"),
                f"-s {shlex.quote(where)}",
                where,
            )
    raise NotFound(what=f"no session {name}", remedy="give a path, or a full id")


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
