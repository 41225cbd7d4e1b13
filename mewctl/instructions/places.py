"""The three places of instructions, and how their files are called in messages. Pure.

Messages name files from the project's root or from ``~``: an absolute path would tell
a reader of CI logs who the user is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

FILE = "MEWCODE.md"
Layer: TypeAlias = Literal["project", "local", "user"]
#: High priority first.
LAYERS: tuple[Layer, ...] = ("project", "local", "user")
_STORE = b".mewcode"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a layer's file is: ``path`` in ``boundary``, which no include may leave."""

    layer: Layer
    boundary: bytes
    path: bytes


def places(root: bytes, home: bytes, name: str = FILE) -> tuple[Place, ...]:
    """The places for a project ``root`` and a ``home``, both real paths.

    Without a home (empty) there is no user layer.
    """
    own = name.encode()
    kept = _STORE + b"/" + own
    found = [Place("project", root, own), Place("local", root, kept)]
    return (*found, Place("user", home, kept)) if home else tuple(found)


@dataclass(frozen=True, slots=True)
class Names:
    """How files are called. ``root`` and ``home`` are real paths; home may be empty."""

    root: bytes
    home: bytes

    def shown(self, path: bytes) -> str:
        """The name of the file at the real path ``path``."""
        inside = _within(path, self.root)
        if inside is None and self.home:
            below = _within(path, self.home)
            inside = None if below is None else b"~/" + below if below else b"~"
        return (path if inside is None else inside or b".").decode(errors="replace")


def inside(path: bytes, directory: bytes) -> bool:
    """Whether ``path`` is ``directory`` or lies in it, as they are spelled."""
    return _within(path, directory) is not None


def _within(path: bytes, directory: bytes) -> bytes | None:
    """``path`` from ``directory`` on, compared by component; None if not in it."""
    if path == directory:
        return b""
    start = directory if directory.endswith(b"/") else directory + b"/"
    return path[len(start) :] if path.startswith(start) else None
