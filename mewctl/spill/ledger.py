"""The ledger of a spill directory: every decision, once, in the order they were made.

An append-only file. In memory it is an index; preview texts stay in the file. Writing
needs the directory's lock, which the caller holds.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mewctl import limits
from mewctl.errors import ConfigError
from mewctl.spill import entries
from mewctl.spill.groups import Limits
from mewctl.store.failures import storage_error
from mewctl.store.files import replace, set_aside
from mewctl.store.log import Log
from mewctl.store.opening import read_at, read_blocks
from mewctl.streams.jsonvalue import dumps, loads

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mewctl.spill.entries import Entry
    from mewctl.spill.preview import Lang

NAME = "ledger.jsonl"


@dataclass(frozen=True, slots=True)
class Place:
    """A decision, and where its line is in the file, in bytes."""

    entry: Entry
    offset: int
    size: int


class Ledger:
    """The decisions of one directory. Call ``refresh`` before use, and for news.

    ``limits`` and ``lang``: what it is bound to, None while it is not.
    ``smallest``: the smallest limit it was ever bound to, in bytes. ``floor``: the size
    of the smallest body that was replaced whatever its size. ``damaged``: some lines
    cannot be read.
    """

    def __init__(self, directory: str) -> None:
        self.path = os.path.join(directory, NAME)
        self._inode = 0
        self.forget()

    def forget(self) -> None:
        """Know nothing of the file."""
        self.limits: Limits | None = None
        self.lang: Lang | None = None
        self.smallest: int | None = None
        self.floor: int | None = None
        self.damaged = False
        self._places: dict[str, list[Place]] = {}
        self._end = 0  # offset after the last whole line that was read

    # --- reading ---

    def refresh(self) -> None:
        """Take in what is new in the file; all of it where it is another file now.

        Raises ``ConfigError`` for a ledger of a later version, ``Unsafe`` and
        ``StorageError``.
        """
        try:
            status = os.stat(self.path, follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            self.forget()
            return
        except OSError as error:
            raise storage_error(self.path, error) from None
        if status.st_ino != self._inode or status.st_size < self._end:
            self.forget()
        self._inode = status.st_ino
        if status.st_size > self._end:
            for at, line, after in self._lines(self._end):
                self._end = after
                if line and not self._take(at, line):
                    self.damaged = True

    def reread(self) -> None:
        """Take in the whole file, whatever is known of it. Raises as ``refresh``."""
        self.forget()
        self.refresh()

    def is_torn(self) -> bool:
        """Whether a line without an end follows; ask for it under the lock."""
        try:
            return os.stat(self.path, follow_symlinks=False).st_size > self._end
        except OSError:
            return False

    def _lines(self, start: int) -> Iterator[tuple[int, bytes, int]]:
        """The whole lines from ``start`` on, each with its offset and the next one's.

        Of a line that is too long only NULs come, which nothing can read.
        """
        rest, lost = b"", 0
        for block in read_blocks(self.path, start):
            *lines, rest = (rest + block).split(b"\n")
            for line in lines:
                after = start + len(line) + lost + 1
                yield start, line, after
                start, lost = after, 0
            if len(rest) > limits.LEDGER_LINE_MAX:
                lost += len(rest) - 1
                rest = b"\0"

    def _take(self, offset: int, line: bytes) -> bool:
        """Put a line into the index; whether it could be read."""
        try:
            value = _value(line)
            bound = entries.read_header(value)
            entry = entries.read_entry(value)
        except OverflowError:
            raise ConfigError(
                place=self.path,
                what="written by a later version of mewctl",
                remedy="upgrade mewctl, or name another directory",
            ) from None
        except ValueError:
            return False
        if bound is not None:
            self.limits = bound
            self.smallest = min(self.smallest or bound.smallest, bound.smallest)
        self.lang = entries.read_language(value) or self.lang
        if entry is not None:
            self._places.setdefault(entry.name, []).append(
                Place(entry, offset, len(line))
            )
            if entry.short:
                self.floor = min(self.floor or entry.size, entry.size)
        return True

    def of_name(self, name: str) -> Sequence[Place]:
        """The decisions about calls of the safe name ``name``, oldest first."""
        return self._places.get(name, ())

    def entries(self) -> Iterator[Entry]:
        """All decisions, by name."""
        for places in self._places.values():
            for place in places:
                yield place.entry

    def preview(self, place: Place) -> str | None:
        """The text that stands for a replaced body.

        None where the line is no longer there: ``refresh`` and look again. Raises
        ``StorageError``.
        """
        line = read_at(self.path, place.offset, place.size)
        with suppress(ValueError):
            value = _value(line)
            if entries.read_entry(value) == place.entry:
                return str(value["preview"])
        return None

    # --- writing, under the lock ---

    def append(self, records: Sequence[dict[str, Any]]) -> None:
        """Write decisions down, on the disk when this returns.

        Raises ``Unsafe`` and ``StorageError``; then nothing was written.
        """
        with Log(self.path) as log:
            log.append(b"".join(dumps(record) + b"\n" for record in records))
        self.refresh()

    def _lost_headers(self) -> Iterator[dict[str, Any]]:
        """What stands for headers that are lost: limits that every decision is over."""
        sizes = [e.size for e in self.entries() if e.replaced and not e.short]
        if sizes:
            least = max(min(sizes) - 1, 1)
            yield entries.header(Limits(least, least))

    def mend(self, header: dict[str, Any], more: Sequence[dict[str, Any]]) -> str:
        """Set a damaged ledger aside; its good lines and ``more`` are the new one.

        The path of the old one. ``header`` is written where none was left. Raises
        ``StorageError``; then the old one is still in its place.
        """
        old = b"".join(read_blocks(self.path))
        aside = set_aside(self.path, old)
        good = [] if self.limits else [*map(dumps, self._lost_headers()), dumps(header)]
        good += [line for _, line, _ in self._lines(0) if _is_good(line)]
        good += [dumps(record) for record in more]
        replace(self.path, b"\n".join(good) + b"\n")
        self.reread()
        return aside


def _value(line: bytes) -> dict[str, Any]:
    value = loads(line)
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


def _is_good(line: bytes) -> bool:
    try:
        value = _value(line)
        entries.read_header(value)
        entries.read_entry(value)
    except ValueError:
        return False
    return True
