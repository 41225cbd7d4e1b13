"""Whether a stream gets colours: the flag, then NO_COLOR, FORCE_COLOR, the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

Choice: TypeAlias = Literal["auto", "always", "never"]


def wants_color(choice: Choice, environ: Mapping[str, str], *, tty: bool) -> bool:
    """The decision for one stream: ``--color`` > NO_COLOR > FORCE_COLOR > TTY."""
    if choice != "auto":
        return choice == "always"
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR"):
        return True
    return tty and environ.get("TERM") != "dumb"
