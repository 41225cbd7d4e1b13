"""Standard streams and output files. The rest of their life is in tests/e2e."""

from __future__ import annotations

import io
import os
import signal
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


@pytest.mark.parametrize("how", ["same", "link", "hard", "stdin"])
def test_an_output_that_is_an_input_is_refused(tmp_path, how, monkeypatch):
    target = tmp_path / "h.jsonl"
    target.write_bytes(b"{}")
    name = str(tmp_path / how)
    if how == "same":
        name = str(target)
    elif how == "link":
        os.symlink(target, name)
    elif how == "hard":
        os.link(target, name)
    else:
        name = "-"
        monkeypatch.setattr(stdio, "STDIN", os.open(target, os.O_RDONLY))
    with pytest.raises(Unsafe, match="the output is also an input"):
        Output(str(target), ["other", name])


def test_an_output_that_does_not_exist_yet_is_no_input(tmp_path):
    Output(str(tmp_path / "new"), [str(tmp_path / "new")])


def test_a_device_may_be_both():
    Output(os.devnull, [os.devnull])


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
    with monkeypatch.context() as patch:  # only now: pytest itself needs them
        patch.setattr(os, "fstat", fstat)
        patch.setattr(os, "open", lambda path, _flags: opened.append(path))
        stdio.guard_descriptors()
    assert opened == [os.devnull]
    assert closed == {stdio.STDOUT}


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


# --- interrupts ---


@pytest.fixture
def user_signal():
    old = signal.getsignal(signal.SIGUSR1)
    yield signal.SIGUSR1
    signal.signal(signal.SIGUSR1, old)


def test_an_interrupt_outside_a_write_acts_at_once(user_signal):
    interrupts = stdio._Interrupts()  # noqa: SLF001
    with pytest.raises(KeyboardInterrupt):
        interrupts.handle(user_signal, None)


def test_an_interrupt_in_a_write_waits_for_its_end(user_signal):
    interrupts = stdio._Interrupts()  # noqa: SLF001
    done = False
    with suppress(KeyboardInterrupt):
        with interrupts:
            interrupts.handle(user_signal, None)
            done = True
        done = False
    assert done


def test_the_second_interrupt_kills(user_signal):
    interrupts = stdio._Interrupts()  # noqa: SLF001
    signal.signal(user_signal, interrupts.handle)
    with interrupts, suppress(KeyboardInterrupt):
        interrupts.handle(user_signal, None)
        assert signal.getsignal(user_signal) is signal.SIG_DFL
        interrupts._pending = False  # noqa: SLF001


@pytest.mark.parametrize("ignored", [False, True])
def test_an_ignored_interrupt_stays_ignored(monkeypatch, ignored):
    current = signal.SIG_IGN if ignored else signal.default_int_handler
    installed: list[int] = []
    monkeypatch.setattr(signal, "getsignal", lambda _number: current)
    monkeypatch.setattr(signal, "signal", lambda number, _how: installed.append(number))
    stdio.guard_interrupts()
    assert installed == [signal.SIGINT] * (not ignored)
