"""Ids of sessions: ``YYYYMMDD-HHMMSS-xxxx``, and what a user may write for one. Pure.

Ids are data: they are compared with names that are there, and never become a path. Must
not touch files.
"""

from __future__ import annotations

import re
from calendar import timegm
from time import gmtime, strptime
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Collection

CHANCE = 2  # bytes of chance in an id
LATEST = "latest"

_ID = re.compile(r"(\d{8}-\d{6})-[0-9a-f]{4}")
_OLD = re.compile(r"(\d{9,11})-[0-9a-f]{2,32}")


def make(now: float, chance: bytes) -> str:
    """The id of a session made at ``now`` (Unix seconds), with two bytes of chance."""
    y, mo, d, h, mi, s = gmtime(now)[:6]
    return f"{y:04}{mo:02}{d:02}-{h:02}{mi:02}{s:02}-{chance.hex()}"


def time_of(identity: str) -> float | None:
    """When an id says that its session was made, in Unix seconds; None if it does not.

    The time is UTC; directories made by other programs may carry local time.
    """
    if match := _ID.fullmatch(identity):
        try:
            return float(timegm(strptime(match[1], "%Y%m%d-%H%M%S")))
        except ValueError:
            return None
    match = _OLD.fullmatch(identity)
    return float(match[1]) if match else None


def choose(reference: str, names: Collection[str]) -> str | None:
    """The one of ``names`` that ``reference`` is, or is the beginning of.

    None if there is none. Raises ``NotFound`` where several begin so.
    """
    if reference in names:
        return reference
    matches = sorted(name for name in names if reference and name.startswith(reference))
    if len(matches) > 1:
        shown = ", ".join(matches[: limits.AMBIGUOUS_SHOWN])
        more = len(matches) - limits.AMBIGUOUS_SHOWN
        raise NotFound(
            what=f"{reference} matches {len(matches)} sessions: {shown}"
            + (f" and {more} more" if more > 0 else ""),
            remedy="give more of the id",
        )
    return matches[0] if matches else None
