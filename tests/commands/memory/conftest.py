"""Running memory commands in a project of their own, without a process."""

from __future__ import annotations

import io
import json
import sys
from types import SimpleNamespace
from unittest import mock

import pytest

from mewctl import cli


@pytest.fixture(autouse=True)
def _project(elsewhere):
    """Nothing of this machine takes part."""


@pytest.fixture
def store(project):
    return project / ".mewcode" / "memory"


@pytest.fixture
def user_store(tmp_path):
    return tmp_path / "home" / ".mewcode" / "memory"


@pytest.fixture
def run(capfdbinary):
    """Run ``mewctl``: exit code, output, its records, words on stderr."""

    def call(*args, data=b""):
        if isinstance(data, list):
            data = b"".join(json.dumps(one).encode() + b"\n" for one in data)
        given = io.TextIOWrapper(io.BytesIO(data))
        with mock.patch.object(sys, "stdin", given):
            code = cli.run([str(arg) for arg in args])
        sys.stdout.flush()
        seen = capfdbinary.readouterr()
        return SimpleNamespace(code=code, out=seen.out.decode(), err=seen.err.decode())

    return call


@pytest.fixture
def memory(run):
    """The same for ``mewctl memory``; a failure is one of the test."""

    def call(*args, data=b"", code=0):
        done = run("memory", *args, data=data)
        assert done.code == code, done.err
        done.records = [
            json.loads(line) for line in done.out.splitlines() if line[:1] == "{"
        ]
        return done

    return call


@pytest.fixture
def add(memory):
    """A note: ``add("title", "text", ...)``; its id."""

    def make(title, text, *args):
        return memory("add", title, "--text", text, "-q", *args).out.strip()

    return make
