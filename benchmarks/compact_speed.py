"""How fast a big history is compacted, beside a loop that only parses JSON.

    python benchmarks/compact_speed.py [MEGABYTES]

Makes a Claude Code look-alike and a mew history of that size (50) from the sources of
Python's own library, and compacts each with the offline provider. Prints wall time
(median of five) of the whole command, its ratio to an ``orjson.loads`` loop over the
same file, and peak memory. Targets: <= 8 x the loop; <= 30 MB + 3 x the input.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterator

RUNS = 5
SESSION = "0b6d6f0e-77a3-4c53-9b07-3f4c7c1d0f11"
START = 1_780_000_000


def main() -> None:
    """Print one line for each command."""
    size = int(float(sys.argv[1]) * 1e6) if sys.argv[1:] else 50_000_000
    with tempfile.TemporaryDirectory() as folder:
        for name, write in (("claude-code", claude_code), ("mew", mew)):
            path = Path(folder, f"{name}.jsonl")
            write(path, size)
            base = statistics.median(parsed(path) for _ in range(RUNS))
            megabytes = path.stat().st_size / 1e6
            print(f"{name}: {megabytes:.0f} MB; orjson.loads loop {base:.3f} s")
            for trigger in ("auto", "manual"):
                runs = [compacted(path, trigger, folder) for _ in range(RUNS)]
                spent = statistics.median(time for time, _ in runs)
                peak = max(memory for _, memory in runs)
                allowed = 30 + 3 * megabytes
                print(
                    f"  {trigger:8} {spent:6.2f} s  {spent / base:5.1f} x"
                    f"  {peak:5.0f} MB of {allowed:.0f}"
                )


def parsed(path: Path) -> float:
    """Seconds that a bare loop takes."""
    start = time.perf_counter()
    with path.open("rb") as file:
        for line in file:
            orjson.loads(line)
    return time.perf_counter() - start


def compacted(path: Path, trigger: str, folder: str) -> tuple[float, float]:
    """Seconds and peak megabytes of the command."""
    root = tempfile.mkdtemp(dir=folder)
    command = [sys.executable, "-m", "mewctl", "compact", "--root", root, "-q"]
    command += ["--trigger", trigger, "--window", "200000", str(path)]
    start = time.perf_counter()
    with open(os.devnull, "wb") as nowhere:
        child = subprocess.Popen(command, stdout=nowhere)
        _, status, used = os.wait4(child.pid, 0)
    spent = time.perf_counter() - start
    if status:
        raise SystemExit(f"{' '.join(command)} failed: {status}")
    return spent, used.ru_maxrss / 1e3


# --- what is compacted ---


class Steps:
    """The work of an agent: what it was told, thought, called and got, at random."""

    def __init__(self) -> None:
        self.random = random.Random(1)
        library = Path(sysconfig.get_path("stdlib"))
        self.files = sorted(library.glob("*.py"))[:120]
        self.texts = [file.read_text() for file in self.files]

    def piece(self, low: int, high: int) -> str:
        """So many characters of some source."""
        text = self.random.choice(self.texts)
        size = min(self.random.randint(low, high), len(text) - 1)
        start = self.random.randrange(len(text) - size)
        return text[start : start + size]

    def result(self) -> str:
        """The output of a tool: mostly short, now and then long."""
        size = int(min(self.random.lognormvariate(7.6, 1.2), 60_000))
        return self.piece(size, size + 1) or "(no output)"

    def call(self, number: int) -> dict[str, Any]:
        """One tool call."""
        kind = self.random.choice(["Read", "Bash", "Bash", "Edit"])
        path = f"/srv/app/{self.random.choice(self.files).name}"
        given: dict[str, Any] = {"file_path": path}
        if kind == "Bash":
            given = {"command": f"pytest -q {path} -k case_{number % 97}"}
        elif kind == "Edit":
            given |= {"old_string": self.piece(50, 400)}
            given |= {"new_string": self.piece(50, 600)}
        return {"id": f"toolu_{number:08}", "name": kind, "input": given}


def claude_code(path: Path, size: int) -> None:
    """Write records as Claude Code does: an entry for each block, results twice."""
    steps = Steps()
    parent = None
    written = number = 0
    with path.open("w") as file:
        while written < size:
            for record in _entries(steps, number):
                number += 1
                record |= {"parentUuid": parent, "uuid": f"{number:032x}"}
                record |= {"sessionId": SESSION, "isSidechain": False, "cwd": "/srv"}
                record |= {"version": "2.1.199", "timestamp": _stamp(number)}
                parent = record["uuid"]
                written += file.write(json.dumps(record) + "\n")


def _entries(steps: Steps, number: int) -> Iterator[dict[str, Any]]:
    yield {"type": "user", "message": _said(f"Step {number}: {steps.piece(40, 400)}")}
    for turn in range(steps.random.randint(3, 30)):
        usage = {"input_tokens": 2, "output_tokens": 300}
        usage["cache_read_input_tokens"] = min(180_000, 15_000 + number * 50)
        message = {"id": f"msg_{number}_{turn}", "role": "assistant", "usage": usage}
        message |= {"model": "claude-sonnet-4-5", "type": "message"}
        call = steps.call(number * 100 + turn)
        thought = {"type": "thinking", "thinking": steps.piece(100, 1500)}
        thought["signature"] = "c2ln" * 90
        for block in (thought, {"type": "tool_use", **call}):
            yield {"type": "assistant", "message": {**message, "content": [block]}}
        output = steps.result()
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": output}
        yield {
            "type": "user",
            "message": {"role": "user", "content": [result]},
            "toolUseResult": {"stdout": output, "stderr": "", "interrupted": False},
        }
    block = {"type": "text", "text": steps.piece(200, 2000)}
    yield {"type": "assistant", "message": {**message, "content": [block]}}


def _said(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def _stamp(number: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(START + number))


def mew(path: Path, size: int) -> None:
    """Write the same kind of work as mew records."""
    steps = Steps()
    written = number = 0
    with path.open("w") as file:
        while written < size:
            for record in _messages(steps, number):
                number += 1
                record["ts"] = START + number
                written += file.write(json.dumps(record) + "\n")


def _messages(steps: Steps, number: int) -> Iterator[dict[str, Any]]:
    yield _said(f"Step {number}: {steps.piece(40, 400)}")
    for turn in range(steps.random.randint(3, 30)):
        calls = [steps.call(number * 100 + turn)]
        text = steps.piece(0, 300)
        yield {"role": "assistant", "content": text, "tool_calls": calls}
        result = {"tool_call_id": calls[0]["id"], "content": steps.result()}
        yield {"role": "tool", "content": "", "tool_results": [result]}
    yield {"role": "assistant", "content": steps.piece(200, 2000)}


if __name__ == "__main__":
    main()
