"""Which old results leave the history for their age, and when that is worth it. Pure.

Each time costs the cached prefix from the first changed result on, so it must free much
or not happen. Must not know texts or files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Aged:
    """A result that is old: the tokens it would free, and whether its call failed."""

    gain: float
    failed: bool


def older_than(tokens: Sequence[float], keep: float) -> int:
    """How many of the first results are older than the newest ``keep`` tokens.

    ``tokens``: the sizes of all results, oldest first. The result on the border, which
    the newest ``keep`` tokens cut, is not old.
    """
    left = keep
    for old in range(len(tokens), 0, -1):
        if left <= 0:
            return old
        left -= tokens[old - 1]
    return 0


def plan(old: Sequence[Aged], least: float) -> list[int]:
    """The numbers of the results to spill; none unless they free ``least`` tokens.

    Errors are the last to go: only where the rest does not free enough.
    """
    worth = [n for n, item in enumerate(old) if item.gain > 0]
    calm = [n for n in worth if not old[n].failed]
    for chosen in (calm, worth):
        if chosen and sum(old[n].gain for n in chosen) >= least:
            return chosen
    return []
