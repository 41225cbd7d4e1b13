"""Rows for people: a plain table, made harmless, as wide as the terminal."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.streams.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_GAP = 1  # blanks between two columns


def render(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    color: bool,
    width: int = limits.TABLE_WIDTH,
) -> bytes:
    """A table without a frame, ``width`` columns wide, one line for each row."""
    from io import StringIO

    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = [[printable(value) for value in row] for row in rows]
    longest = [
        max(map(cell_len, column)) for column in zip(columns, *shown, strict=True)
    ]
    table = Table(
        box=None,
        pad_edge=False,
        padding=(0, _GAP, 0, 0),
        header_style="bold" if color else "",
    )
    for name, size in zip(columns, _fitted(longest, width), strict=True):
        table.add_column(name, overflow="ellipsis", no_wrap=True, width=size)
    for row in shown:
        table.add_row(*map(Text, row))
    text = StringIO()
    Console(
        file=text,
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        highlight=False,
    ).print(table)
    lines = text.getvalue().splitlines()
    return "".join(f"{line.rstrip()}\n" for line in lines).encode()


def _fitted(longest: Sequence[int], width: int) -> list[int]:
    """Widths of columns: what each needs; the widest give way where room is short."""
    sizes = [min(size, width) for size in longest]
    room = max(width - _GAP * (len(sizes) - 1), len(sizes))
    while sum(sizes) > room:
        sizes[sizes.index(max(sizes))] -= 1
    return sizes


def terminal_width(environ: Mapping[str, str]) -> int:
    """Columns of the terminal, where standard output is one; else the usual."""
    given = environ.get("COLUMNS", "")
    if given.isdecimal() and int(given):
        return max(int(given), limits.TABLE_WIDTH_MIN)
    try:
        width = os.get_terminal_size(1).columns
    except OSError:
        return limits.TABLE_WIDTH
    return max(width, limits.TABLE_WIDTH_MIN) if width else limits.TABLE_WIDTH


def heading(text: str, *, color: bool) -> str:
    """A line that stands above others."""
    return f"\x1b[1m{text}\x1b[0m" if color else text
