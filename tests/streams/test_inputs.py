"""Named inputs: what is missing is exit 4, what cannot be read is exit 5."""

from __future__ import annotations

import io
import os
import sys

import pytest

from mewctl.errors import BadInput, NotFound, StorageError
from mewctl.streams import inputs


def test_no_name_means_standard_input():
    assert inputs.names(()) == ("-",)
    assert inputs.names(("a", "-")) == ("a", "-")
    assert (inputs.label("-"), inputs.label("a")) == ("stdin", "a")


def test_a_file_is_read_to_its_end(tmp_path):
    path = tmp_path / "h.jsonl"
    path.write_bytes(b"12345")
    with inputs.opened(str(path)) as read:
        assert [read(3), read(3), read(3)] == [b"123", b"45", b""]


def test_standard_input_gives_what_has_come_without_waiting_for_more(monkeypatch):
    reader, writer = os.pipe()
    with open(reader, "rb") as stdin, open(writer, "wb", buffering=0) as feed:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stdin))
        feed.write(b"early\n")
        with inputs.opened("-") as read:
            assert read(1 << 20) == b"early\n"


def test_a_small_file_is_read_whole(tmp_path):
    path = tmp_path / "tools.json"
    path.write_bytes(b"[]")
    assert inputs.read_whole(str(path)) == b"[]"


def test_a_file_that_is_too_long_to_be_read_whole_is_bad_input(tmp_path):
    path = tmp_path / "tools.json"
    path.write_bytes(b"12345")
    assert inputs.read_whole(str(path), most=5) == b"12345"
    with pytest.raises(BadInput, match="too long; give a smaller file"):
        inputs.read_whole(str(path), most=4)


def test_a_missing_file_is_not_found(tmp_path):
    for path in (tmp_path / "no", tmp_path / "no" / "deeper"):
        with pytest.raises(NotFound, match=f"{path}: .*; check the path"):
            inputs.opened(str(path)).__enter__()


def test_a_file_where_a_directory_should_be_is_not_found(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(NotFound, match="Not a directory"):
        inputs.opened(str(tmp_path / "file" / "x")).__enter__()


def test_a_directory_cannot_be_read(tmp_path):
    with (
        pytest.raises(StorageError, match="Is a directory"),
        inputs.opened(str(tmp_path)),
    ):
        pass


def test_a_read_that_fails_is_a_storage_error(monkeypatch):
    class Broken:
        def isatty(self) -> bool:
            return False

        @property
        def buffer(self):
            return self

        def fileno(self) -> int:
            raise io.UnsupportedOperation

        def read1(self, _size: int) -> bytes:
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(sys, "stdin", Broken())
    with inputs.opened("-") as read, pytest.raises(StorageError, match="stdin: Input"):
        read(1)
