"""Real processes, mewctl as a shell starts it, and small histories, as fixtures."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = (sys.executable, "-m", "mewctl")


@pytest.fixture
def environ(tmp_path):
    """The environment of a user with an empty home and no settings."""
    home = tmp_path / "home"
    home.mkdir()
    kept = {k: os.environ[k] for k in ("PATH", "LANG", "LC_ALL") if k in os.environ}
    return kept | {"HOME": str(home), "PYTHONPATH": str(ROOT)}


@pytest.fixture
def work(tmp_path):
    """An empty project to work in."""
    directory = tmp_path / "work"
    directory.mkdir()
    return directory


@pytest.fixture
def mew(environ, work):
    """Run mewctl: ``mew("spill", "-q", data=b"...")``."""

    def run(*args: str, data: bytes = b"", **options) -> subprocess.CompletedProcess:
        options = {"env": environ, "cwd": work, "timeout": 60} | options
        return subprocess.run(
            [*PROGRAM, *args], input=data, capture_output=True, check=False, **options
        )

    return run


@pytest.fixture
def shell(environ, work):
    """Run a line of bash in which ``mewctl`` is our program."""

    def run(
        script: str, data: bytes = b"", **extra: str
    ) -> subprocess.CompletedProcess:
        quoted = " ".join(f"'{word}'" for word in PROGRAM)
        text = f'set -o pipefail; mewctl() {{ {quoted} "$@"; }}; {script}'
        return subprocess.run(
            ["bash", "-c", text],
            input=data,
            capture_output=True,
            check=False,
            env=environ | extra,
            cwd=work,
            timeout=60,
        )

    return run


def line(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


@pytest.fixture(scope="session")
def small() -> bytes:
    """A history of four records."""
    return b"".join(
        map(
            line,
            [
                {"role": "user", "content": "list the files"},
                {
                    "role": "assistant",
                    "content": "I look.",
                    "tool_calls": [
                        {"id": "call_1", "name": "ls", "input": {"path": "."}}
                    ],
                },
                {
                    "role": "tool",
                    "tool_results": [
                        {"tool_call_id": "call_1", "content": "README.md"}
                    ],
                },
                {"role": "assistant", "content": "There is one file."},
            ],
        )
    )


@pytest.fixture(scope="session")
def large() -> bytes:
    """A history of some megabytes with results that are under every limit."""
    records = [{"role": "user", "content": "read it all"}]
    for number in range(150):
        call = {"id": f"call_{number}", "name": "read", "input": {"n": number}}
        body = f"{number} is a number with a long story. " * 1000
        result = {"tool_call_id": call["id"], "content": body[:40_000]}
        records += [
            {"role": "assistant", "content": "next", "tool_calls": [call]},
            {"role": "tool", "tool_results": [result]},
        ]
    records.append({"role": "assistant", "content": "read"})
    return b"".join(map(line, records))


@pytest.fixture(scope="session")
def spilling() -> bytes:
    """A history with one result over the limit."""
    body = "".join(f"line {n}: nothing to see here\n" for n in range(4000))
    return b"".join(
        map(
            line,
            [
                {"role": "user", "content": "run it"},
                {
                    "role": "assistant",
                    "content": "",
                    "tool_calls": [
                        {"id": "call_big", "name": "bash", "input": {"command": "run"}}
                    ],
                },
                {
                    "role": "tool",
                    "tool_results": [{"tool_call_id": "call_big", "content": body}],
                },
                {"role": "assistant", "content": "done"},
            ],
        )
    )
