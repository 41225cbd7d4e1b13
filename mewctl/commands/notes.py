"""What a command has to say to people beside its errors: one line, with its name."""

from __future__ import annotations

import click

from mewctl.streams.stdio import say


def note(text: str) -> None:
    """Say ``text`` on stderr as the command that runs: ``mewctl NAME: text``."""
    context = click.get_current_context(silent=True)
    name = context.meta.get("mewctl.command", "") if context else ""
    say(f"mewctl {name}: {text}" if name else f"mewctl: {text}")
