"""The row about instructions: files put together, beside a loop that reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measure import PYTHON, Command, mewctl, pipe, words
from rows import Bench, Row, few, size_words, times

if TYPE_CHECKING:
    from pathlib import Path

FILES = 500
BRANCHES = 25  # files that the layer's own includes; each includes a share of the rest
EXAMPLES = 10  # one page of so many shows an include in its code
TARGET = 1.5
LOOP = """
import os, sys
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        with open(os.path.join(folder, name), "rb") as file:
            file.read()
"""


def render(bench: Bench) -> list[Row]:
    """500 files of 4 kB: headings, lists, fences, links, as such files have them.

    What our start costs more than the loop's is taken off: Click, imports. It is seen
    where both sides have a single file.
    """
    many, one = _tree(bench.data, FILES), _tree(bench.data, 1)
    timing = bench.time(
        {
            "ours": pipe(_ours(str(many))),
            "ours, one": pipe(_ours(str(one))),
            "loop": pipe([PYTHON, "-c", LOOP, str(many)]),
            "loop, one": pipe([PYTHON, "-c", LOOP, str(one)]),
        }
    )
    spent = timing.seconds
    files = spent["ours"] - spent["ours, one"]
    ratio = (spent["loop, one"] + files) / spent["loop"]
    size = sum(path.stat().st_size for path in many.rglob("*.md"))
    read = spent["loop"] - spent["loop, one"]
    note = (
        "a Python loop that only reads them = 1; without our start "
        f"({times(spent['ours'] / spent['loop'])} with it); a file costs "
        f"{_microseconds(files)} beside {_microseconds(read)} for reading alone"
    )
    return [
        Row(
            f"instructions render, {FILES} files, {size_words(size)}",
            times(ratio),
            f"≤ {TARGET:g}×",
            ratio <= TARGET,
            "; ".join(filter(None, (note, few(timing)))),
            (words(_ours("DIR")),),
        )
    ]


def _microseconds(spent: float) -> str:
    return f"{max(spent, 0.0) / (FILES - 1) * 1e6:.0f} µs"


def _ours(root: str) -> Command:
    flags = ("-q", "--no-user", "--max-total", "100M", "--root", root)
    return mewctl("instructions", "render", *flags)


def _tree(data: Path, files: int) -> Path:
    """A project with so many files of instructions, made if not there."""
    root = data / f"instructions-{files}"
    if root.exists():
        return root
    building = data / f"instructions-{files}.tmp"
    (building / ".git").mkdir(parents=True, exist_ok=True)
    leaves = [f"part/{number % 20}/{number}.md" for number in range(files - 1)]
    branches = leaves[:BRANCHES]
    _write(building / "MEWCODE.md", 0, branches)
    for number, name in enumerate(leaves):
        below = leaves[BRANCHES + number :: BRANCHES] if name in branches else []
        _write(building / name, number, [f"../../{leaf}" for leaf in below])
    building.rename(root)
    return root


def _write(path: Path, number: int, included: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    shown = "@include x.md" if number % EXAMPLES == 0 else "make docs"
    page = _PAGE.replace("NUMBER", str(number)).replace("SHOWN", shown)
    lines = page.split("\n")
    for name in included:
        lines += [f"@include {name}", ""]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


_PROSE = (
    "Read the whole record before you change it, and keep what you do not know. The "
    "parser `read_records` splits on line feeds alone; see [the notes](notes.md).\n"
)
_LIST = (
    "- Run `make test` before each commit.\n"
    "- Name what a test holds in a sentence:\n"
    "  it says what is true, not what is done.\n"
    "- Never write <placeholders> into a message.\n"
)
_FENCE = "```sh\nmake test\nmake lint\nSHOWN\n```\n"
_IN_LIST = "1. Build it:\n\n   ```sh\n   make build\n   ```\n\n2. Then look at it.\n"
_PAGE = "\n".join(
    [
        "# Part NUMBER",
        "",
        _PROSE * 6,
        _LIST,
        "## How",
        "",
        _FENCE,
        _PROSE * 5,
        _IN_LIST,
        "## Why",
        "",
        _PROSE * 8,
        _LIST,
    ]
)

ROWS = {"instructions": render}
