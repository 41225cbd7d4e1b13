"""Which of some lines are code, and what a text leaves open: quickly. Pure.

Most of a text needs no look: only where a fence or raw HTML may begin, or where a line
that is asked about stands, are blocks followed, from the last line before it at which
all blocks have ended. ``markdown`` decides; this decides where it has to.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.instructions.markdown import Scanner

if TYPE_CHECKING:
    from collections.abc import Sequence

_BEFORE = " \t>-+*0123456789.)"  # what may stand before a fence in its line
_HTML = re.compile("<[A-Za-z/!?]")
_FENCE = re.compile(r"( *)(`{3,}(?=[^`\n]*$)|~{3,})[^\n]*\n?", re.MULTILINE)
_NO_CODE = 3  # columns of indent up to which a line is no indented code


@dataclass(frozen=True, slots=True)
class Survey:
    """``code``: those of the lines asked about that are code, by where they begin.

    ``closing``: the line that would end what is open at the end, empty for nothing;
    ``opened``: the offset of the line that began it.
    """

    code: frozenset[int]
    closing: str
    opened: int


def survey(text: str, wanted: tuple[int, ...], first: int = 0) -> Survey:
    """Look at the lines that begin at the offsets ``wanted``, in ascending order.

    What stands before ``first`` is front matter.
    """
    code: set[int] = set()
    last: _Stretch | None = None
    fresh = done = first  # where all blocks have ended; up to where nothing is to see
    lines = _Lines(text, wanted, first)
    while (at := lines.after(done)) < len(text):
        asked = lines.asked(at)
        if asked and _is_plain(text, at, done):
            done = at + 1
            continue
        end = 0 if asked else _fence_end(text, at)
        if end:
            code.update(lines.between(at, end))
            done = end
            fresh = fresh if text[at] == " " else end
            continue
        last = _follow(text, _fresh_before(text, at, fresh), at, lines)
        code |= last.code
        fresh = done = last.end
    if last is None or not last.closing:
        return Survey(frozenset(code), "", -1)
    return Survey(frozenset(code), last.closing, last.opened)


class _Lines:
    """The lines to look at: those asked about, and where a block of code may begin."""

    def __init__(self, text: str, wanted: tuple[int, ...], first: int) -> None:
        self._text = text
        self._wanted = wanted
        self._next = {
            mark: _opening(text, mark, first)
            for mark in ("```", "~~~", "<")
            if mark[0] in text
        }

    def after(self, done: int) -> int:
        """Where the next one from ``done`` on begins; the text's size if none does."""
        for mark, at in self._next.items():
            if at < done:
                self._next[mark] = _opening(self._text, mark, done)
        asked = bisect_left(self._wanted, done)
        found = self._wanted[asked] if asked < len(self._wanted) else len(self._text)
        return min(found, *self._next.values()) if self._next else found

    def asked(self, at: int) -> bool:
        """Whether the line at ``at`` is asked about."""
        place = bisect_left(self._wanted, at)
        return self._wanted[place : place + 1] == (at,)

    def between(self, start: int, end: int) -> Sequence[int]:
        """The lines asked about from ``start`` to before ``end``."""
        return self._wanted[
            bisect_left(self._wanted, start) : bisect_left(self._wanted, end)
        ]


def _opening(text: str, mark: str, start: int) -> int:
    """Where the next line begins in which ``mark`` may begin a block."""
    at = text.find(mark, start)
    while at >= 0:
        line = max(text.rfind("\n", 0, at) + 1, start)
        if not text[line:at].strip(_BEFORE) and (mark != "<" or _HTML.match(text, at)):
            return line
        at = text.find("\n", at)  # one is enough in a line
        if at < 0:
            break
        at = text.find(mark, at)
    return len(text)


def _fence_end(text: str, at: int) -> int:
    """Where the fence that begins in the line at ``at`` has ended; 0 if not sure.

    It is sure where no container can matter: the fence begins and ends with the same
    indent, and nothing in it has a smaller one.
    """
    begun = _FENCE.match(text, at)
    if begun is None:
        return 0
    indent, mark = begun[1], begun[2]
    if len(indent) > _NO_CODE and not text.startswith("\n\n", at - 2):
        return 0
    most = begun.end() + limits.FENCE_GLANCE if indent else len(text)
    closed = _closing(mark[0], len(mark)).search(text, begun.end(), most)
    if closed is None or closed[1] != indent or closed.end() == most < len(text):
        return 0
    if indent:
        inside = text[begun.end() : closed.start()].split("\n")
        if not all(line.startswith(indent) or not line for line in inside):
            return 0
    return closed.end() + 1


def _is_plain(text: str, at: int, done: int) -> bool:
    """Whether the line at ``at`` cannot be code, whatever blocks are around it.

    So it is where it is not indented and nothing before it in its paragraph could
    begin a code span or a comment.
    """
    before = text[max(text.rfind("\n\n", done, at) + 2, done) : at]
    return text[at] not in " \t" and not ("`" in before or "<" in before)


def _fresh_before(text: str, at: int, done: int) -> int:
    """The last line not after ``at`` that begins anew: not indented, after a blank."""
    while True:
        blank = text.rfind("\n\n", done, at)
        if blank < 0:
            return done
        if text[blank + 2] not in " \t\n":
            return blank + 2
        at = blank + 1


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Lines whose blocks were followed: which of them are code, and where they end."""

    end: int
    code: frozenset[int]
    closing: str
    opened: int


def _follow(text: str, start: int, at: int, lines: _Lines) -> _Stretch:
    """Follow the blocks from ``start`` until, after ``at``, all have ended."""
    asked: dict[int, int] = {}  # number of a line asked about -> where it begins
    opened = -1
    code: set[int] = set()
    scanner = Scanner(asked.keys())
    position, number = start, 0
    while position < len(text):
        if position > at and _all_ended(text, position, scanner):
            break
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        if lines.asked(position):
            asked[number] = position
        scanner.line(number, text[position:end])
        if scanner.layout.opened == number:
            opened = position
        number, position = number + 1, end + 1
        if scanner.literal:
            end = _closing_line(text, position, scanner.literal)
            code.update(lines.between(position, end))
            position = end
    else:
        scanner.end()
    code.update(asked[line] for line in scanner.layout.code if line in asked)
    return _Stretch(position, frozenset(code), scanner.layout.closing, opened)


def _all_ended(text: str, position: int, scanner: Scanner) -> bool:
    """Whether the line at ``position`` begins anew."""
    if scanner.is_fresh:
        return True
    blank = text.startswith("\n\n", position - 2)
    return blank and text[position] not in " \t\n" and not scanner.is_open


def _closing_line(text: str, position: int, mark: str) -> int:
    """Where the line begins that ends a fence; the end of the text if none does."""
    mark = mark.lstrip()
    search = _closing(mark[0], len(mark)).search
    while found := search(text, position):
        if len(found[1]) <= _NO_CODE:
            return found.start()
        position = found.end()
    return len(text)


@cache
def _closing(character: str, length: int) -> re.Pattern[str]:
    return re.compile(rf"^( *){character}{{{length},}}[ \t]*$", re.MULTILINE)
