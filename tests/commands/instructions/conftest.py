"""Projects with instructions, and commands that are run in them."""

from __future__ import annotations

from instructing import mew, project, render

__all__ = ["mew", "project", "render"]
