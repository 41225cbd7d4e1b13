from __future__ import annotations

import errno
import os
import signal
import stat

import pytest

from mewctl.errors import StorageError
from mewctl.store import files
from mewctl.store.files import (
    AlreadyThere,
    create_all,
    create_exclusive,
    private_dir,
    replace,
    sync_dir,
    write_all,
)
from mewctl.streams import interrupts


def mode(path) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


def failing(error: int, times: int = 10**9):
    """A function that raises ``error`` so many times."""
    left = [times]

    def fail(*_args, **_kwargs):
        if left[0]:
            left[0] -= 1
            raise OSError(error, os.strerror(error))

    return fail


@pytest.fixture
def umask(request):
    old = os.umask(request.param)
    yield request.param
    os.umask(old)


umasks = pytest.mark.parametrize("umask", [0o000, 0o022, 0o777], indirect=True)


@umasks
@pytest.mark.usefixtures("umask")
def test_directories_are_private_whatever_the_umask(tmp_path):
    private_dir(str(tmp_path / "a" / "b"))
    assert mode(tmp_path / "a") == 0o700
    assert mode(tmp_path / "a" / "b") == 0o700


@umasks
@pytest.mark.usefixtures("umask")
def test_files_are_private_whatever_the_umask(tmp_path):
    create_exclusive(str(tmp_path / "new"), b"1")
    replace(str(tmp_path / "state"), b"2")
    assert mode(tmp_path / "new") == mode(tmp_path / "state") == 0o600


def test_a_directory_that_is_there_keeps_its_mode(tmp_path):
    os.chmod(tmp_path, 0o755)
    private_dir(str(tmp_path))
    assert mode(tmp_path) == 0o755


def test_a_file_in_the_way_of_a_directory_is_a_storage_error(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageError, match="Not a directory"):
        private_dir(str(tmp_path / "file"))
    with pytest.raises(StorageError, match="Not a directory"):
        private_dir(str(tmp_path / "file" / "below"))


def test_a_directory_that_cannot_be_made_is_a_storage_error(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "mkdir", failing(errno.EROFS))
    with pytest.raises(StorageError, match="Read-only") as caught:
        private_dir(str(tmp_path / "new"))
    assert caught.value.fields["path"] == str(tmp_path / "new")


def test_making_a_directory_that_another_process_made_meanwhile_is_fine(
    tmp_path, monkeypatch
):
    real = os.mkdir

    def mkdir(path, *_args):
        real(path)
        raise FileExistsError(errno.EEXIST, "File exists")

    monkeypatch.setattr(os, "mkdir", mkdir)
    private_dir(str(tmp_path / "new"))
    assert (tmp_path / "new").is_dir()


def test_a_new_file_has_its_bytes_and_leaves_nothing_else(tmp_path):
    create_exclusive(str(tmp_path / "body"), b"\0\xff data")
    assert (tmp_path / "body").read_bytes() == b"\0\xff data"
    assert os.listdir(tmp_path) == ["body"]
    assert os.stat(tmp_path / "body").st_nlink == 1


@pytest.mark.parametrize("kind", ["file", "directory", "symlink", "dangling"])
def test_a_taken_name_is_never_used(tmp_path, kind):
    target = tmp_path / "body"
    outside = tmp_path / "outside"
    outside.write_bytes(b"theirs")
    match kind:
        case "file":
            target.write_bytes(b"theirs")
        case "directory":
            target.mkdir()
        case "symlink":
            target.symlink_to(outside)
        case _:
            target.symlink_to(tmp_path / "nowhere")
    with pytest.raises(AlreadyThere):
        create_exclusive(str(target), b"ours")
    assert outside.read_bytes() == b"theirs"
    assert not (tmp_path / "nowhere").exists()
    assert sorted(os.listdir(tmp_path)) == ["body", "outside"]


def test_without_hard_links_a_file_gets_its_name_by_renaming(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "link", failing(errno.EPERM))
    create_exclusive(str(tmp_path / "body"), b"1")
    assert (tmp_path / "body").read_bytes() == b"1"
    with pytest.raises(AlreadyThere):
        create_exclusive(str(tmp_path / "body"), b"2")
    assert (tmp_path / "body").read_bytes() == b"1"
    assert os.listdir(tmp_path) == ["body"]


def test_files_made_together_have_an_outcome_each(tmp_path):
    (tmp_path / "b").write_bytes(b"old")
    outcome = create_all(str(tmp_path), [("a", b"1"), ("b", b"2"), ("c", b"3")])
    assert outcome[0] is outcome[2] is None
    assert isinstance(outcome[1], AlreadyThere)
    found = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert found == {"a": b"1", "b": b"old", "c": b"3"}


