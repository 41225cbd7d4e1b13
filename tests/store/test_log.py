from __future__ import annotations

import errno
import os
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl.errors import StorageError, Unsafe
from mewctl.store import log as log_module
from mewctl.store.log import Log


def broken(error: int):
    def fail(*_args):
        raise OSError(error, os.strerror(error))

    return fail


def test_appending_makes_a_private_file_and_adds_lines(tmp_path):
    path = tmp_path / "log"
    with Log(str(path)) as log:
        assert log.append(b"one\n") == 0
        assert log.append(b"two\nthree\n", sync=False) == 4
        assert log.size == 14
    assert path.read_bytes() == b"one\ntwo\nthree\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_wider_mode_of_a_log_that_is_there_is_left_alone(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"")
    path.chmod(0o640)
    Log(str(path)).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@given(tail=st.binary(max_size=40))
def test_a_torn_tail_never_swallows_the_next_record(tmp_path_factory, tail):
    path = tmp_path_factory.mktemp("log") / "log"
    path.write_bytes(b"whole\n" + tail)
    with Log(str(path)) as log:
        start = log.append(b"new\n")
    data = path.read_bytes()
    assert data[start:] == b"new\n"
    assert data.startswith(b"whole\n" + tail)
    assert b"new" in data.split(b"\n")


@pytest.mark.parametrize("plant", ["symlink", "fifo", "directory", "hard link"])
def test_a_log_that_is_no_plain_file_of_ours_is_refused(tmp_path, plant):
    path = tmp_path / "log"
    real = tmp_path / "real"
    real.write_bytes(b"theirs\n")
    match plant:
        case "symlink":
            path.symlink_to(real)
        case "fifo":
            os.mkfifo(path)
        case "directory":
            path.mkdir()
        case _:
            os.link(real, path)
    with pytest.raises(Unsafe):
        Log(str(path))
    assert real.read_bytes() == b"theirs\n"


def test_the_log_of_another_user_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "log"
    path.write_bytes(b"")
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(Unsafe, match="another user"):
        Log(str(path))


def test_a_log_is_only_made_when_asked_for(tmp_path):
    with pytest.raises(StorageError):
        Log(str(tmp_path / "log"), create=False)
    assert not (tmp_path / "log").exists()


@pytest.mark.parametrize("call", ["write", "fsync"])
@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO, errno.EFBIG])
def test_after_a_failure_the_log_is_as_it_was(tmp_path, monkeypatch, call, error):
    path = tmp_path / "log"
    path.write_bytes(b"old\ntorn")
    with Log(str(path)) as log:
        monkeypatch.setattr(os, call, broken(error))
        with pytest.raises(StorageError) as caught:
            log.append(b"new\n")
    assert caught.value.fields["path"] == str(path)
    assert "nothing was appended" in str(caught.value)
    assert path.read_bytes() == b"old\ntorn"


def test_half_a_write_is_taken_back(tmp_path, monkeypatch):
    path = tmp_path / "log"
    path.write_bytes(b"old\n")
    real = os.write
    sizes = iter([3])

    def write(fd, data):
        size = next(sizes, 0)
        if not size:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(fd, bytes(data)[:size])

    monkeypatch.setattr(os, "write", write)
    with Log(str(path)) as log, pytest.raises(StorageError, match="free some space"):
        log.append(b"0123456789\n")
    assert path.read_bytes() == b"old\n"


def test_a_failed_sync_is_not_tried_again(tmp_path, monkeypatch):
    calls = []

    def fsync(fd):
        calls.append(fd)
        raise OSError(errno.EIO, "Input/output error")

    path = tmp_path / "log"
    path.write_bytes(b"")
    with Log(str(path)) as log:
        monkeypatch.setattr(os, "fsync", fsync)
        with pytest.raises(StorageError):
            log.append(b"new\n")
    assert len(calls) == 1


def test_what_cannot_be_taken_back_is_told(tmp_path, monkeypatch):
    path = tmp_path / "log"
    with Log(str(path)) as log:
        monkeypatch.setattr(os, "fsync", broken(errno.EIO))
        monkeypatch.setattr(os, "ftruncate", broken(errno.EIO))
        with pytest.raises(StorageError, match="a part of it was left at the end"):
            log.append(b"new\n")


def test_an_interrupt_takes_the_write_back(tmp_path, monkeypatch):
    path = tmp_path / "log"
    path.write_bytes(b"old\n")

    def interrupted(_fd):
        raise KeyboardInterrupt

    with Log(str(path)) as log:
        monkeypatch.setattr(os, "fsync", interrupted)
        with pytest.raises(KeyboardInterrupt):
            log.append(b"new\n")
    assert path.read_bytes() == b"old\n"


def test_a_tail_that_cannot_be_read_is_a_storage_error(tmp_path, monkeypatch):
    path = tmp_path / "log"
    path.write_bytes(b"old\n")
    with Log(str(path)) as log:
        monkeypatch.setattr(os, "pread", broken(errno.EIO))
        with pytest.raises(StorageError, match="cannot read"):
            log.append(b"new\n")


def test_a_new_log_whose_name_cannot_be_synced_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(log_module, "sync_dir", broken(errno.EIO))
    with pytest.raises(StorageError, match="cannot sync the directory"):
        Log(str(tmp_path / "log"))


def test_a_log_knows_when_its_path_is_another_file(tmp_path):
    path = tmp_path / "log"
    with Log(str(path)) as log:
        assert not log.moved()
        path.rename(tmp_path / "away")
        assert log.moved()
        path.write_bytes(b"other")
        assert log.moved()


def test_a_log_can_be_cut_back_and_read(tmp_path):
    path = str(tmp_path / "log")
    with Log(path) as log:
        log.append(b"one\ntwo\n")
        assert log.read(4) == b"two\n"
        log.cut(4)
        assert log.size == 4
        log.append(b"three\n")
    with open(path, "rb") as file:
        assert file.read() == b"one\nthree\n"
