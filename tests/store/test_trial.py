"""A trial of a directory: real locks, syncs and renames, and nothing left behind."""

from __future__ import annotations

import fcntl
import os

import pytest

from mewctl.errors import StorageError
from mewctl.store import trial
from mewctl.store.trial import try_directory

ALL = {"write": None, "rename": None, "append": None, "lock": None}


def test_a_good_directory_passes_and_stays_as_it_was(tmp_path):
    (tmp_path / "mine").write_bytes(b"x")
    assert try_directory(str(tmp_path)) == ALL
    assert os.listdir(tmp_path) == ["mine"]


def test_where_nothing_can_be_made_that_is_the_finding(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    found = try_directory(str(tmp_path / "file"))
    assert set(found) == {"write"}
    assert isinstance(found["write"], StorageError)


@pytest.mark.parametrize(
    ("call", "name"),
    [("fsync", "write"), ("link", "write"), ("replace", "rename")],
)
def test_what_the_disk_refuses_is_named(tmp_path, monkeypatch, call, name):
    def fail(*_: object, **__: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, call, fail)
    found = try_directory(str(tmp_path))
    monkeypatch.undo()
    failed = {name for name, error in found.items() if error is not None}
    assert name in failed
    assert all("Input/output error" in str(found[name]) for name in failed)
    assert os.listdir(tmp_path) == []


def test_locks_that_lock_nobody_out_are_a_fault(tmp_path, monkeypatch):
    monkeypatch.setattr(fcntl, "flock", lambda _fd, _how: None)
    found = try_directory(str(tmp_path))
    assert "a lock does not keep a second one out" in str(found["lock"])
    assert os.listdir(tmp_path) == []


def test_bytes_that_come_back_changed_are_a_fault(tmp_path, monkeypatch):
    monkeypatch.setattr(trial, "read_file", lambda _path, _most: b"other")
    assert "other bytes come back" in str(try_directory(str(tmp_path))["rename"])