@pytest.mark.parametrize("call", ["write", "fsync", "link"])
@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
def test_a_file_that_cannot_be_made_is_not_there(tmp_path, monkeypatch, call, error):
    monkeypatch.setattr(os, call, failing(error))
    with pytest.raises(StorageError) as caught:
        create_exclusive(str(tmp_path / "body"), b"data")
    assert caught.value.fields["path"] == str(tmp_path / "body")
    assert os.listdir(tmp_path) == []


def test_no_directory_means_no_file(tmp_path):
    path = str(tmp_path / "none" / "body")
    with pytest.raises(StorageError, match="No such file") as caught:
        create_exclusive(path, b"data")
    assert caught.value.fields["path"] == path
    with pytest.raises(StorageError):
        replace(path, b"data")


def test_a_directory_that_cannot_be_synced_fails_all_its_files(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "sync_dir", failing(errno.EIO))
    outcome = create_all(str(tmp_path), [("a", b"1"), ("b", b"2")])
    assert [type(error) for error in outcome] == [StorageError, StorageError]


def test_an_interrupt_leaves_nothing_unfinished(tmp_path, monkeypatch):
    def interrupted(*_args):
        raise KeyboardInterrupt

    monkeypatch.setattr(files, "write_all", interrupted)
    with pytest.raises(KeyboardInterrupt):
        create_exclusive(str(tmp_path / "body"), b"data")
    assert os.listdir(tmp_path) == []


def test_replacing_gives_the_new_bytes_and_the_mode_asked_for(tmp_path):
    path = tmp_path / "state"
    path.write_bytes(b"old")
    replace(str(path), b"new", 0o640)
    assert path.read_bytes() == b"new"
    assert mode(path) == 0o640
    assert os.listdir(tmp_path) == ["state"]


# S6, S7: what is planted at the path of a state file is replaced, not followed
@pytest.mark.parametrize("plant", ["symlink", "hard link"])
def test_replacing_does_not_write_through_a_link(tmp_path, plant):
    victim = tmp_path / "victim"
    victim.write_bytes(b"theirs")
    path = tmp_path / "state"
    if plant == "symlink":
        path.symlink_to(victim)
    else:
        os.link(victim, path)
    replace(str(path), b"ours")
    assert victim.read_bytes() == b"theirs"
    assert path.read_bytes() == b"ours"
    assert not path.is_symlink()


@pytest.mark.parametrize("call", ["write", "fchmod", "fsync", "replace"])
def test_replacing_that_fails_leaves_the_old_file(tmp_path, monkeypatch, call):
    path = tmp_path / "state"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, call, failing(errno.ENOSPC))
    with pytest.raises(StorageError, match="free some space"):
        replace(str(path), b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["state"]


def test_short_writes_are_carried_on(tmp_path, monkeypatch):
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, bytes(data)[:3]))
    create_exclusive(str(tmp_path / "body"), b"0123456789")
    assert (tmp_path / "body").read_bytes() == b"0123456789"


def test_a_write_that_writes_nothing_is_an_error(monkeypatch):
    monkeypatch.setattr(os, "write", lambda _fd, _data: 0)
    with pytest.raises(OSError, match="nothing was written"):
        write_all(1, b"x")


@pytest.mark.parametrize(("error", "fails"), [(errno.EINVAL, False), (errno.EIO, True)])
def test_a_file_system_without_synced_directories_is_no_failure(
    tmp_path, monkeypatch, error, fails
):
    monkeypatch.setattr(os, "fsync", failing(error))
    if fails:
        with pytest.raises(OSError, match=os.strerror(error)):
            sync_dir(str(tmp_path))
    else:
        sync_dir(str(tmp_path))


# --- a signal to stop in the middle ---


@pytest.mark.parametrize("make", [create_exclusive, replace])
def test_a_stop_waits_for_the_file_that_gets_its_name(tmp_path, monkeypatch, make):
    sync = os.fsync

    def stopped(fd: int) -> None:
        monkeypatch.setattr(os, "fsync", sync)
        interrupts._interrupts.handle(signal.SIGTERM, None)  # noqa: SLF001
        sync(fd)

    monkeypatch.setattr(os, "fsync", stopped)
    asked = interrupts._interrupts._asked  # noqa: SLF001
    path = str(tmp_path / "f")
    with pytest.raises(interrupts.Stopped):
        make(path, b"x")
    interrupts._interrupts._asked = asked  # noqa: SLF001
    assert os.listdir(tmp_path) == ["f"]
    assert (tmp_path / "f").read_bytes() == b"x"
