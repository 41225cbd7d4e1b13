"""Running session commands in a project of their own, without a process."""

from __future__ import annotations

import io
import json
import sys
from contextlib import contextmanager
from types import SimpleNamespace
from unittest import mock

import pytest
from talks import turns

from mewctl import cli


@pytest.fixture(autouse=True)
def _project(elsewhere):
    """Nothing of this machine takes part."""


@contextmanager
def _stdin(data: bytes):
    given = io.TextIOWrapper(io.BytesIO(data))
    with mock.patch.object(sys, "stdin", given):
        yield


@pytest.fixture
def run(capfdbinary):
    """Run ``mewctl``: ``run("session", "load", S, data=b"")``: code, out, err."""

    def call(*args, data=b""):
        with _stdin(data):
            code = cli.run([str(arg) for arg in args])
        sys.stdout.flush()
        seen = capfdbinary.readouterr()
        return SimpleNamespace(code=code, out=seen.out, err=seen.err.decode())

    return call


@pytest.fixture
def session(run):
    """The same for ``mewctl session``; a failure is one of the test."""

    def call(*args, data=b"", code=0):
        if isinstance(data, list):
            data = written(*data)
        done = run("session", *args, data=data)
        assert done.code == code, done.err
        return done

    return call


@pytest.fixture
def new(session):
    """A new session with some records: its id."""

    def make(*records):
        name = session("new").out.decode().strip()
        if records:
            session("append", name, "-q", data=written(*records))
        return name

    return make


@pytest.fixture
def log(project):
    """The path of a session's log."""

    def path(name):
        return project / ".mewcode" / "sessions" / name / "conversation.jsonl"

    return path


def written(*records) -> bytes:
    """Records as JSONL."""
    return b"".join(
        (r if isinstance(r, bytes) else json.dumps(r).encode()) + b"\n" for r in records
    )


def read(data: bytes) -> list:
    """JSONL as values."""
    return [json.loads(line) for line in data.split(b"\n") if line]


@pytest.fixture
def jsonl():
    """Both ways between values and JSONL."""
    return SimpleNamespace(write=written, read=read)


@pytest.fixture
def long(new):
    """A session that is due to be compacted under a window of 8,000 tokens."""
    return new(*turns(60))


@pytest.fixture
def markers(log):
    """The compact markers of a session's log."""

    def find(name):
        records = read(log(name).read_bytes())
        return [r for r in records if r.get("type") == "compact"]

    return find
