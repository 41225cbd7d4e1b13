"""Opening files beneath allowed directories: the file that was checked is the one read.

A path is walked name by name from an open directory, and no name is followed unseen:
what a symbolic link says is walked the same way. So whatever is renamed meanwhile, what
is opened lies beneath an allowed directory. Paths are bytes, so that no locale decides
what a name means. Must not know what the files are for.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Literal, Self, TypeAlias, TypeVar

from mewctl import limits
from mewctl.errors import MewError, NotFound, StorageError, Unsafe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

T = TypeVar("T")
Refused: TypeAlias = Literal["escape", "missing", "not-regular", "unreadable"]

_DIR = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW
_DIR |= os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_ABSENT = (errno.ENOENT, errno.ENOTDIR)


class Refusal(Exception):
    """Why a path was not opened: its kind, and a few words without any path."""

    def __init__(self, kind: Refused, why: str) -> None:
        self.kind: Refused = kind
        self.why = why
        super().__init__(why)


class Opened:
    """A regular file beneath an allowed directory. Close it.

    ``path`` is its real path, ``directory`` that of the directory it was found in;
    ``identity`` is equal for two names of one file. ``open_to_all``: any user may write
    it.
    """

    __slots__ = ("_fd", "_size", "directory", "identity", "open_to_all", "path")

    def __init__(self, parent: int, directory: bytes, name: bytes) -> None:
        self.directory = directory
        self.path = _join(directory, name)
        self._fd = os.open(name, _FILE, dir_fd=parent)
        found = os.fstat(self._fd)
        self._size = found.st_size
        self.open_to_all = bool(found.st_mode & stat.S_IWOTH)
        # Some file systems have no inode numbers; then the real path has to do.
        self.identity: object = (
            (found.st_dev, found.st_ino) if found.st_ino else self.path
        )
        why = "" if stat.S_ISREG(found.st_mode) else _what(found.st_mode)
        if found.st_dev in _pseudo_devices():
            why = "a file that the kernel makes up"
        if why:
            self.close()
            raise Refusal("not-regular", why)

    def read(self, most: int) -> bytes:
        """The bytes of the file, or ``most`` + 1 of them where it has more.

        Counts what is read: the size that a file system tells is a hint of how much to
        ask for, and no more. Raises ``Refusal``.
        """
        pieces: list[bytes] = []
        left, ask = most + 1, self._size + 1
        try:
            while left > 0 and (piece := os.read(self._fd, min(left, ask))):
                pieces.append(piece)
                if len(piece) == self._size:
                    break  # all there is: saves a call that would say so
                left, ask = left - len(piece), limits.READ_BLOCK
        except OSError as error:
            raise Refusal("unreadable", _words(error)) from None
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def close(self) -> None:
        """Give the descriptor back."""
        os.close(self._fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Beneath:
    """Files beneath ``roots``, directories of the user's choice. Close it."""

    def __init__(self, roots: Sequence[bytes]) -> None:
        self.roots = tuple(dict.fromkeys(map(os.path.realpath, roots)))
        self._fds: dict[bytes, int] = {}
        self._folded: dict[bytes, dict[str, str]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._forget()

    def open(self, directory: bytes, path: bytes) -> Opened:
        """The regular file that ``path`` names in ``directory``, a real path.

        An absolute ``path`` counts from the top. Raises ``Refusal``.
        """
        opened = self._walk(directory, path, Opened)
        if opened is None:
            raise Refusal("not-regular", "a directory")
        return opened

    def exists(self, directory: bytes, path: bytes) -> bool:
        """Whether ``path`` names anything. Raises ``Refusal`` where it leads out."""
        try:
            self._walk(directory, path, _look)
        except Refusal as refusal:
            if refusal.kind == "escape":
                raise
            return False
        return True

    def names(self, directory: bytes) -> list[str]:
        """The names in a directory beneath the roots, sorted; none if not readable."""
        try:
            fd = os.open(b".", os.O_RDONLY | os.O_CLOEXEC, dir_fd=self._dir(directory))
        except OSError:
            return []
        try:
            return sorted(os.listdir(fd))
        finally:
            os.close(fd)

    # --- the walk ---

    def _walk(
        self, directory: bytes, path: bytes, act: Callable[[int, bytes, bytes], T]
    ) -> T | None:
        """What ``act`` makes of the file that ``path`` leads to; None: a directory."""
        if len(self._fds) > limits.OPEN_DIRECTORIES:
            self._forget()
        at, parts = self._start(directory, path)
        hops = 0
        while parts:
            name = parts.pop()
            if name in (b"", b"."):
                continue
            if name == b".." and at not in self.roots:
                at = at.rpartition(b"/")[0] or b"/"
                continue
            try:
                if name == b"..":
                    target = os.path.dirname(at)
                elif parts:
                    at = self._enter(at, name)
                    continue
                else:
                    return act(self._dir(at), at, name)
            except OSError as error:
                target = self._link(at, name, error)
            hops += 1
            if hops > limits.LINKS:
                raise Refusal("unreadable", "symbolic links that lead in a circle")
            if target.startswith(b"/"):
                at, parts = self._start(at, b"/".join((target, *reversed(parts))))
            else:
                parts += reversed(target.split(b"/"))
        return None

    def _start(self, directory: bytes, path: bytes) -> tuple[bytes, list[bytes]]:
        """Where a walk begins, and the names that are left, the next one last."""
        if b"\0" in path:
            raise Refusal("missing", "no name holds a NUL")
        if not path.startswith(b"/"):
            return directory, path.split(b"/")[::-1]
        for absolute in _spellings(path):
            for root in self.roots:
                if absolute == root or absolute.startswith(_join(root, b"")):
                    return root, absolute[len(root) :].split(b"/")[::-1]
        raise Refusal("escape", "leads out of what may be read")

    def _enter(self, at: bytes, name: bytes) -> bytes:
        """The directory ``name`` in ``at``, opened: its path. Raises ``OSError``."""
        path = _join(at, name)
        if path not in self._fds:
            self._fds[path] = os.open(name, _DIR, dir_fd=self._dir(at))
        return path

    def _dir(self, at: bytes) -> int:
        """The descriptor of a directory beneath the roots. Raises ``OSError``."""
        if at not in self._fds:
            above, name = os.path.split(at)
            if at not in self.roots:
                if not name:
                    raise Refusal("escape", "leads out of what may be read")
                self._enter(above, name)
            else:
                self._fds[at] = os.open(at, _DIR)
        return self._fds[at]

    def _link(self, at: bytes, name: bytes, error: OSError) -> bytes:
        """What the link ``name`` says, if ``error`` came of one. Raises ``Refusal``."""
        with suppress(OSError):
            return os.readlink(name, dir_fd=self._dir(at))
        if error.errno in _ABSENT:
            raise Refusal("missing", self._absent(at, name)) from None
        if error.errno == errno.ENXIO:
            raise Refusal("not-regular", "a socket") from None
        raise Refusal("unreadable", _words(error)) from None

    def _absent(self, at: bytes, name: bytes) -> str:
        """What to say of a name that is not in ``at``."""
        if at not in self._folded:
            names = self.names(at)
            self._folded[at] = {known.casefold(): known for known in names}
        other = self._folded[at].get(os.fsdecode(name).casefold())
        if other is None or os.fsencode(other) == name:
            return "not there"
        return f"not there, but {other} is; upper and lower case count"

    def _forget(self) -> None:
        """Give all descriptors back."""
        while self._fds:
            os.close(self._fds.popitem()[1])


def read_regular(path: str, most: int) -> bytes:
    """The bytes of the regular file at ``path``, links followed, at most ``most``.

    Raises ``NotFound``, ``StorageError`` or ``Unsafe``; never waits for a pipe.
    """
    directory, name = os.path.split(os.path.realpath(os.fsencode(path)))
    with Beneath([directory]) as beneath:
        try:
            with beneath.open(directory, name) as opened:
                data = opened.read(most)
        except Refusal as refusal:
            raise _error(path, refusal) from None
    if len(data) > most:
        raise StorageError(
            path=path, what=f"larger than {most} bytes", remedy="name a smaller file"
        )
    return data


def _error(path: str, refusal: Refusal) -> MewError:
    """A refusal of a file that the user named."""
    if refusal.kind == "missing":
        return NotFound(what=f"{path}: {refusal.why}", remedy="check the path")
    if refusal.kind == "unreadable":
        return StorageError(
            path=path, what=refusal.why, remedy="check the file and its mode"
        )
    return Unsafe(path=path, what=refusal.why, remedy="name a regular file")


def _join(directory: bytes, name: bytes) -> bytes:
    return directory + name if directory.endswith(b"/") else directory + b"/" + name


def _spellings(path: bytes) -> Iterator[bytes]:
    """An absolute path as it is written; then, if that is asked, where it leads."""
    yield path
    yield os.path.realpath(path)


def _look(fd: int, _: bytes, name: bytes) -> bool:
    """True for a name that is there and no link. Raises ``OSError``."""
    if stat.S_ISLNK(os.stat(name, dir_fd=fd, follow_symlinks=False).st_mode):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return True


def _words(error: OSError) -> str:
    """What the system says, without the path that it may name."""
    return (error.strerror or "cannot be read").lower()


def _what(mode: int) -> str:
    """What a file is that is not a regular one."""
    if stat.S_ISDIR(mode):
        return "a directory"
    return "a pipe" if stat.S_ISFIFO(mode) else "a device"


@cache
def _pseudo_devices() -> frozenset[int]:
    """The device numbers of file systems whose files are made up when read."""
    found = set()
    for path in ("/proc", "/sys"):
        with suppress(OSError):
            found.add(os.stat(path).st_dev)
    return frozenset(found - {os.stat("/").st_dev})
