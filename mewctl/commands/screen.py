"""How a command's data looks: a table for people or records, coloured or not."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from mewctl.streams.color import wants_color
from mewctl.streams.stdio import stdout_is_terminal
from mewctl.streams.table import render, terminal_width

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def as_table(options: Mapping[str, Any]) -> bool:
    """Whether a command shows a table: asked for, or because people look at it."""
    if options["format_"] is not None:
        return bool(options["format_"] == "table")
    return _to_terminal(options)


def colored(options: Mapping[str, Any]) -> bool:
    """Whether a command's data gets colours: its own flag, mewctl's, then the rest."""
    context = click.get_current_context(silent=True)
    above = context.meta.get("mewctl.color") if context else None
    choice: Any = options["color"] or above or "auto"
    return wants_color(choice, os.environ, tty=_to_terminal(options))


def table(
    options: Mapping[str, Any], columns: Sequence[str], rows: Iterable[Sequence[str]]
) -> bytes:
    """The table that a command with ``options`` shows."""
    return render(
        columns, rows, color=colored(options), width=terminal_width(os.environ)
    )


def _to_terminal(options: Mapping[str, Any]) -> bool:
    return options.get("output") in (None, "-") and stdout_is_terminal()
