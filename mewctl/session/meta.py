"""What is known of a session beside its messages: title, model, pin, origin.

A small file of its own, replaced as a whole, so that the log stays append-only. A file
that cannot be read says nothing; it is set aside before it is written over.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from mewctl.errors import ConfigError
from mewctl.store.files import AlreadyThere, create_exclusive
from mewctl.store.files import replace as write_whole
from mewctl.store.opening import read_file
from mewctl.streams.jsonvalue import BadJSON, dumps, loads

if TYPE_CHECKING:
    from collections.abc import Mapping

VERSION = 1
_MOST = 1024 * 1024  # bytes; ours are some hundred


@dataclass(frozen=True, slots=True)
class Meta:
    """Title and model are "" where none is set. ``created`` in Unix seconds.

    ``origin``: where its first messages came from. ``more``: keys that later versions
    wrote. ``damaged``: why the file cannot be read, "" where it can or is not there.
    """

    title: str = ""
    model: str = ""
    pinned: bool = False
    created: float | None = None
    origin: Mapping[str, Any] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)
    damaged: str = ""


def load(path: str) -> Meta:
    """The file's content. Raises ``Unsafe`` and ``StorageError``, not for damage."""
    if not os.path.lexists(path):
        return Meta()
    raw = read_file(path, _MOST)
    try:
        value = loads(raw)
    except BadJSON as error:
        return Meta(damaged=str(error))
    if not isinstance(value, dict):
        return Meta(damaged="not an object")
    return _read(value)


def _read(value: dict[str, Any]) -> Meta:
    created = value.pop("created", None)
    origin = value.pop("origin", None)
    title, model = value.pop("title", ""), value.pop("model", "")
    return Meta(
        title=title if isinstance(title, str) else "",
        model=model if isinstance(model, str) else "",
        pinned=value.pop("pinned", False) is True,
        created=float(created) if isinstance(created, (int, float)) else None,
        origin=origin if isinstance(origin, dict) else {},
        more=value,
    )


def save(path: str, meta: Meta) -> None:
    """Write it, on the disk when this returns; the caller holds the session's lock.

    Raises ``StorageError``, and ``ConfigError`` for a file of a later version.
    """
    version = meta.more.get("version", VERSION)
    if not isinstance(version, int) or version > VERSION:
        raise ConfigError(
            place=path,
            what="written by a later version of mewctl",
            remedy="upgrade mewctl",
        )
    if meta.damaged:
        _set_aside(path)
    value: dict[str, Any] = {**meta.more, "version": VERSION}
    optional: dict[str, Any] = {
        "title": meta.title,
        "model": meta.model,
        "pinned": meta.pinned,
        "created": meta.created,
        "origin": dict(meta.origin),
    }
    value |= {key: item for key, item in optional.items() if item}
    write_whole(path, dumps(value) + b"\n")


def _set_aside(path: str) -> None:
    from hashlib import sha256

    old = read_file(path, _MOST)
    try:
        create_exclusive(f"{path}.bad-{sha256(old).hexdigest()[:8]}", old)
    except AlreadyThere:  # the same bytes were set aside before
        return


def pinned(meta: Meta, *, on: bool) -> Meta:
    """The same, pinned or not."""
    return replace(meta, pinned=on)


def titled(meta: Meta, title: str) -> Meta:
    """The same with another title; "" for none."""
    return replace(meta, title=title)
