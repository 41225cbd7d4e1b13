"""Lists for people and for pipes: a table on a terminal, JSONL elsewhere."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from mewctl.streams.jsonvalue import dumps
from mewctl.streams.stdio import STDOUT, Output, stdout_is_terminal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_USUAL = 80  # columns where nobody says
_WIDTH_LEAST = 20  # columns, however narrow the terminal says it is
_FLEXIBLE = frozenset({"title", "", "why"})  # columns that give way to others
_TITLE_LEAST = 12  # columns
_GAP = 2  # columns between two cells
_UNITS = (("d", 86_400), ("h", 3_600), ("min", 60))


def show(
    form: str | None,
    rows: Iterable[Mapping[str, Any]],
    heads: Sequence[str],
    cells: Iterable[Sequence[str]],
) -> None:
    """Write ``rows`` as JSONL, or their ``cells`` as a table, whichever is wanted."""
    table = form == "table" or (form is None and stdout_is_terminal())
    with Output() as out:
        if table:
            out.write(_table(heads, cells))
            return
        for row in rows:
            out.write(dumps(row) + b"\n")


def _table(heads: Sequence[str], cells: Iterable[Sequence[str]]) -> bytes:
    from io import StringIO

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from mewctl.streams.printable import printable

    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0))
    width = max(_WIDTH_LEAST, _columns())
    rows = [[Text(printable(cell)) for cell in row] for row in cells]
    wide = [
        max((row[at].cell_len for row in rows), default=0) for at in range(len(heads))
    ]
    fixed = sum(
        max(widest, len(head)) + _GAP
        for head, widest in zip(heads, wide, strict=True)
        if head not in _FLEXIBLE
    )
    flexible = sum(head in _FLEXIBLE for head in heads)
    room = max(_TITLE_LEAST, (width - fixed) // max(1, flexible) - _GAP)
    for head, widest in zip(heads, wide, strict=True):
        most = room if head in _FLEXIBLE else widest
        size = max(len(head), min(widest, most))
        table.add_column(head, overflow="ellipsis", no_wrap=True, width=size)
    for row in rows:
        table.add_row(*row)
    text = StringIO()
    width = max(
        width, fixed + flexible * (room + _GAP)
    )  # a line may wrap, an id is never cut
    Console(file=text, width=width).print(table)
    return text.getvalue().encode("utf-8", "replace")


def _columns() -> int:
    """The width of the terminal, or what COLUMNS says, or the usual one."""
    told = os.environ.get("COLUMNS", "")
    if told.isascii() and told.isdigit():
        return int(told)
    try:
        return os.get_terminal_size(STDOUT).columns
    except OSError:
        return _USUAL


def ago(seconds: float) -> str:
    """How long ago: ``3 d ago``, ``now``; ``in the future`` for negative times."""
    if seconds < -_UNITS[-1][1]:
        return "in the future"
    for unit, size in _UNITS:
        if seconds >= size:
            return f"{int(seconds // size)} {unit} ago"
    return "now"


def when(time: float | None) -> str:
    """A time in UTC, to the minute; empty for none or one that no calendar has."""
    from time import gmtime, strftime

    if time is None:
        return ""
    try:
        return strftime("%Y-%m-%d %H:%MZ", gmtime(time))
    except (ValueError, OverflowError, OSError):
        return ""


def bytes_words(size: int) -> str:
    """A size in bytes for people."""
    number = float(size)
    for unit in ("B", "KB", "MB"):
        if number < 1000:  # noqa: PLR2004 - three digits
            return f"{number:.0f} {unit}"
        number /= 1000
    return f"{number:.1f} GB"
