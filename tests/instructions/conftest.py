"""Projects with instructions."""

from __future__ import annotations

import os
import sys

import pytest
from instructing import Project, Told, no_hang

from mewctl import cli

SECONDS = 30  # within which even the largest tree is rendered


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
