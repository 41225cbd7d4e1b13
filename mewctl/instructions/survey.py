"""Which lines are includes, and what a text leaves open: quickly. Pure.

Most of a text needs no look: only where a fence or raw HTML may begin, or a line begins
with ``@include``, are blocks followed, from the last line before it at which all blocks
have ended. ``markdown`` decides what is code; this decides where it has to.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cache

from mewctl import limits
from mewctl.frozen import cheap
from mewctl.instructions.markdown import Scanner

#: A line that matters, with the line end before it and what may stand before its mark.
_MARK = re.compile(
    r"\n[ \t>*+0-9.)-]*+(?:```|~~~|<[A-Za-z/!?]|(\\?@include)(?![^ \t\n]))"
)
_FENCE = re.compile(r"( *)(`{3,}(?=[^`\n]*$)|~{3,})[^\n]*\n?", re.MULTILINE)
_NO_CODE = 3  # columns of indent up to which a line is no indented code


@cheap
@dataclass(frozen=True, slots=True)
class Survey:
    r"""``includes``: where lines begin whose first token is ``@include``.

    Or is ``\@include``; those that are code are left out. ``closing``: the line that
    would end what is open at the end, empty for nothing; ``opened``: where the line
    begins that began it.
    """

    includes: tuple[int, ...]
    closing: str = ""
    opened: int = -1


def survey(text: str, first: int = 0) -> Survey:
    """Look at a text, whose front matter ends at ``first``."""
    marks, wanted = _marks(text, first)
    if not marks:
        return Survey(())
    code: set[int] = set()
    last: _Stretch | None = None
    fresh = done = first  # where all blocks have ended; up to where nothing is to see
    for at in marks:
        if at < done:
            continue
        asked = _holds(wanted, at)
        if asked and _is_plain(text, at, done):
            done = at + 1
            continue
        end = 0 if asked else _fence_end(text, at)
        if end:
            code.update(_between(wanted, at, end))
            done = end
            fresh = fresh if text[at] == " " else end
            continue
        last = _follow(text, _fresh_before(text, at, fresh), at, wanted)
        code |= last.code
        fresh = done = last.end
    includes = tuple(at for at in wanted if at not in code) if code else tuple(wanted)
    if last is None or not last.closing:
        return Survey(includes)
    return Survey(includes, last.closing, last.opened)


def _marks(text: str, first: int) -> tuple[list[int], list[int]]:
    """Where the lines begin that matter, and those of them that begin an include."""
    marks: list[int] = []
    wanted: list[int] = []
    for found in _MARK.finditer("\n" + text, first):
        at = found.start()  # of the line end before, so of the line in ``text``
        if found[1] is not None:
            if text[at : found.start(1) - 1].strip(" \t"):
                continue  # not the first token
            wanted.append(at)
        marks.append(at)
    return marks, wanted


def _holds(lines: list[int], at: int) -> bool:
    place = bisect_left(lines, at)
    return place < len(lines) and lines[place] == at


def _between(lines: list[int], start: int, end: int) -> list[int]:
    return lines[bisect_left(lines, start) : bisect_left(lines, end)]


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
        # each line in it begins with the indent, or is empty
        inside = "\n" + text[begun.end() : closed.start()]
        empty = inside.count("\n\n") + inside.endswith("\n")
        if inside.count("\n" + indent) + empty < inside.count("\n"):
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


def _follow(text: str, start: int, at: int, wanted: list[int]) -> _Stretch:
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
        if _holds(wanted, position):
            asked[number] = position
        scanner.line(number, text[position:end])
        if scanner.layout.opened == number:
            opened = position
        number, position = number + 1, end + 1
        if scanner.literal:
            end = _closing_line(text, position, scanner.literal)
            code.update(_between(wanted, position, end))
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
