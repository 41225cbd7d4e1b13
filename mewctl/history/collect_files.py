"""What happened to files: reads, changes, creations, deletions, with the last change.

Every changed file stays listed, whatever its number; excerpts are kept for the newest.
Must not guess directories: a relative path is taken for a known file only if exactly
one known path ends in it, and if it is long enough to tell.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.history import paths
from mewctl.history.facts import FileFact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mewctl.history.patches import Touch

_TELLING = 2  # slashes in a relative path that tell its file from others of the name


@dataclass(slots=True)
class _File:
    """What becomes a ``FileFact``, while it still changes."""

    path: str
    reads: int = 0
    writes: int = 0
    created: bool = False
    deleted: bool = False
    change: str = ""
    why: str = ""
    last: int = 0

    @property
    def changed(self) -> bool:
        return bool(self.writes or self.created or self.deleted)

    def fact(self, *, excerpt: bool) -> FileFact:
        """The fact, with or without the excerpt of its last change."""
        change, why = (self.change, self.why) if excerpt else ("", "")
        return FileFact(
            self.path,
            self.reads,
            self.writes,
            self.created,
            self.deleted,
            change,
            why,
            self.last,
        )


class Files:
    """Facts by file. The order is that of the last touch, oldest first."""

    def __init__(self, earlier: Sequence[FileFact] = ()) -> None:
        self._files: dict[str, _File] = {}
        self._index = _Index()
        self._changed: set[str] = set()
        for fact in earlier:
            self._put(_File(*(getattr(fact, name) for name in _File.__slots__)))

    def resolved(self, touch: Touch) -> Touch:
        """``touch`` with the known absolute paths for the relative ones it names."""
        if touch.path.startswith("/") and not touch.to:
            return touch
        path = self._index.absolute(touch.path)
        to = self._index.absolute(touch.to) if touch.to else ""
        if to and path != touch.path and not paths.is_absolute(to):
            to = path.removesuffix(paths.identity(touch.path)) + paths.identity(to)
        if path == touch.path and to == touch.to:
            return touch
        return replace(touch, path=path, to=to)

    def read(self, path: str, n: int) -> None:
        """A file was read in message ``n``."""
        file = self._take(path)
        file.reads += 1
        file.last = n
        self._put(file)

    def change(self, touch: Touch, n: int, why: str, *, created: bool) -> list[str]:
        """A change that worked. Returns the paths that are not what they were."""
        if touch.kind == "delete":
            return self._delete(touch.path, n, why)
        if touch.kind == "move":
            note = f"(moved from {touch.path})"
            change = f"{note}\n{touch.change}" if touch.change else note
            gone = self._delete(touch.path, n, why, f"(moved to {touch.to})")
            return [*gone, self._write(touch.to, change, n, why, created=True)]
        created = created or touch.kind == "create"
        return [self._write(touch.path, touch.change, n, why, created=created)]

    def facts(self) -> tuple[FileFact, ...]:
        """All facts; excerpts of the newest changed files only."""
        spare = sum(1 for file in self._files.values() if file.change)
        spare -= limits.FACT_CHANGES_SHOWN
        found: list[FileFact] = []
        for file in self._files.values():
            found.append(file.fact(excerpt=not file.change or spare <= 0))
            spare -= bool(file.change)
        return tuple(found)

    def _write(self, path: str, change: str, n: int, why: str, *, created: bool) -> str:
        file = self._take(path)
        file.created = file.created or created or (file.deleted and not file.reads)
        file.deleted = False
        file.writes += 1
        file.change, file.why, file.last = change, why, n
        self._put(file)
        return file.path

    def _delete(self, path: str, n: int, why: str, change: str = "") -> list[str]:
        file = self._take(path)
        file.deleted, file.change, file.why, file.last = True, change, why, n
        self._put(file)
        gone = [file.path]
        key = paths.identity(path)
        if key in self._index.directories:
            for inside in [k for k in self._files if k.startswith(f"{key}/")]:
                file = self._take(inside)
                file.deleted, file.last = True, n
                self._put(file)
                gone.append(file.path)
        return gone

    def _take(self, path: str) -> _File:
        """A file, taken out so that it can be put at the end."""
        key = paths.identity(path)
        file = self._files.pop(key, None)
        if file is None:
            known = self._index.relative(key)
            file = self._files.pop(known, None) or _File(path)
            self._changed.discard(known)
        if paths.is_absolute(path):
            file.path = path
        return file

    def _put(self, file: _File) -> None:
        key = paths.identity(file.path)
        self._files[key] = file
        self._index.add(key)
        if file.changed:
            self._changed.add(key)
        if len(self._files) - len(self._changed) > 2 * limits.FACT_FILES_READ:
            read = [key for key in self._files if key not in self._changed]
            self._forget(read[: -limits.FACT_FILES_READ])
        if len(self._changed) > 2 * limits.FACT_FILES_CHANGED:
            changed = [key for key in self._files if key in self._changed]
            self._forget(changed[: -limits.FACT_FILES_CHANGED])

    def _forget(self, keys: Sequence[str]) -> None:
        for key in keys:
            del self._files[key]
        self._changed.difference_update(keys)
        self._index = _Index()
        for key in self._files:
            self._index.add(key)


class _Index:
    """Finds known paths by their ends; only ends of three names and more count."""

    def __init__(self) -> None:
        self.directories: set[str] = set()
        self._known: set[str] = set()
        self._by_name: dict[str, list[str]] = {}

    def add(self, key: str) -> None:
        """A path that is known from now on, and the directories it is in."""
        if key in self._known:
            return
        self._known.add(key)
        self._by_name.setdefault(_name(key), []).append(key)
        parent = key.rpartition("/")[0]
        while parent and parent not in self.directories:
            self.directories.add(parent)
            self._by_name.setdefault(_name(parent), []).append(parent)
            parent = parent.rpartition("/")[0]

    def absolute(self, path: str) -> str:
        """The one known absolute path that ends in the relative ``path``, else it."""
        key = paths.identity(path)
        if paths.is_absolute(path) or key.count("/") < _TELLING:
            return path
        found = {
            known
            for known in self._of_name(key)
            if known.startswith("/") and known.endswith(f"/{key}")
        }
        return found.pop() if len(found) == 1 else path

    def relative(self, key: str) -> str:
        """The one known relative path in which the absolute ``key`` ends, else none."""
        if not key.startswith("/"):
            return ""
        found = {
            known
            for known in self._of_name(key)
            if known.count("/") >= _TELLING and key.endswith(f"/{known}")
        }
        return found.pop() if len(found) == 1 else ""

    def _of_name(self, key: str) -> Sequence[str]:
        """The known paths of one name, unless they are too many to tell anything."""
        found = self._by_name.get(_name(key), ())
        return found if len(found) <= limits.SAME_NAMES else ()


def _name(key: str) -> str:
    return key.rpartition("/")[2]
