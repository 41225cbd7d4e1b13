"""The three standard streams: closed ones, readers that leave, and data as bytes.

Data is written to ``sys.stdout.buffer`` and nowhere else; words for people go through
``say``. Must not know what the data means.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from mewctl.errors import NotFound, StorageError
from mewctl.streams import progress
from mewctl.streams.apart import descriptor, keep_apart
from mewctl.streams.interrupts import whole_file, whole_record
from mewctl.streams.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType
    from typing import BinaryIO

STDIN, STDOUT, STDERR = 0, 1, 2
_STDOUT = "standard output"  # how messages call it
_closed: set[int] = set()


class ReaderLeft(Exception):
    """Whoever read our output is gone: not an error, a reason to stop."""


def guard_descriptors() -> None:
    """Open /dev/null for each of 0, 1, 2 that is closed, so that no file becomes one.

    Call it first: a log opened on descriptor 1 would receive our output. What is
    written to a closed standard output fails, whoever writes it.
    """
    for fd in (STDIN, STDOUT, STDERR):
        try:
            os.fstat(fd)
        except OSError:
            _closed.add(fd)
            how = os.O_RDONLY if fd == STDOUT else os.O_RDWR
            os.open(os.devnull, how)  # takes the lowest free number: fd itself
            if fd == STDOUT:
                sys.stdout = open(fd, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - for good


def say(text: str) -> None:
    """One line on stderr, for people; untrusted parts made harmless."""
    if sys.stderr is None or STDERR in _closed:
        return
    progress.clear()
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
    of ``inputs`` may be the output, which would never end.
    """

    def __init__(self, path: str | None = None, inputs: Sequence[str] = ()) -> None:
        named = path not in (None, "-") and descriptor(path or "") != STDOUT
        self._path = path if named else None
        self._on_screen = self._path is None and stdout_is_terminal()
        self._fd = -1
        self._temp = ""
        self._target = ""
        keep_apart(inputs, [self._path or "-"])

    def __enter__(self) -> Self:
        if self._path is not None:
            try:
                with whole_file:
                    self._open(self._path)
            except BaseException as error:  # also an interrupt that waited for us
                self._close()
                if isinstance(error, OSError):
                    raise cannot_write(self._path, error) from None
                raise
        return self

    def _open(self, path: str) -> None:
        number = descriptor(path)
        if number is not None:
            self._fd = os.dup(number)
            return
        found = _try_stat(path)
        if found is not None and not stat.S_ISREG(found.st_mode):
            self._fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
            return
        self._target = os.path.realpath(path)
        self._fd, self._temp = _create_beside(self._target)
        if found is not None:
            os.fchmod(self._fd, stat.S_IMODE(found.st_mode))

    def write(self, data: bytes | memoryview) -> None:
        """Write all of ``data``. Raises ``ReaderLeft`` or ``StorageError``."""
        if self._path is not None:
            self._write_file(data)
            return
        if STDOUT in _closed or sys.stdout is None:
            raise _closed_stdout()
        if self._on_screen:
            progress.clear()
        try:
            with whole_record:
                sys.stdout.buffer.write(data)
        except BrokenPipeError:
            raise ReaderLeft from None
        except OSError as error:
            raise cannot_write(_STDOUT, error) from None

    def _write_file(self, data: bytes | memoryview) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._fd, view) :]
        except BrokenPipeError:
            raise ReaderLeft from None
        except OSError as error:
            raise cannot_write(self._path or "", error) from None

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
            with whole_file:
                if kind is None and self._temp:
                    os.fsync(self._fd)
                    os.replace(self._temp, self._target)
                    self._temp = ""
                self._close()
        except OSError as error:
            raise cannot_write(self._path, error) from None
        finally:
            self._close()

    def _close(self) -> None:
        """Close what was opened, and remove a file that did not get its name."""
        fd, self._fd = self._fd, -1
        temp, self._temp = self._temp, ""
        if temp:
            with suppress(OSError):
                os.unlink(temp)
        if fd >= 0:
            os.close(fd)


def flush_stdout() -> None:
    """Flush standard output. Raises ``ReaderLeft`` or ``StorageError``."""
    if sys.stdout is None:
        return
    try:
        with whole_record:
            sys.stdout.flush()
    except BrokenPipeError:
        raise ReaderLeft from None
    except OSError as error:
        raise cannot_write(_STDOUT, error) from None


def stdout_is_terminal() -> bool:
    """Whether people read standard output as it comes."""
    return sys.stdout is not None and sys.stdout.isatty()


def stderr_is_terminal() -> bool:
    """Whether people read our words as they come."""
    return sys.stderr is not None and STDERR not in _closed and sys.stderr.isatty()


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


def _try_stat(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:
        return None


def cannot_write(path: str, error: OSError) -> StorageError:
    """The error for a write that failed; ``path`` is a file or ``standard output``."""
    if path == _STDOUT and STDOUT in _closed:
        return _closed_stdout()
    remedy = (
        "free some space and run again"
        if error.errno in (errno.ENOSPC, errno.EDQUOT)
        else "check the path and its permissions"
    )
    return StorageError(path=path, what=error.strerror or str(error), remedy=remedy)


def _closed_stdout() -> StorageError:
    return StorageError(path=_STDOUT, what="closed", remedy="give data somewhere to go")
