"""Ids as file names. Ids are data: no id ever becomes a path by itself. Pure."""

from __future__ import annotations

import re
from hashlib import sha256

_SAFE = re.compile(r"[A-Za-z0-9_-]{1,64}")
_RESERVED = frozenset(
    {"con", "prn", "aux", "nul"}  # devices on Windows, whatever the case
    | {f"{port}{n}" for port in ("com", "lpt") for n in range(10)}
    | {"dropped"}  # a directory of ours beside the bodies
)
_HASH = 32  # hex digits of an id's sha256 that name its file
_CLASH = 8  # hex digits of a body's sha256 that tell two bodies of one id apart


def safe_name(identity: str) -> str:
    """The file name for an id: itself where it is harmless, else ``h-`` and a hash."""
    if _SAFE.fullmatch(identity) and identity.lower() not in _RESERVED:
        return identity
    return f"h-{sha256(identity.encode('utf-8', 'surrogatepass')).hexdigest()[:_HASH]}"


def clash_names(name: str, digest: str) -> tuple[str, ...]:
    """The names to try when ``name`` holds other bytes; ``digest``: sha256 in hex."""
    return f"{name}.{digest[:_CLASH]}", f"{name}.{digest}"


def stem(file: str) -> str:
    """The safe name that a body's file name began with."""
    return file.partition(".")[0]
