"""Real processes: mewctl as a shell starts it."""

from __future__ import annotations

from tests.support.processes import environ, large, mew, shell, small, spilling, work

__all__ = ["environ", "large", "mew", "shell", "small", "spilling", "work"]
