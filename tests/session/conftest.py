"""Logs on a real disk."""

from __future__ import annotations

import json

import pytest

from mewctl.session.layout import Layout
from mewctl.session.reading import LogReader
from mewctl.transcripts import Report


def line(value) -> bytes:
    return value if isinstance(value, bytes) else json.dumps(value).encode()


@pytest.fixture
def write(tmp_path):
    """Write lines (values or bytes) as a log, with mode 0600; its path."""

    def make(*lines, name="conversation.jsonl", end=b"\n"):
        path = tmp_path / name
        path.write_bytes(b"\n".join(map(line, lines)) + (end if lines else b""))
        path.chmod(0o600)
        return str(path)

    return make


@pytest.fixture
def history():
    """The history that a log holds, and what was told about it."""

    def read(path):
        report = Report()
        with LogReader(path) as reader:
            found = [value for _, value in reader.history(reader.live(), report)]
        return found, report.notes

    return read


@pytest.fixture
def layout(tmp_path):
    directory = tmp_path / "20261201-000000-aaaa"
    directory.mkdir(mode=0o700)
    return Layout(str(directory))
