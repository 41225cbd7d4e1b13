"""Which of some lines are code, and what a text leaves open: quickly. Pure.

Most of a text needs no look: only where a fence or raw HTML may begin, or where a line
that is asked about stands, are blocks followed, from the last line before it at which
all blocks have ended. ``markdown`` decides; this decides where it has to.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from mewctl.instructions.markdown import Scanner

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

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


def survey(text: str, wanted: AbstractSet[int], first: int = 0) -> Survey:
    """Look at the lines that begin at the offsets ``wanted``.

    What stands before ``first`` is front matter.
    """
    code: set[int] = set()
    last: _Stretch | None = None
    fresh = done = first  # where all blocks have ended; up to where nothing is to see
    for at in sorted([*wanted, *_openings(text, first)]):
        if at < done:
            continue
        if at not in wanted:
            end = _fence_end(text, at)
            if end:
                code.update(line for line in wanted if at < line < end)
                done = end
                fresh = fresh if text[at] == " " else end
                continue
        elif _is_plain(text, at, done):
            continue
        last = _follow(text, _fresh_before(text, at, fresh), at, wanted)
        code |= last.code
        fresh = done = last.end
    if last is None or not last.closing:
        return Survey(frozenset(code), "", -1)
    return Survey(frozenset(code), last.closing, last.opened)


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
    closed = _closing(mark[0], len(mark)).search(text, begun.end())
    if closed is None or closed[1] != indent:
        return 0
    if indent:
        inside = text[begun.end() : closed.start()].split("\n")
        if not all(line.startswith(indent) or not line for line in inside):
            return 0
    return closed.end() + 1


def _openings(text: str, first: int) -> list[int]:
    """Where lines begin in which a fence or an HTML block might."""
    found: list[int] = []
    for mark in ("```", "~~~", "<"):
        at = text.find(mark, first)
        while at >= 0:
            start = text.rfind("\n", 0, at) + 1
            if start == at or not text[start:at].strip(_BEFORE):
                if mark != "<" or _HTML.match(text, at):
                    found.append(max(start, first))
                at = text.find("\n", at)  # one is enough in a line
                if at < 0:
                    break
            at = text.find(mark, at + 1)
    return found


def _is_plain(text: str, at: int, done: int) -> bool:
    """Whether the line at ``at`` cannot be code, whatever blocks are around it.

    So it is where it is not indented and nothing before it in its paragraph could
    begin a code span or a comment.
    """
    before = text[max(text.rfind("\n\n", 0, at) + 2, done) : at]
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


def _follow(text: str, start: int, at: int, wanted: AbstractSet[int]) -> _Stretch:
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
        if position in wanted:
            asked[number] = position
        scanner.line(number, text[position:end])
        if scanner.layout.opened == number:
            opened = position
        number, position = number + 1, end + 1
        if scanner.literal:
            end = _closing_line(text, position, scanner.literal)
            code.update(line for line in wanted if position <= line < end)
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
