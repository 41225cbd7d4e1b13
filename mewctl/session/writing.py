"""Writing to a session log: batches under its lock, each on the disk or not there.

Owns the seal of a torn tail, the removal of a snapshot that was cut short, and the
check of revisions. Must not know where records come from, or ask a model.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Self, TypeAlias

from mewctl import limits
from mewctl.errors import Locked
from mewctl.session.backward import live
from mewctl.session.reading import revision
from mewctl.store.lock import Lock
from mewctl.store.log import Log
from mewctl.store.pages import Pages

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import TracebackType

    from mewctl.session.layout import Layout

Sync: TypeAlias = Literal["batch", "each", "none"]


@dataclass(frozen=True, slots=True)
class Written:
    """What is in the log now: records and bytes of a batch, and the log's revision."""

    records: int
    size: int
    revision: str


class Writer:
    """The log of one session, to be added to. The lock is held for each batch alone.

    Use as a context manager: log and lock file stay open between batches.
    """

    def __init__(self, layout: Layout, sync: Sync = "batch") -> None:
        self._layout = layout
        self._sync = sync
        self._left_at = -1  # the size at which we left the log
        self._lock = Lock(layout.directory)
        self._log: Log | None = None

    @contextmanager
    def locked(self) -> Iterator[Held]:
        """The log, ready for a batch, under its lock.

        Raises ``Locked`` (also where the session is gone), ``Unsafe``,
        ``StorageError``.
        """
        directory = self._layout.directory
        if not os.path.isdir(directory):
            raise Locked(
                path=directory,
                what="the session is gone: removed or moved meanwhile",
                remedy="see mewctl session trash list",
            )
        with self._lock.held():
            log = self._opened()
            if log.size != self._left_at:
                _drop_cut_short(log)
            held = Held(log, self._sync)
            try:
                yield held
            finally:
                self._left_at = log.size

    def _opened(self) -> Log:
        """The log that is there now: the one that is open, unless it was moved."""
        if self._log is not None and self._log.moved():
            self._log.close()
            self._log, self._left_at = None, -1
        if self._log is None:
            self._log = Log(self._layout.log)
        return self._log

    def close(self) -> None:
        """Close what is open."""
        if self._log is not None:
            self._log.close()
            self._log = None
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def append(self, lines: Sequence[bytes]) -> Written:
        """Write lines, without line ends, as one batch. Raises as ``locked``."""
        with self.locked() as held:
            return held.append(lines)


class Held:
    """A log whose lock is held."""

    def __init__(self, log: Log, sync: Sync) -> None:
        self._log = log
        self._sync = sync

    @property
    def size(self) -> int:
        """The log's size in bytes."""
        return self._log.size

    def revision(self) -> str:
        """The log's revision."""
        return _revision(self._log)

    def require(self, wanted: str | None) -> None:
        """Raise ``Locked`` if the log is at another revision than ``wanted``."""
        if wanted is not None and wanted != (now := self.revision()):
            raise Locked(
                path=self._log.path,
                what=f"changed meanwhile: it is at revision {now}, not {wanted}",
                remedy="load it again and repeat the change",
            )

    def append(self, lines: Sequence[bytes]) -> Written:
        """Write lines as one batch, or one by one. Raises ``StorageError``."""
        if self._sync == "each":
            size = sum(self._write([line]) for line in lines)
        else:
            size = self._write(lines)
        return Written(len(lines), size, self.revision())

    def _write(self, lines: Sequence[bytes]) -> int:
        data = b"\n".join((*lines, b""))
        self._log.append(data, sync=self._sync != "none")
        return len(data)


def _revision(log: Log) -> str:
    size = log.size
    return revision(size, log.read(max(0, size - limits.REVISION_BYTES)))


def _drop_cut_short(log: Log) -> None:
    """Remove a snapshot that a crash cut short: nobody was told of it."""
    with Pages(log.path) as pages:
        cut = live(pages.read, pages.size).cut
    if cut is not None:
        log.cut(cut.start)
