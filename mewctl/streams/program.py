"""Running another program: text in, text out, bounded in time and size.

Owns its process group: when this returns, the program and all that stayed in its group
are gone. No shell. Must not know what is said to it.
"""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from subprocess import Popen
    from typing import IO

End: TypeAlias = Literal["exited", "late", "flood", "missing"]
_BLOCK = 65_536
_TICK = 0.05  # seconds between two looks whether the program has ended
_STDERR = 64 * 1024  # bytes of its stderr that are kept, the last ones


@dataclass(frozen=True, slots=True)
class Finished:
    """How it ended. ``code``: its exit code, negative for a signal; 0 unless it exited.

    ``late``: it ran out of time. ``flood``: it wrote more than it may. ``missing``: it
    could not be started, for ``why``.
    """

    end: End
    code: int = 0
    out: bytes = b""
    err: bytes = b""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Bounds:
    """``seconds`` from start to end, ``size`` in bytes of what it writes."""

    seconds: float
    size: int


def run(
    argv: Sequence[str], data: bytes, env: Mapping[str, str], bounds: Bounds
) -> Finished:
    """Run ``argv`` with ``data`` on its stdin. Never raises for what it does."""
    import subprocess

    try:
        process = subprocess.Popen(  # noqa: S603 - the user named the program
            list(argv),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(env),
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        return Finished("missing", why=why)
    try:
        return _Talk(process, data, bounds).finished()
    finally:
        _kill(process)


def _kill(process: Popen[bytes]) -> None:
    """End the whole group, and take leave of the program."""
    import contextlib

    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()


class _Talk:
    """The pipes of one running program."""

    def __init__(self, process: Popen[bytes], data: bytes, bounds: Bounds) -> None:
        import selectors

        self._process = process
        self._data = memoryview(data)
        self._bounds = bounds
        self._heard = {process.stdout: bytearray(), process.stderr: bytearray()}
        self._open = {process.stdin, *self._heard}
        self._selector = selectors.DefaultSelector()
        for pipe in self._open:
            if pipe is not None:
                os.set_blocking(pipe.fileno(), False)
                reads = pipe in self._heard
                event = selectors.EVENT_READ if reads else selectors.EVENT_WRITE
                self._selector.register(pipe, event, pipe)

    def finished(self) -> Finished:
        """Talk until the program has ended and said all, or a bound is reached."""
        end = time.monotonic() + self._bounds.seconds
        out, err = self._heard.values()
        with self._selector:
            while self._goes_on():
                left = end - time.monotonic()
                if left <= 0:
                    return Finished("late", err=bytes(err))
                self._step(min(left, _TICK))
                if len(out) > self._bounds.size:
                    return Finished("flood", err=bytes(err))
        return Finished("exited", self._process.wait(), bytes(out), bytes(err))

    def _goes_on(self) -> bool:
        """Whether there may be more: it runs, or its pipes have something to read.

        A child that it left behind may hold the pipes open for ever; once the program
        itself has ended, only what has already been written is read.
        """
        if self._process.poll() is None:
            return True
        if self._process.stdin is not None:
            self._drop(self._process.stdin)
        return self._step(0) > 0

    def _step(self, seconds: float) -> int:
        """Serve the pipes that are ready; how many bytes moved."""
        if not self._open:
            time.sleep(seconds)  # it closed its ends and goes on working
            return 0
        moved = 0
        for key, _ in self._selector.select(seconds):
            pipe: IO[bytes] = key.data
            moved += self._take(pipe) if pipe in self._heard else self._feed(pipe)
        return moved

    def _feed(self, pipe: IO[bytes]) -> int:
        try:
            sent = os.write(pipe.fileno(), self._data[:_BLOCK])
        except BrokenPipeError:  # it does not want to read all of it
            sent = len(self._data)
        self._data = self._data[sent:]
        if not self._data:
            self._drop(pipe)
        return sent

    def _take(self, pipe: IO[bytes]) -> int:
        block = os.read(pipe.fileno(), _BLOCK)
        heard = self._heard[pipe]
        heard += block
        if not block:
            self._drop(pipe)
        elif pipe is self._process.stderr:
            del heard[:-_STDERR]
        return len(block)

    def _drop(self, pipe: IO[bytes]) -> None:
        if pipe in self._open:
            self._open.remove(pipe)
            self._selector.unregister(pipe)
            pipe.close()
