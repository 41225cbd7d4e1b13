"""Projects with instructions, made up in a directory, and commands run in them."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from mewctl import cli

SECONDS = 30  # within which even the largest tree is rendered
CANARY = "CANARY-8f31"  # stands in all that must not be read


class Told(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


class Project:
    """A project in ``top``/project with a home and files outside beside it."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.root = top / "project"
        self.home = top / "home"
        self.outside = top / "outside"
        for directory in (self.root / ".git", self.home, self.outside):
            directory.mkdir(parents=True)
        self.put("../outside/secret.md", f"{CANARY}\n")
        self.put("../home/secret.md", f"{CANARY}\n")

    def put(self, name: str, content: str | bytes = "") -> Path:
        """A file, named from the root; text is written as UTF-8."""
        path = Path(os.path.normpath(self.root / name))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def link(self, name: str, target: str) -> None:
        """A symbolic link, named from the root."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)

    def main(self, *lines: str) -> None:
        """The project's own MEWCODE.md."""
        self.put("MEWCODE.md", "\n".join(lines) + "\n")


@contextmanager
def no_hang(seconds: int):
    """End in an error what waits for longer than so many seconds."""

    def end(*_: object) -> None:
        raise TimeoutError(f"still waiting after {seconds} seconds")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project to render, entered; no settings of this machine take part."""
    for name in [name for name in os.environ if name.startswith("MEWCTL_")]:
        monkeypatch.delenv(name)
    made = Project(tmp_path)
    monkeypatch.setenv("HOME", str(made.home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(made.home))
    monkeypatch.chdir(made.root)
    return made


@pytest.fixture
def mew(capfdbinary):
    """Run a command: ``mew("instructions", "render")``."""

    def run(*args):
        with no_hang(SECONDS):
            code = cli.run(list(map(str, args)))
        sys.stdout.flush()
        seen = capfdbinary.readouterr()
        return Told(code, seen.out.decode(), seen.err.decode())

    return run


@pytest.fixture
def render(mew):
    """Run ``mewctl instructions render``."""
    return lambda *args: mew("instructions", "render", *args)
