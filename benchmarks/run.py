"""Benchmarks as a Markdown table of ratios, measured side by side.

    python benchmarks/run.py [--size 200m] [--rounds 5] [--only ROW ...] [--write FILE]

Each ratio is one of medians: the contenders run one after the other, round by round, as
whole processes with a warm page cache, and their output goes into a pipe. Input is made
up, the same on every machine, and stays in benchmarks/data. Nothing here is a test: a
target that is missed is a line in the table.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

import orjson
import rows_compact
import rows_instructions
import rows_memory
import rows_peak
import rows_reading
import rows_sessions
import rows_spill
import rows_startup
import rows_tokens
from measure import PYTHON, REPOSITORY, Failed
from rows import Bench, Row

if TYPE_CHECKING:
    from collections.abc import Callable

DATA = REPOSITORY / "benchmarks" / "data"
SHARED_MEMORY = Path("/dev/shm")
ROOM = 2  # times the size that must be free where bodies are spilled to

#: A file a subject: what it measures, by the name that ``--only`` takes.
SUBJECTS = (
    rows_startup,
    rows_spill,
    rows_reading,
    rows_sessions,
    rows_compact,
    rows_instructions,
    rows_memory,
    rows_tokens,
    rows_peak,
)
ROWS: dict[str, Callable[[Bench], list[Row]]] = {
    name: row for subject in SUBJECTS for name, row in subject.ROWS.items()
}
#: Programs that rows compare with, and the argument that prints their version.
PEERS = {"jq": "--version", "gojq": "--version", "node": "--version"}


def main() -> None:
    """Measure, print the table, and write it where asked."""
    given = arguments()
    refuse_shim(PYTHON)
    with tempfile.TemporaryDirectory(dir=scratch(given.size)) as folder:
        bench = Bench(given.size, given.rounds, DATA, Path(folder))
        rows = []
        for name in given.only or ROWS:
            print(f"{name} ...", file=sys.stderr)
            rows += measured(name, bench)
    print(head(given.size, given.rounds), *table(rows), sep="\n")
    if given.write:
        text = document(given.size, given.rounds, rows)
        Path(given.write).write_text(text, encoding="utf-8")


def measured(name: str, bench: Bench) -> list[Row]:
    """The rows called ``name``; one that says why, where a command failed."""
    try:
        return ROWS[name](bench)
    except Failed as error:
        return [Row(name, "failed", met=False, note=str(error))]


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--size", type=size, default=200 * 10**6, metavar="BYTES")
    parser.add_argument("--rounds", type=int, default=5, metavar="N")
    parser.add_argument("--only", nargs="+", choices=ROWS, metavar="ROW")
    parser.add_argument("--write", metavar="FILE")
    return parser.parse_args()


def size(text: str) -> int:
    """A number with k, m or g."""
    scale = {"k": 10**3, "m": 10**6, "g": 10**9}.get(text[-1:].lower(), 1)
    return int(float(text.rstrip("kmgKMG")) * scale)


def refuse_shim(python: str) -> None:
    """Stop where the interpreter is a script: its start would be measured as ours."""
    with Path(python).open("rb") as file:
        if file.read(2) == b"#!":
            sys.exit(f"{python} is a script (a pyenv shim?): give a real interpreter")


def scratch(size: int) -> Path:
    """Where bodies are spilled to: memory if it has room, so that no disk is timed."""
    usable = SHARED_MEMORY.is_dir() and os.access(SHARED_MEMORY, os.W_OK)
    if usable and shutil.disk_usage(SHARED_MEMORY).free > ROOM * size:
        return SHARED_MEMORY
    DATA.mkdir(parents=True, exist_ok=True)
    return DATA


# --- the table ---


def table(rows: list[Row]) -> list[str]:
    """The rows in Markdown."""
    lines = ["| what | measured | target | verdict | |", "|---|---|---|---|---|"]
    for row in rows:
        cells = (row.what, row.measured, row.target, row.verdict, row.note)
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def head(size: int, rounds: int) -> str:
    """Where and when this was measured."""
    load = os.getloadavg()[0]
    busy = f", a load of {load:.1f}" if load > (os.cpu_count() or 1) else ""
    return (
        f"{time.strftime('%Y-%m-%d')}: {processor()}, {os.cpu_count()} cores{busy}, "
        f"{platform.system()}, "
        f"Python {platform.python_version()}, orjson {orjson.__version__}, {peers()}. "
        f"Input of {size / 1e6:.0f} MB, medians of {rounds} interleaved rounds.\n"
    )


def processor() -> str:
    """What the processor calls itself."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    names = [
        line.partition(":")[2] for line in text.split("\n") if "model name" in line
    ]
    return " ".join(names[0].split()) if names else platform.machine()


def peers() -> str:
    """The versions of the programs that are compared with."""
    found = []
    for name, argument in PEERS.items():
        if shutil.which(name) is None:
            found.append(f"no {name}")
            continue
        done = subprocess.run([name, argument], capture_output=True, check=False)
        version = done.stdout.decode("utf-8", "replace").partition("(")[0].split()
        number = version[-1].lstrip("v").removeprefix(f"{name}-") if version else ""
        found.append(f"{name} {number}".rstrip())
    return ", ".join(found)


def document(size: int, rounds: int, rows: list[Row]) -> str:
    """The table as a document, with what was run."""
    said = dict.fromkeys(command for row in rows for command in row.commands)
    return "\n".join(
        [
            "# Benchmarks",
            "",
            "`make bench` measures this anew; `make bench BENCH='--size 1g --write",
            "docs/benchmarks.md'` writes this page. A ratio compares whole processes",
            "that ran side by side; other machines have other times, but like ratios.",
            "",
            head(size, rounds),
            *table(rows),
            "",
            "What was run, besides the peers named above:",
            "",
            "```",
            *said,
            "```",
            "",
        ]
    )


if __name__ == "__main__":
    main()
