"""Standard streams and output files. The rest of their life is in tests/e2e."""

from __future__ import annotations

import io
import os
import stat
import sys
from contextlib import suppress

import pytest

from mewctl.errors import NotFound, StorageError, Unsafe
from mewctl.streams import stdio
from mewctl.streams.stdio import Output, ReaderLeft


class Failing(io.RawIOBase):
    """A stream that cannot be written."""

    def __init__(self, error: OSError) -> None:
        self.error = error

    def writable(self) -> bool:
        return True

    def write(self, _data: bytes) -> int:
        raise self.error


def stdout_that_fails(error: OSError) -> io.TextIOWrapper:
    wrapper = io.TextIOWrapper(io.BufferedWriter(Failing(error), 16))
    wrapper._owner = wrapper  # type: ignore[attr-defined] # noqa: SLF001 - never collected: closing would flush and fail
    return wrapper


def names(directory) -> list[str]:
    return sorted(os.listdir(directory))


# --- a file as the output ---


def test_a_file_appears_whole_and_only_at_the_end(tmp_path):
    target = tmp_path / "out.jsonl"
    with Output(str(target)) as out:
        out.write(b"one\n")
        out.flush()
        assert not target.exists()
        out.write(b"two\n")
    assert target.read_bytes() == b"one\ntwo\n"
    assert names(tmp_path) == ["out.jsonl"]


def test_a_failed_run_leaves_the_old_file_and_nothing_else(tmp_path):
    target = tmp_path / "out.jsonl"
    target.write_bytes(b"old")
    with suppress(KeyError), Output(str(target)) as out:
        out.write(b"new")
        raise KeyError
    assert target.read_bytes() == b"old"
    assert names(tmp_path) == ["out.jsonl"]


def test_a_new_file_has_the_mode_of_the_umask_and_an_old_one_keeps_its_own(tmp_path):
    old_mask = os.umask(0o027)
    try:
        for name, mode in (("new", None), ("old", 0o604)):
            target = tmp_path / name
            if mode is not None:
                target.write_bytes(b"")
                target.chmod(mode)
            with Output(str(target)) as out:
                out.write(b"x")
            assert stat.S_IMODE(target.stat().st_mode) == (mode or 0o640)
    finally:
        os.umask(old_mask)


