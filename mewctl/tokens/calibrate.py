"""What a provider said about the size of a context, and what that teaches. Pure.

Owns anchors and the ratio of real to estimated growth. ``gauge`` applies them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from mewctl import limits

if TYPE_CHECKING:
    from mewctl.history.view import Usage

Source: TypeAlias = Literal["usage", "given"]

_NUMBER = f"([0-9]{{1,{limits.TOKEN_DIGITS}}})"
_ANCHOR = re.compile(f"{_NUMBER}:{_NUMBER}")


@dataclass(frozen=True, slots=True)
class Anchor:
    """The first ``messages`` messages are ``tokens`` tokens: somebody counted them."""

    tokens: int
    messages: int
    source: Source = "usage"


def parse_anchor(text: str) -> Anchor:
    """The anchor spelled ``TOKENS:MESSAGES``. Raises ``ValueError``."""
    found = _ANCHOR.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"not TOKENS:MESSAGES: {text!r}")
    return Anchor(int(found[1]), int(found[2]), "given")


def reading(usage: Usage | None) -> int:
    """The context that ``usage`` reports, in tokens; 0 if it reports none.

    A usage without any input is a placeholder that some agents write.
    """
    if usage is None or usage.input + usage.cache_read + usage.cache_write <= 0:
        return 0
    return usage.context


def bounded(ratio: float) -> float:
    """``ratio`` between the limits that an estimate may be corrected by."""
    return min(max(ratio, limits.CALIBRATION_MIN), limits.CALIBRATION_MAX)


@dataclass(slots=True)
class Growth:
    """The moving ratio of real to estimated growth between consecutive usages.

    Both are summed with weights that fade, so that long stretches teach more than short
    ones and new ones more than old. One stretch alone cannot say more than the limits
    allow: it may hold what no message shows (an agent's reminders, another tool list).
    """

    pairs: int = 0
    _real: float = 0.0
    _estimated: float = 0.0

    def add(self, real: float, estimated: float) -> None:
        """Learn from one stretch, in tokens. One that did not grow teaches nothing."""
        if real <= 0 or estimated <= 0:
            return
        self.pairs += 1
        self._real *= limits.CALIBRATION_KEEP
        self._estimated *= limits.CALIBRATION_KEEP
        self._real += estimated * bounded(real / estimated)
        self._estimated += estimated

    @property
    def ratio(self) -> float:
        """What to multiply estimates by: 1.0 until two stretches have been seen."""
        if self.pairs < limits.CALIBRATION_PAIRS:
            return 1.0
        return bounded(self._real / self._estimated)
