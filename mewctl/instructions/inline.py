"""Inside a paragraph: what is a code span or a comment. Pure.

As CommonMark has it: what begins first wins, a backslash hides the next character, a
run of backticks ends at the next run of the same length, and tags and addresses in
angle brackets hold no code. Takes time in proportion to the text, whatever it is.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from mewctl.instructions.html import MARKED, TAG

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOKEN = re.compile(
    r"\\[!-/:-@\[-`{-~]"
    r"|(?P<ticks>`+)"
    rf"|(?P<mark>{'|'.join(re.escape(start) for start, _ in MARKED)}|<![A-Za-z])"
    r"|<[A-Za-z][A-Za-z0-9.+-]{1,31}:[^<>\x00-\x20]*+>"  # an address
    rf"|{TAG}",
    re.ASCII,
)
_TICKS = re.compile("`+")
_COMMENT = "<!--"


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Where the code spans and comments of a paragraph begin and end, in order."""
    runs: dict[int, list[int]] = {}
    for run in _TICKS.finditer(text):
        runs.setdefault(len(run.group()), []).append(run.start())
    never: set[str] = set()  # ends of marks that do not come any more
    at = 0
    while token := _TOKEN.search(text, at):
        start, at = token.span()
        ticks, mark = token["ticks"], token["mark"]
        if ticks:
            same = runs[len(ticks)] if at - start in runs else []
            close = bisect_left(same, at)
            if close == len(same):
                continue
            at = same[close] + len(ticks)
            yield start, at
        elif mark:
            end = _end(text, start, mark, never)
            at = end or at
            if end and mark == _COMMENT:
                yield start, end


def _end(text: str, start: int, mark: str, never: set[str]) -> int:
    """Where raw HTML that begins with a mark ends; 0 if it does not."""
    if mark == _COMMENT and text.startswith((">", "->"), start + len(mark)):
        return text.index(">", start) + 1
    close = dict(MARKED).get(mark, ">")
    if close in never:
        return 0
    end = text.find(close, start + len(mark))
    if end < 0:
        never.add(close)
        return 0
    return end + len(close)
