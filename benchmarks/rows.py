"""A row of the table, what all rows are measured with, and words for numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import compact_speed
import facts_kept
import made
from measure import FEW, Contender, Timing, side_by_side

if TYPE_CHECKING:
    from pathlib import Path

COMPACTED = 50_000_000  # bytes of what is held in memory as a whole, at most
PARSED = 200_000_000  # bytes of what is parsed record by record, at most


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. ``met`` is None where there is no target to meet."""

    what: str
    measured: str
    target: str = ""
    met: bool | None = None
    note: str = ""
    commands: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """In one word."""
        return {None: "", True: "met", False: "missed"}[self.met]


def skipped(what: str, target: str, why: str) -> Row:
    """A row that cannot be measured here."""
    return Row(what, "skipped", target, note=why)


@dataclass(frozen=True, slots=True)
class Bench:
    """What the rows work with. ``size`` in bytes; ``scratch`` for spilled bodies."""

    size: int
    rounds: int
    data: Path
    scratch: Path
    transcripts: list[Path] = field(default_factory=facts_kept.default_transcripts)

    def history(self, form: str, *, large: bool, most: int = 0) -> Path:
        """A made-up history; ``large``: with results over the limits of spill.

        ``most``: no longer than this, in bytes.
        """
        size = min(self.size, most or self.size)
        return made.history(self.data, form, size, large=large)

    @property
    def part(self) -> int:
        """The size of what is held in memory as a whole, in bytes."""
        return min(COMPACTED, self.size // 4)

    def transcript(self, kind: str) -> Path:
        """A look-alike made of the sources of Python's library."""
        path = self.data / f"library-{kind}-{self.part}.jsonl"
        if not path.exists():
            self.data.mkdir(parents=True, exist_ok=True)
            write = {"claude-code": compact_speed.claude_code, "mew": compact_speed.mew}
            write[kind](path, self.part)
        return path

    def time(self, contenders: dict[str, Contender]) -> Timing:
        """Medians over this run's rounds."""
        return side_by_side(contenders, self.rounds)


def at_most(
    timing: Timing, one: str, other: str, limit: float, row: Row, *, note: str = ""
) -> Row:
    """``row`` with how many times as long ``one`` takes as ``other``."""
    ratio = timing.ratio(one, other)
    return Row(
        row.what,
        times(ratio),
        f"≤ {limit:g}×",
        ratio <= limit,
        "; ".join(filter(None, (note, few(timing)))),
        row.commands,
    )


def times(ratio: float) -> str:
    """A ratio."""
    return f"{ratio:.2f}×" if ratio < 10 else f"{ratio:.1f}×"


def few(timing: Timing) -> str:
    """A note that a row had few rounds."""
    return f"median of {timing.rounds}" if timing.rounds <= FEW else ""


def size_words(number: int) -> str:
    """A size in bytes."""
    if number >= 10**9:
        return f"{number / 1e9:.1f} GB"
    return f"{number / 1e6:.0f} MB" if number >= 10**6 else f"{number / 1e3:.0f} kB"
