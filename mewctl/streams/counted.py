"""A number and what it counts, as people write it. Pure; knows no other words."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """``1 message``, ``2 messages``: ``noun`` is in the singular, its plural in -s."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
