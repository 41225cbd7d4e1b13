"""Running a command in a project of its own."""

from __future__ import annotations

import os
import sys

import pytest
from compacting import written

from mewctl import cli


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """No settings file of this machine takes part; the root is a project."""
    for name in [name for name in os.environ if name.startswith("MEWCTL_")]:
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    monkeypatch.chdir(project)


@pytest.fixture
def project(tmp_path):
    return tmp_path / "project"


@pytest.fixture
def compact(capfdbinary):
    """Run ``mewctl compact``: exit code, output, words on stderr."""

    def run(*args):
        code = cli.run(["compact", *map(str, args)])
        sys.stdout.flush()
        seen = capfdbinary.readouterr()
        return code, seen.out, seen.err.decode()

    return run


@pytest.fixture
def save(tmp_path):
    """Write records to a file; its path."""

    def write(records, name="history.jsonl"):
        path = tmp_path / name
        path.write_bytes(written(records))
        return path

    return write
