from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mewctl.errors import Locked, StorageError, Unsafe
from mewctl.store import lock as lock_module
from mewctl.store.lock import NAME, Lock, is_locked, locked

ROOT = str(Path(__file__).parents[2])


def test_a_lock_keeps_others_out_until_it_is_given_back(tmp_path):
    with locked(str(tmp_path)):
        started = time.monotonic()
        held = pytest.raises(Locked, match="another process has held the lock")
        with held, locked(str(tmp_path), 0.05):
            pass
        assert time.monotonic() - started < 5
    with locked(str(tmp_path), 0):
        pass
    assert oct((tmp_path / NAME).stat().st_mode)[-3:] == "600"


def test_a_lock_that_is_given_back_meanwhile_is_taken(tmp_path, monkeypatch):
    with open(tmp_path / NAME, "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        monkeypatch.setattr(time, "sleep", lambda _: fcntl.flock(held, fcntl.LOCK_UN))
        with locked(str(tmp_path), 5), pytest.raises(BlockingIOError):
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_a_lock_is_gone_with_the_process_that_held_it(tmp_path):
    code = (
        "import os, signal, sys\n"
        "from mewctl.store.lock import locked\n"
        "with locked(sys.argv[1]):\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        env={"PYTHONPATH": ROOT},
        check=False,
    )
    assert done.returncode == -9
    with locked(str(tmp_path), 0):
        pass


def test_a_lock_file_that_was_moved_away_is_no_lock(tmp_path, monkeypatch):
    real = fcntl.flock
    moved = []

    def flock(fd, how):
        real(fd, how)
        if not moved:
            moved.append((tmp_path / NAME).rename(tmp_path / "old"))

    monkeypatch.setattr(fcntl, "flock", flock)
    with locked(str(tmp_path), 5):
        assert (tmp_path / NAME).exists()
        assert (tmp_path / "old").exists()


# S29: network file systems
@pytest.mark.parametrize("error", [errno.ENOLCK, errno.ENOTSUP])
def test_a_file_system_without_locks_is_told(tmp_path, monkeypatch, error):
    def flock(_fd, _how):
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(fcntl, "flock", flock)
    remedy = "has no locks; use a directory on a local disk"
    with pytest.raises(StorageError, match=remedy), locked(str(tmp_path)):
        pass


def test_a_planted_lock_file_is_refused(tmp_path):
    (tmp_path / NAME).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Unsafe), locked(str(tmp_path)):
        pass
    assert not (tmp_path / "elsewhere").exists()


def test_a_directory_that_is_not_there_is_a_storage_error(tmp_path):
    with pytest.raises(StorageError), locked(str(tmp_path / "none")):
        pass


def test_a_lock_file_that_cannot_be_seen_is_a_storage_error(tmp_path, monkeypatch):
    def stat(*_args, **_kwargs):
        raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(lock_module.os, "stat", stat)
    with pytest.raises(StorageError, match="cannot lock"), locked(str(tmp_path)):
        pass


def test_a_lock_is_held_again_and_again_by_one_file(tmp_path):

    lock = Lock(str(tmp_path))
    for _ in range(2):
        with lock.held():
            with pytest.raises(Locked), locked(str(tmp_path), timeout=0):
                pass
            assert is_locked(str(tmp_path))
        assert not is_locked(str(tmp_path))
    with locked(str(tmp_path)), pytest.raises(Locked), lock.held(timeout=0.05):
        pass
    with lock.held():
        pass
    lock.close()
    lock.close()


def test_a_lock_follows_the_directory_that_is_there_now(tmp_path):

    place, away = tmp_path / "a", tmp_path / "b"
    place.mkdir()
    lock = Lock(str(place))
    with lock.held():
        pass
    place.rename(away)
    place.mkdir()
    with lock.held():
        assert is_locked(str(place))
        assert not is_locked(str(away))
    lock.close()


def test_looking_for_a_lock_makes_nothing(tmp_path):
    assert not is_locked(str(tmp_path))
    assert not is_locked(str(tmp_path / "none"))
    assert list(tmp_path.iterdir()) == []
