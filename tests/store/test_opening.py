from __future__ import annotations

import errno
import os

import pytest

from mewctl import limits
from mewctl.errors import StorageError, Unsafe
from mewctl.store.opening import (
    line_counter,
    names_in,
    open_private,
    position,
    read_at,
    read_blocks,
    read_file,
)


def broken(*_args):
    raise OSError(errno.EIO, os.strerror(errno.EIO))


def test_blocks_are_the_bytes_of_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "READ_BLOCK", 4)
    path = tmp_path / "f"
    path.write_bytes(b"0123456789")
    assert list(read_blocks(str(path))) == [b"0123", b"4567", b"89"]
    assert list(read_blocks(str(path), 7)) == [b"789"]
    assert read_at(str(path), 3, 2) == b"34"


# S3, row 46: never wait for a pipe, never follow a link, never read a device
@pytest.mark.parametrize("kind", ["symlink", "fifo", "directory", "device"])
def test_only_plain_files_are_opened(tmp_path, kind):
    path = tmp_path / "f"
    (tmp_path / "real").write_bytes(b"x")
    match kind:
        case "symlink":
            path.symlink_to(tmp_path / "real")
        case "fifo":
            os.mkfifo(path)
        case "directory":
            path.mkdir()
        case _:
            path = "/dev/null"
    with pytest.raises(Unsafe):
        list(read_blocks(str(path)))
    with pytest.raises(Unsafe):
        open_private(str(path), os.O_RDWR | os.O_CREAT)


def test_a_missing_file_is_a_storage_error_with_its_path(tmp_path):
    with pytest.raises(StorageError, match="No such file") as caught:
        read_file(str(tmp_path / "none"), 10)
    assert caught.value.fields["path"] == str(tmp_path / "none")


@pytest.mark.parametrize("size", [9, 10])
def test_a_file_of_at_most_the_bound_is_read(tmp_path, size):
    (tmp_path / "f").write_bytes(b"x" * size)
    assert read_file(str(tmp_path / "f"), 10) == b"x" * size


def test_a_file_over_the_bound_is_refused_by_the_bytes_read(tmp_path):
    (tmp_path / "f").write_bytes(b"x" * 11)
    with pytest.raises(StorageError, match="larger than 10 bytes"):
        read_file(str(tmp_path / "f"), 10)


@pytest.mark.parametrize("call", ["read", "fstat"])
def test_read_errors_are_storage_errors(tmp_path, monkeypatch, call):
    (tmp_path / "f").write_bytes(b"x")
    with monkeypatch.context() as patch:
        patch.setattr(os, call, broken)
        with pytest.raises(StorageError, match="check the disk"):
            read_file(str(tmp_path / "f"), 10)


def test_reading_at_a_place_reports_errors(tmp_path, monkeypatch):
    (tmp_path / "f").write_bytes(b"x")
    monkeypatch.setattr(os, "pread", broken)
    with pytest.raises(StorageError):
        read_at(str(tmp_path / "f"), 0, 1)


def test_names_in_a_directory(tmp_path):
    (tmp_path / "a").write_bytes(b"")
    assert names_in(str(tmp_path)) == ["a"]
    with pytest.raises(StorageError, match="cannot list"):
        names_in(str(tmp_path / "none"))


def test_lines_are_counted_again_from_a_path_or_a_descriptor(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "READ_BLOCK", 4)
    path = tmp_path / "f"
    path.write_bytes(b"a\nb\n\nc\nd")
    count = line_counter(str(path))
    assert count is not None
    assert [count(0, end) for end in (0, 1, 2, 5, 100)] == [0, 0, 1, 3, 4]
    assert [count(start, 5) for start in (1, 2, 4, 5)] == [3, 2, 1, 0]
    fd = os.open(path, os.O_RDONLY)
    os.read(fd, 2)
    assert position(fd) == 2
    count = line_counter(fd, 2)
    assert count is not None
    assert count(0, 3) == 2
    assert count(2, 3) == 1
    assert position(fd) == 2
    os.close(fd)


def test_what_is_no_file_cannot_be_counted_again(tmp_path):
    assert line_counter(str(tmp_path)) is None
    assert line_counter(str(tmp_path / "none")) is None
    reading, writing = os.pipe()
    assert line_counter(reading) is None
    assert position(reading) == 0
    os.close(reading)
    os.close(writing)