def test_a_symbolic_link_stays_and_its_target_is_replaced(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    with Output(str(link)) as out:
        out.write(b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_the_longest_allowed_name_can_be_written(tmp_path):
    target = tmp_path / ("n" * 255)
    with Output(str(target)) as out:
        out.write(b"x")
    assert target.read_bytes() == b"x"


def test_a_temporary_name_that_is_taken_is_passed_over(tmp_path):
    taken = tmp_path / f".mewctl-{os.getpid()}-0.tmp"
    taken.write_bytes(b"not ours")
    with Output(str(tmp_path / "out")) as out:
        out.write(b"x")
    assert (tmp_path / "out").read_bytes() == b"x"
    assert taken.read_bytes() == b"not ours"


def test_a_device_is_written_and_not_replaced():
    with Output(os.devnull) as out:
        out.write(b"x")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_a_pipe_is_written_and_its_reader_may_leave(tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    with Output(str(fifo)) as out:
        out.write(b"x")
        assert os.read(reader, 9) == b"x"
        os.close(reader)
        with pytest.raises(ReaderLeft):
            out.write(b"y")
    assert stat.S_ISFIFO(fifo.stat().st_mode)


@pytest.mark.parametrize("place", ["missing/out", "", "file/out"])
def test_a_place_that_cannot_be_written_is_a_storage_error(tmp_path, place):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageError), Output(str(tmp_path / place)):
        pass
    assert names(tmp_path) == ["file"]


def test_a_full_disk_says_what_to_do():
    with Output("/dev/full") as out, pytest.raises(StorageError) as caught:
        out.write(b"x")
    assert str(caught.value) == (
        "/dev/full: No space left on device; free some space and run again"
    )


def test_a_file_that_cannot_get_its_name_is_a_storage_error_and_removed(tmp_path):
    target = tmp_path / "out"
    with pytest.raises(StorageError, match="Is a directory"), Output(str(target)):
        target.mkdir()
    assert names(tmp_path) == ["out"]


def test_an_output_that_is_an_input_is_refused(tmp_path):
    target = tmp_path / "h.jsonl"
    target.write_bytes(b"{}")
    with pytest.raises(Unsafe, match="the output is also an input"):
        Output(str(target), ["other", str(target)])


# --- a descriptor as the output ---


def test_a_descriptor_is_written_where_it_stands_and_nothing_is_replaced(tmp_path):
    target = tmp_path / "log"
    target.write_bytes(b"before\n")
    inode = target.stat().st_ino
    fd = os.open(target, os.O_WRONLY | os.O_APPEND)
    with Output(f"/dev/fd/{fd}") as out:
        out.write(b"data\n")
    os.write(fd, b"after\n")  # it is still open, and ours
    os.close(fd)
    assert target.read_bytes() == b"before\ndata\nafter\n"
    assert target.stat().st_ino == inode
    assert names(tmp_path) == ["log"]


def test_a_descriptor_that_is_not_open_is_a_storage_error():
    with (
        pytest.raises(StorageError, match="/dev/fd/987: Bad file descriptor"),
        Output("/dev/fd/987"),
    ):
        pass


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_every_name_of_standard_output_means_it(name, capsysbinary):
    with Output(name) as out:
        out.write(b"x")
    assert capsysbinary.readouterr().out == b"x"


# --- standard output ---


def test_data_for_a_closed_standard_output_is_a_storage_error(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(StorageError, match="standard output: closed"), Output() as out:
        out.write(b"x")


def test_nothing_for_a_closed_standard_output_is_fine(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    with Output("-") as out:
        out.flush()


@pytest.mark.parametrize(
    ("error", "meaning"),
    [
        (BrokenPipeError(32, "Broken pipe"), ReaderLeft),
        (OSError(28, "No space left on device"), StorageError),
    ],
)
@pytest.mark.parametrize("size", [1, 100])
def test_a_failing_standard_output_has_one_meaning(monkeypatch, error, meaning, size):
    monkeypatch.setattr(sys, "stdout", stdout_that_fails(error))
    with pytest.raises(meaning), Output() as out:
        out.write(b"x" * size)


# --- standard input and words ---


def test_a_closed_standard_input_is_not_found(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(NotFound, match="standard input is closed; give a FILE"):
        stdio.stdin_bytes()


def test_words_are_made_harmless(capsys):
    stdio.say("title \x1b]0;owned\x07\nnext")
    assert capsys.readouterr().err == "title \\x1b]0;owned\\x07\\nnext\n"


def test_words_without_a_standard_error_are_dropped(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    stdio.say("unheard")


def test_words_that_cannot_be_written_are_dropped_once_and_for_all(monkeypatch):
    nulled: list[int] = []
    monkeypatch.setattr(stdio, "_closed", set())
    monkeypatch.setattr(stdio, "_to_null", nulled.append)
    monkeypatch.setattr(sys, "stderr", stdout_that_fails(OSError(28, "full")))
    stdio.say("one")
    stdio.say("two")
    assert nulled == [stdio.STDERR]


def test_a_terminal_as_standard_input_gets_a_hint(monkeypatch, capsys):
    leader, terminal = os.openpty()
    with open(leader, "rb"), open(terminal, "rb", buffering=0) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        with suppress(AttributeError):  # a raw file has no buffer
            stdio.stdin_bytes()
    assert capsys.readouterr().err.startswith("reading from the terminal; give a FILE")


def test_a_closed_descriptor_is_opened_on_the_null_device(monkeypatch):
    opened: list[str] = []

    def fstat(fd: int) -> None:
        if fd == stdio.STDOUT:
            raise OSError(9, "Bad file descriptor")

    closed: set[int] = set()
    monkeypatch.setattr(stdio, "_closed", closed)
    monkeypatch.setattr(sys, "stdout", None)
    with monkeypatch.context() as patch:  # only now: pytest itself needs them
        patch.setattr(os, "fstat", fstat)
        patch.setattr(os, "open", lambda path, _flags: opened.append(path))
        stdio.guard_descriptors()
    assert opened == [os.devnull]
    assert closed == {stdio.STDOUT}
    assert sys.stdout.writable()  # for Click, whose words must not get lost unseen


def test_a_pipe_knows_whether_it_is_read(monkeypatch):
    reader, writer = os.pipe()
    monkeypatch.setattr(stdio, "STDOUT", writer)
    assert not stdio.reader_left()
    os.close(reader)
    assert stdio.reader_left()
    os.close(writer)


def test_a_terminal_is_told_from_a_pipe_and_from_nothing(monkeypatch):
    leader, terminal = os.openpty()
    reader, writer = os.pipe()
    for fd, shown in ((terminal, True), (writer, False)):
        with open(fd, "wb", buffering=0) as stream:
            monkeypatch.setattr(sys, "stdout", stream)
            assert stdio.stdout_is_terminal() is shown
    monkeypatch.setattr(sys, "stdout", None)
    assert not stdio.stdout_is_terminal()
    os.close(leader)
    os.close(reader)


def test_dropped_output_goes_nowhere(monkeypatch, tmp_path):
    fd = os.open(tmp_path / "out", os.O_WRONLY | os.O_CREAT)
    monkeypatch.setattr(stdio, "STDOUT", fd)
    stdio.drop_stdout()
    os.write(fd, b"x")
    os.close(fd)
    assert (tmp_path / "out").read_bytes() == b""
