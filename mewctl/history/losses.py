"""What a conversion could not carry: counts by kind, for people and for machines."""

from __future__ import annotations

from collections import Counter

from mewctl import limits


class Losses:
    """A tally of what was left out or changed in meaning, by kind.

    Kinds are short lower-case phrases: ``thinking``, ``image``, ``unknown block
    search_result``. Some name what stood in the input, so that their number and their
    length are limited: what is over it is counted as ``other``.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def add(self, kind: str, count: int = 1) -> None:
        """Count ``count`` losses of ``kind``."""
        if count <= 0:
            return
        kind = kind[: limits.LOSS_KIND_CHARS]
        if kind not in self.counts and len(self.counts) >= limits.LOSS_KINDS:
            kind = "other"
        self.counts[kind] += count

    def line(self) -> str:
        """One line for people, empty when nothing was lost: ``3 image, 1 usage``."""
        return ", ".join(f"{n} {kind}" for kind, n in sorted(self.counts.items()))
