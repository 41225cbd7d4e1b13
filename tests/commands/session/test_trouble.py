"""Logs and stores that are not what they should be: one line, the right code."""

from __future__ import annotations

import os
from functools import partialmethod

import pytest
from talks import user

from mewctl.store.lock import Lock, locked

READ = [("load",), ("show",), ("resume", "--window", "9000"), ("export",)]
WRITE = [("append",), ("undo",), ("compact", "--window", "9000")]


def spoil(kind, path):
    """Make a log into something else."""
    aside = path.with_name("aside")
    if kind == "hard link":
        os.link(path, aside)
        return
    if kind == "other owner":
        os.chown(path, 12345, 12345)
        return
    path.rename(aside)
    if kind == "link":
        path.symlink_to(aside)
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "directory":
        path.mkdir()
    elif kind == "device":
        path.symlink_to("/dev/zero")


root = pytest.mark.skipif(os.geteuid() != 0, reason="giving a file away needs root")


@pytest.mark.parametrize(
    "kind",
    [
        "link",
        "pipe",
        "directory",
        "device",
        "hard link",
        pytest.param("other owner", marks=root),
    ],
)
@pytest.mark.parametrize("command", [*READ, *WRITE], ids=lambda command: command[0])
def test_a_log_that_is_not_ours_alone_is_refused(session, new, log, kind, command):
    name = new(user("a"))
    spoil(kind, log(name))
    first, *rest = command
    done = session(first, name, *rest, data=[user("b")], code=12)
    assert done.out == b""
    assert len(done.err.strip().splitlines()) == 1
    assert "move it away" in done.err
    assert b'"b"' not in (log(name).read_bytes() if kind == "hard link" else b"")


@pytest.mark.parametrize("command", [*READ, *WRITE], ids=lambda command: command[0])
def test_a_log_that_is_gone_is_told(session, new, log, command):
    name = new(user("a"))
    log(name).unlink()
    first, *rest = command
    code = 0 if first == "append" else 4 if first == "undo" else 5
    done = session(first, name, *rest, data=[user("b")], code=code)
    assert code == 0 or len(done.err.strip().splitlines()) == 1


@pytest.mark.parametrize("command", [("append",), ("undo",)])
def test_a_session_in_use_is_waited_for_and_then_told(
    session, new, log, monkeypatch, command
):
    name = new(user("a"))
    session("append", name, "-q", "--replace", data=[user("S")])
    monkeypatch.setattr(Lock, "held", partialmethod(Lock.held, timeout=0.05))
    before = log(name).read_bytes()
    with locked(str(log(name).parent)):
        done = session(*command, name, data=[user("b")], code=11)
    assert "try again later" in done.err
    assert log(name).read_bytes() == before


def test_a_store_that_is_a_file_is_told(session, project):
    (project / ".mewcode").write_text("")
    for command in (("new",), ("list",), ("load", "x")):
        done = session(*command, code=5)
        assert str(project / ".mewcode") in done.err


def test_without_a_working_directory_the_user_level_is_used(
    session, tmp_path, monkeypatch
):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    name = session("new").out.decode().strip()
    assert (tmp_path / "home" / ".mewcode" / "sessions" / name).is_dir()
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("ts", [-5, 1e18, 0, 4e9])
def test_times_no_clock_has_are_no_bug(session, new, ts):
    name = new(user("a", ts=ts))
    for args in (
        ("list",),
        ("list", "--format", "table"),
        ("show", name, "--format", "table"),
        ("checkpoints", name),
        ("clean", "--dry-run"),
        ("clean", "--dry-run", "--keep-daily", "3"),
        ("resume", name, "--window", "9000"),
    ):
        assert "internal error" not in session(*args).err


def test_a_clock_that_ran_backwards_removes_nothing(session, new, monkeypatch, log):
    import time

    name = new(user("a"))
    monkeypatch.setattr(time, "time", lambda: 1000.0)
    assert session("clean").out == b""
    assert log(name).exists()


def test_what_a_later_version_wrote_is_not_written_over(session, new, log):
    name = new(user("a"))
    (log(name).parent / "session.json").write_text('{"version":99,"title":"later"}')
    done = session("pin", name, code=6)
    assert "upgrade mewctl" in done.err


def test_errors_are_objects_where_the_output_is(session):
    import json

    done = session("show", "nope", "--format", "jsonl", code=4)
    error = json.loads(done.err)
    assert (error["type"], error["code"]) == ("error", 4)
