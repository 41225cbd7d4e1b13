"""The bad-input zoo: each row of the list that a command can meet, by its number.

``test_filters`` has rows 1 to 33, ``test_histories`` 34 to 44, ``test_spilled`` 57 to
62, ``test_surroundings`` 93 to 102, ``test_security`` those of S1 to S33. The rows
between are about single commands.
"""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass
from unittest import mock

import pytest

from mewctl import cli
from tests.support.processes import environ, mew, shell, small, spilling, work

__all__ = ["environ", "mew", "shell", "small", "spilling", "work"]


@dataclass(frozen=True)
class Done:
    """What a run ended with."""

    code: int
    out: bytes
    err: str

    @property
    def lines(self) -> list[bytes]:
        return self.out.splitlines(keepends=True)

    @property
    def records(self) -> list:
        return [json.loads(line) for line in self.out.split(b"\n") if line]


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run mewctl in this process, in an empty project: ``run("repair -q", data)``.

    Whatever comes of it, there is no traceback, and words come in whole lines.
    """
    for name in ("home", "project"):
        (tmp_path / name).mkdir(exist_ok=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("MEWCTL_DEBUG", raising=False)
    monkeypatch.chdir(tmp_path / "project")

    def go(command: str | list[str], data: bytes = b"") -> Done:
        args = command.split() if isinstance(command, str) else command
        streams = [io.TextIOWrapper(io.BytesIO(part)) for part in (data, b"", b"")]
        names = ("stdin", "stdout", "stderr")
        with mock.patch.multiple(sys, **dict(zip(names, streams, strict=True))):
            code = cli.run(args)
            streams[1].flush()
            streams[2].flush()
        out, err = (stream.buffer.getvalue() for stream in streams[1:])
        said = err.decode()
        assert "Traceback" not in said
        assert "internal error" not in said
        assert said.endswith("\n") or not said
        return Done(code, out, said)

    return go


@pytest.fixture
def project(tmp_path):
    """The directory in which ``run`` runs."""
    return tmp_path / "project"
