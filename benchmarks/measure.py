"""Timing whole processes side by side, and their peak memory.

Every figure is a ratio: the contenders of a row run one after the other, round by
round, and medians are compared. Wall time, warm page cache, output into a pipe (some
programs notice /dev/null and stop early). SIGPIPE is restored in children: Python
ignores it, and a reader that stops early would not stop its writer.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

Command: TypeAlias = list[str]
Contender: TypeAlias = "Callable[[], float]"  # runs once; seconds

REPOSITORY = Path(__file__).parents[1]
PYTHON = sys.executable
CAT = ["cat"]
#: The floor of all that reads records: each line parsed and forgotten.
LOOP = """
import sys, orjson
for line in open(sys.argv[1], "rb"):
    orjson.loads(line)
"""
LONG = 8.0  # seconds of one round from which fewer rounds are made
FEW = 3  # rounds of a long row
STATE = "state-"  # how directories for spilled bodies begin

#: Prints the peak memory of a command, in kB. A process of its own, because a child's
#: figure begins with what its parent has in memory.
_PEAK = """
import os, sys
out = os.open(os.devnull, os.O_WRONLY)
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ,
                     file_actions=[(os.POSIX_SPAWN_DUP2, out, 1)])
_, status, used = os.wait4(pid, 0)
print(used.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""


class Failed(Exception):
    """A command ended with an exit code that tells nothing was measured."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Medians in seconds by contender, and over how many rounds."""

    seconds: Mapping[str, float]
    rounds: int

    def ratio(self, one: str, other: str) -> float:
        """How many times as long ``one`` takes as ``other``."""
        return self.seconds[one] / self.seconds[other]


def side_by_side(contenders: Mapping[str, Contender], rounds: int) -> Timing:
    """Run all, round by round. Rows with long rounds get ``FEW`` of them."""
    spent: dict[str, list[float]] = {name: [] for name in contenders}
    done = 0
    while done < rounds:
        start = time.perf_counter()
        for name, run in contenders.items():
            spent[name].append(run())
        done += 1
        if time.perf_counter() - start > LONG:
            rounds = min(rounds, FEW)
    return Timing({name: statistics.median(s) for name, s in spent.items()}, done)


def pipe(*commands: Command, empty: bool = False) -> Contender:
    """A pipeline; the last command's output is discarded. ``empty``: no input."""

    def run() -> float:
        start = time.perf_counter()
        source: int | None = subprocess.DEVNULL if empty else None
        children: list[subprocess.Popen[bytes]] = []
        for number, command in enumerate(commands, 1):
            out = subprocess.DEVNULL if number == len(commands) else subprocess.PIPE
            child = subprocess.Popen(
                command,
                stdin=source if not children else children[-1].stdout,
                stdout=out,
                stderr=subprocess.DEVNULL,
                env=environment(),
                restore_signals=True,
            )
            if children and children[-1].stdout:
                children[-1].stdout.close()  # so that it hears when its reader leaves
            children.append(child)
        codes = [child.wait() for child in children]
        spent = time.perf_counter() - start
        if any(codes):
            raise Failed(f"{words(*commands)}: exit codes {codes}")
        return spent

    return run


def fresh(make: Callable[[str], tuple[Command, ...]], folder: Path) -> Contender:
    """A pipeline that needs a directory of its own, removed outside the time."""

    def run() -> float:
        with own_directory(folder) as directory:
            return pipe(*make(directory))()

    return run


@contextlib.contextmanager
def own_directory(folder: Path) -> Iterator[str]:
    """The path of a directory in ``folder`` that is not there yet; gone afterwards."""
    directory = folder / f"{STATE}{time.monotonic_ns()}"
    try:
        yield str(directory)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def peak(command: Command) -> float:
    """Peak memory of a command in MB; its output is discarded."""
    if shutil.which(command[0]) is None:
        raise Failed(f"{command[0]} is not there")
    full = [PYTHON, "-I", "-S", "-c", _PEAK, str(shutil.which(command[0]))]
    done = subprocess.run(
        [*full, *command[1:]],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment(),
        check=False,
    )
    if done.returncode:
        last = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise Failed(f"{words(command)}: exit code {done.returncode}: {last}")
    return int(done.stdout) / 1e3


def mewctl(*args: str) -> Command:
    """Our command as a user runs it: the script beside the interpreter."""
    script = Path(PYTHON).parent / "mewctl"
    if script.exists():
        return [str(script), *args]
    return [PYTHON, "-m", "mewctl", *args]


def environment() -> dict[str, str]:
    """The environment of every contender: no settings of ours, none of a test's."""
    left_out = ("MEWCTL", "COV_", "COVERAGE", "PYTEST", "PYTHON")
    clean = {k: v for k, v in os.environ.items() if not k.startswith(left_out)}
    nowhere = str(REPOSITORY / "benchmarks" / "data" / "no-settings")
    return clean | {"XDG_CONFIG_HOME": nowhere, "PYTHONPATH": str(REPOSITORY)}


def words(*commands: Command) -> str:
    """A pipeline as one would type it: names for paths, LOOP for a program."""
    return " | ".join(" ".join(map(_word, command)) for command in commands)


def _word(word: str) -> str:
    if word == PYTHON:
        return "python"
    if "\n" in word:
        return "LOOP"
    if word.startswith("/"):
        name = word.rpartition("/")[2]
        return "DIR" if name.startswith(STATE) else name
    return f"'{word}'" if " " in word else word
