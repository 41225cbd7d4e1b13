"""Changes to files as text: patches read, and any change shown as an excerpt. Pure.

Reads the patch envelope of Codex and unified diffs. An excerpt has ``-`` and ``+``
lines like a diff and is bounded, however large the change was.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from mewctl import limits
from mewctl.frozen import cheap
from mewctl.history import excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator

TouchKind: TypeAlias = Literal["read", "write", "edit", "create", "delete", "move"]

BEGIN = "*** Begin Patch"
_END = "*** End Patch"
_ADD = "*** Add File: "
_UPDATE = "*** Update File: "
_DELETE = "*** Delete File: "
_MOVE = "*** Move to: "
_HEADERS: dict[str, TouchKind] = {_ADD: "create", _UPDATE: "edit", _DELETE: "delete"}
_NOTHING = "/dev/null"  # how a diff names the file that is not there


@cheap
@dataclass(frozen=True, slots=True)
class Touch:
    """What a call does to one file.

    ``change``: an excerpt of the change. ``to``: where a moved file is then. ``part``:
    which lines were asked for. ``content``: a result's text is the file's content.
    ``numbered``: its lines come with their numbers. ``certain``: it happens even where
    the call as a whole fails, as the shell makes a file before it runs the program.
    """

    kind: TouchKind
    path: str
    change: str = ""
    to: str = ""
    part: str = ""
    content: bool = False
    numbered: bool = False
    certain: bool = False


def replaced(old: str, new: str) -> str:
    """An excerpt of an edit: the lines that went and the lines that came.

    Lines that both sides begin or end with are left out.
    """
    start = _same_lines(old, new)
    most = start + 2 * limits.FACT_CHANGE  # characters: more than can be shown
    before = old[start:most].split("\n") if old[start:] else []
    after = new[start:most].split("\n") if new[start:] else []
    if len(old) <= most and len(new) <= most:
        while before and after and before[-1] == after[-1]:
            del before[-1], after[-1]
    half = limits.FACT_CHANGE // 2
    gone = excerpt.lines("\n".join(f"-{line}" for line in before), half)
    came = excerpt.lines("\n".join(f"+{line}" for line in after), half)
    return "\n".join(part for part in (gone, came) if part)


def _same_lines(old: str, new: str) -> int:
    """How many characters of whole lines two texts have in common at their start."""
    if old == new:
        return len(old)
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    ends = [len(old) == low or old[low] == "\n", len(new) == low or new[low] == "\n"]
    return low + 1 if all(ends) else old.rfind("\n", 0, low) + 1


def written(content: str) -> str:
    """An excerpt of a whole file that was written: its first lines."""
    if not content:
        return ""
    shown = excerpt.lines(content, limits.FACT_CHANGE).rstrip("\n").split("\n")
    more = shown.pop() if shown[-1].startswith("… (+") else ""
    lines = [f"+{line}" for line in shown]
    return "\n".join([*lines, more] if more else lines)


class _Hunk:
    """The first changed lines of one file, as many as an excerpt can show."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._size = 0

    def add(self, line: str) -> None:
        if self._size <= limits.FACT_CHANGE and line.startswith(("+", "-")):
            self._lines.append(line[: limits.FACT_CHANGE])
            self._size += len(line)

    def __str__(self) -> str:
        return excerpt.lines("\n".join(self._lines), limits.FACT_CHANGE)


def envelope(text: str) -> Iterator[Touch]:
    """The files of a ``*** Begin Patch`` … ``*** End Patch`` text, in order."""
    start = text.find(BEGIN)
    stop = text.find(_END, start)
    if start < 0:
        return
    header, to, hunk = "", "", _Hunk()
    for line in text[start : stop if stop >= 0 else len(text)].split("\n"):
        if line.startswith(tuple(_HEADERS)):
            yield from _touched(header, to, hunk)
            header, to, hunk = line, "", _Hunk()
        elif line.startswith(_MOVE):
            to = line[len(_MOVE) :].strip()
        else:
            hunk.add(line)
    yield from _touched(header, to, hunk)


def _touched(header: str, to: str, hunk: _Hunk) -> Iterator[Touch]:
    for mark, kind in _HEADERS.items():
        path = header.removeprefix(mark).strip()
        if header.startswith(mark) and path:
            yield Touch("move" if to else kind, path, str(hunk), to)


def unified(text: str) -> Iterator[Touch]:
    """The files of a unified diff, in order."""
    old, path, hunk = "", "", _Hunk()
    kind: TouchKind = "edit"
    for line in text.split("\n"):
        if line.startswith("--- "):
            old = _name(line)
        elif line.startswith("+++ ") and old:
            if path:
                yield Touch(kind, path, str(hunk))
            new, hunk = _name(line), _Hunk()
            path = old if new == _NOTHING else new
            kind = "create" if old == _NOTHING else "edit"
            kind = "delete" if new == _NOTHING else kind
            old = ""
        else:
            hunk.add(line)
    if path:
        yield Touch(kind, path, str(hunk))


def _name(line: str) -> str:
    """The path of a ``---`` or ``+++`` line, without the prefix that git adds."""
    name = line[4:].partition("\t")[0].strip()
    return name[2:] if name.startswith(("a/", "b/")) else name
