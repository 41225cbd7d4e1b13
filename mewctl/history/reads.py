"""The files that were read last, with their content as the transcript shows it.

Keeps the newest few and forgets the rest. Content is prepared only when asked for, so
that a long transcript costs no more than remembering references to its texts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.history import paths
from mewctl.history.facts import FileRead
from mewctl.history.read_text import unwrapped

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mewctl.history.patches import Touch

KEPT = 2 * limits.RECENT_FILES


@dataclass(frozen=True, slots=True)
class _Seen:
    touch: Touch
    text: str
    cut: bool
    n: int
    time: float | None
    stale: str = ""


class Reads:
    """The newest reads, by file. ``estimate`` gives the tokens of a text."""

    def __init__(
        self, estimate: Callable[[str], int], earlier: Sequence[FileRead] = ()
    ) -> None:
        self._estimate = estimate
        self._seen: dict[str, _Seen | FileRead] = {
            paths.identity(read.path): read for read in earlier
        }

    def weigh_with(self, estimate: Callable[[str], int]) -> None:
        """From now on ``estimate`` gives the tokens of a text."""
        self._estimate = estimate

    def add(self, touch: Touch, text: str, n: int, time: float | None) -> None:
        """A read that worked, and the text of its result."""
        key = paths.identity(touch.path)
        self._seen.pop(key, None)
        kept = text[: limits.READ_KEPT]
        self._seen[key] = _Seen(touch, kept, len(kept) < len(text), n, time)
        while len(self._seen) > KEPT:
            del self._seen[next(iter(self._seen))]

    def changed(self, path: str, how: str) -> None:
        """A file was ``written`` or ``deleted``: what was read of it is stale."""
        key = paths.identity(path)
        for name, seen in self._seen.items():
            if name == key or (how == "deleted" and name.startswith(f"{key}/")):
                self._seen[name] = replace(seen, stale=how)

    def facts(self) -> tuple[FileRead, ...]:
        """The reads, the oldest first."""
        found = (self._fact(seen) for seen in self._seen.values())
        return tuple(read for read in found if read)

    def _fact(self, seen: _Seen | FileRead) -> FileRead | None:
        if isinstance(seen, FileRead):
            return seen
        read = unwrapped(seen.text, numbered=seen.touch.numbered)
        if read is None:
            return None
        content, cut = fitting(read.content, self._estimate)
        part = seen.touch.part
        if read.first and (part or read.cut or read.first > 1):
            part = f"lines {read.first}-{read.last}"
        return FileRead(
            path=seen.touch.path,
            content=content,
            n=seen.n,
            time=seen.time,
            part=part,
            stale=seen.stale,
            truncated=cut or seen.cut or (read.cut and not part),
        )


def fitting(
    content: str,
    estimate: Callable[[str], int],
    tokens: int = limits.RECENT_FILE_TOKENS,
) -> tuple[str, bool]:
    """The first whole lines of ``content`` within ``tokens``; whether that cut it."""
    if estimate(content) <= tokens:
        return content, False
    low, high = 0, len(content)
    while high - low > limits.READ_STEP:
        middle = (low + high) // 2
        low, high = (
            (middle, high) if estimate(content[:middle]) <= tokens else (low, middle)
        )
    end = content.rfind("\n", 0, low)
    return content[: end if end > 0 else low], True
