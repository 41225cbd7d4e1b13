"""The three standard streams: closed ones, readers that leave, and data as bytes.

Data is written to ``sys.stdout.buffer`` and nowhere else; words for people go through
``say``. Must not know what the data means.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from typing import TYPE_CHECKING, Self

from mewctl.errors import NotFound, StorageError, Unsafe
from mewctl.streams.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType, TracebackType
    from typing import BinaryIO

STDIN, STDOUT, STDERR = 0, 1, 2
_closed: set[int] = set()


class ReaderLeft(Exception):
    """Whoever read our output is gone: not an error, a reason to stop."""


class _Interrupts:
    """Ctrl-C waits for the record that is being written; a second one kills."""

    def __init__(self) -> None:
        self._writing = False
        self._pending = False

    def handle(self, number: int, _frame: FrameType | None) -> None:
        import signal

        signal.signal(number, signal.SIG_DFL)
        if not self._writing:
            raise KeyboardInterrupt
        self._pending = True

    def __enter__(self) -> None:
        self._writing = True

    def __exit__(self, *_: object) -> None:
        self._writing = False
        if self._pending:
            raise KeyboardInterrupt


_whole = _Interrupts()


def guard_interrupts() -> None:
    """Let Ctrl-C end our output at a whole record. Leaves an ignored SIGINT ignored."""
    import signal

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _whole.handle)


def guard_descriptors() -> None:
    """Open /dev/null for each of 0, 1, 2 that is closed, so that no file becomes one.

    Call it first: a log opened on descriptor 1 would receive our output.
    """
    for fd in (STDIN, STDOUT, STDERR):
        try:
            os.fstat(fd)
        except OSError:
            _closed.add(fd)
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number: fd itself


def say(text: str) -> None:
    """One line on stderr, for people; untrusted parts made harmless."""
    if sys.stderr is None or STDERR in _closed:
        return
    try:
        sys.stderr.write(printable(text) + "\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        _closed.add(STDERR)  # nobody can read it; the exit code still tells
        _to_null(STDERR)


def stdin_bytes() -> BinaryIO:
    """Standard input. Exit 4 when it is closed; a hint when it is a terminal."""
    if STDIN in _closed or sys.stdin is None:
        raise NotFound(
            what="standard input is closed", remedy="give a FILE, or pipe data in"
        )
    if sys.stdin.isatty():
        say("reading from the terminal; give a FILE or pipe data in (Ctrl-D ends)")
    return sys.stdin.buffer


class Output:
    """Where a command's data goes: standard output, or a file replaced as a whole.

    Use as a context manager: a file appears only when the block ends without an
    exception; a device or pipe is written as it comes. Neither standard input nor one
    of ``inputs`` may be the output.
    """

    def __init__(self, path: str | None = None, inputs: Sequence[str] = ()) -> None:
        self._path = None if path in (None, "-") else path
        self._fd = -1
        self._temp = ""
        self._target = ""
        if self._path is not None:
            _refuse_input(self._path, inputs)

    def __enter__(self) -> Self:
        if self._path is not None:
            try:
                self._open(self._path)
            except OSError as error:
                raise _cannot_write(self._path, error) from None
        return self

    def _open(self, path: str) -> None:
        found = _try_stat(path)
        if found is not None and not stat.S_ISREG(found.st_mode):
            self._fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
            return
        self._target = os.path.realpath(path)
        self._fd, self._temp = _create_beside(self._target)
        if found is not None:
            os.fchmod(self._fd, stat.S_IMODE(found.st_mode))

    def write(self, data: bytes) -> None:
        """Write all of ``data``. Raises ``ReaderLeft`` or ``StorageError``."""
        if self._path is not None:
            self._write_file(data)
            return
        if STDOUT in _closed or sys.stdout is None:
            raise StorageError(
                path="standard output",
                what="closed",
                remedy="give data somewhere to go",
            )
        try:
            with _whole:
                sys.stdout.buffer.write(data)
        except BrokenPipeError:
            raise ReaderLeft from None
        except OSError as error:
            raise _cannot_write("standard output", error) from None

    def _write_file(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._fd, view) :]
        except BrokenPipeError:
            raise ReaderLeft from None
        except OSError as error:
            raise _cannot_write(self._path or "", error) from None

    def flush(self) -> None:
        """Push what is complete to the reader, before the next blocking read."""
        if self._path is None:
            flush_stdout()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._path is None:
            if kind is None:
                flush_stdout()
            return
        try:
            if kind is None and self._temp:
                os.fsync(self._fd)
                os.replace(self._temp, self._target)
                self._temp = ""
        except OSError as error:
            raise _cannot_write(self._path, error) from None
        finally:
            os.close(self._fd)
            if self._temp:
                os.unlink(self._temp)


def flush_stdout() -> None:
    """Flush standard output. Raises ``ReaderLeft`` or ``StorageError``."""
    if sys.stdout is None or STDOUT in _closed:
        return
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise ReaderLeft from None
    except OSError as error:
        raise _cannot_write("standard output", error) from None


def stdout_is_terminal() -> bool:
    """Whether people read standard output as it comes."""
    return sys.stdout is not None and sys.stdout.isatty()


def stdin_is_terminal() -> bool:
    """Whether people can answer on standard input."""
    return STDIN not in _closed and sys.stdin is not None and sys.stdin.isatty()


def stdin_is_waiting() -> bool:
    """Whether a read of standard input would return at once."""
    import select

    try:
        return bool(select.select([STDIN], [], [], 0)[0])
    except (OSError, ValueError):
        return False


def widen_stdin(size: int) -> None:
    """Let a pipe on standard input hold up to ``size`` bytes, where that is allowed."""
    import fcntl

    try:
        fcntl.fcntl(STDIN, fcntl.F_SETPIPE_SZ, size)
    except (OSError, AttributeError):  # no pipe, or no such wish on this system
        return


def drop_stdout() -> None:
    """Send what standard output still buffers nowhere, so that exit is quiet."""
    _to_null(STDOUT)


def reader_left() -> bool:
    """Whether standard output is a pipe or socket that nobody reads any more."""
    import select

    poll = select.poll()
    poll.register(STDOUT, 0)  # errors are always reported
    return any(event & select.POLLERR for _, event in poll.poll(0))


def _to_null(fd: int) -> None:
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, fd)
    os.close(null)


def _create_beside(target: str) -> tuple[int, str]:
    """A new file in the directory of ``target``: its descriptor and path."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    number = 0
    while True:
        name = f".mewctl-{os.getpid()}-{number}.tmp"
        path = os.path.join(os.path.dirname(target), name)
        try:
            return os.open(path, flags, 0o666), path
        except FileExistsError:
            number += 1


def _refuse_input(path: str, inputs: Sequence[str]) -> None:
    output = _try_stat(path)
    if output is None or not stat.S_ISREG(output.st_mode):
        return
    read: tuple[int | str, ...] = (STDIN, *inputs)
    for name in read:
        other = _try_stat(name)
        if other is not None and os.path.samestat(output, other):
            raise Unsafe(
                path=path,
                what="the output is also an input",
                remedy="name another file",
            )


def _try_stat(name: str | int) -> os.stat_result | None:
    try:
        return os.stat(name)
    except OSError:
        return None


def _cannot_write(path: str, error: OSError) -> StorageError:
    remedy = (
        "free some space and run again"
        if error.errno in (errno.ENOSPC, errno.EDQUOT)
        else "check the path and its permissions"
    )
    return StorageError(path=path, what=error.strerror or str(error), remedy=remedy)
