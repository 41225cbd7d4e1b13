"""The user's messages that a summary counts and does not show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mewctl.compact.user_words import unseen_before

if TYPE_CHECKING:
    from mewctl.history.facts import Facts


def unseen(facts: Facts) -> list[tuple[int, str]]:
    """Number and boundary of each; every stretch must name all that it counts."""
    found: list[tuple[int, str]] = []
    for first, last, messages, boundary in unseen_before(facts).stretches:
        assert messages == last - first + 1
        found += [(number, boundary) for number in range(first, last + 1)]
    return found
