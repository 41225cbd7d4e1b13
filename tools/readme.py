"""The parts of the README that the commands make: its tables, between two marks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tools import about
from tools.markdown import escape, file_of, table
from tools.tree import every, sections

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tools.tree import Page

_MARKED = r'(<!-- {}: made by "make docs" -->\n).*?(<!-- end -->)'


def updated(text: str, top: Page) -> str:
    """The README ``text`` with its tables made anew. Raises ``ValueError``."""
    text = _replaced(text, "commands", "\n\n".join(_commands(top)))
    rows = [f"{number} | {escape(words)}" for number, words in about.codes()]
    return _replaced(text, "exit codes", table("code | meaning", rows))


def _replaced(text: str, name: str, part: str) -> str:
    parts = re.subn(
        _MARKED.format(name),
        lambda marks: f"{marks[1]}\n{part}\n\n{marks[2]}",
        text,
        flags=re.DOTALL,
    )
    if parts[1] != 1:
        raise ValueError(f"the README has no place for its {name}")
    return parts[0]


def _commands(top: Page) -> Iterator[str]:
    """A table of every command that can be run, for each subsystem."""
    for section, pages in sections(top).items():
        rows = [
            f"[`{' '.join(page.words)}`](docs/reference/{file_of(page)})"
            f" | {escape(page.summary)}"
            for first in pages
            for page in every(first)
            if page.runs
        ]
        yield table(f"{escape(section)} | ", rows)
