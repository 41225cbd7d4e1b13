"""A part of a file: a range of lines, or what stands under a heading. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from mewctl import limits
from mewctl.instructions.directive import Lines, Section
from mewctl.instructions.markdown import scan

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mewctl.instructions.markdown import Heading

_MARKUP = re.compile(r"[^\w\- ]")


class NoPart(ValueError):
    """The part is not there; the message says why."""

    def __init__(self, kind: Literal["range", "heading"], why: str) -> None:
        self.kind: Literal["range", "heading"] = kind
        super().__init__(why)


def locate(text: str, body: int, part: Lines | Section) -> tuple[int, int]:
    """Where the part begins and ends in ``text``. ``body``: where front matter ends.

    Line numbers count all lines of the file. Raises ``NoPart``.
    """
    lines = text.removesuffix("\n").split("\n") if text else []
    if isinstance(part, Lines):
        first, last = _range(len(lines), part)
    else:
        first, last = _section(lines, text.count("\n", 0, body), part.heading)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    start = max(starts[first], body)
    return start, max(start, min(starts[last], len(text)))


def _range(count: int, part: Lines) -> tuple[int, int]:
    if not 1 <= part.first <= part.last:
        raise NoPart(
            "range", f"{part.first}-{part.last} is no range; lines count from 1"
        )
    if part.last > count:
        raise NoPart(
            "range", f"lines {part.first}-{part.last} of a file that has {count}"
        )
    return part.first - 1, part.last


def _section(lines: Sequence[str], first: int, wanted: str) -> tuple[int, int]:
    """The lines of a section: to the next heading of its level, or a higher one."""
    headings = scan(lines, first=first).headings
    at = _find(headings, wanted)
    if at is None:
        known = ", ".join(found.text for found in headings[: limits.HEADINGS_TOLD])
        raise NoPart("heading", f"no such heading; there are: {known or 'none'}")
    level = headings[at].level
    after = (h.line for h in headings[at + 1 :] if h.level <= level)
    last = next(after, len(lines))
    while last > 1 and not lines[last - 1].strip():
        last -= 1
    return headings[at].line, last


def _find(headings: Sequence[Heading], wanted: str) -> int | None:
    """The heading with the text ``wanted``, else with that anchor."""
    for at, heading in enumerate(headings):
        if heading.text == wanted:
            return at
    for at, anchor in enumerate(_anchors(headings)):
        if anchor == wanted.lower():
            return at
    return None


def _anchors(headings: Sequence[Heading]) -> Iterator[str]:
    """The anchors of headings, as GitHub makes them: the second ``a`` is ``a-1``."""
    seen: dict[str, int] = {}
    for heading in headings:
        name = _MARKUP.sub("", heading.text.lower()).replace(" ", "-")
        count = seen.get(name, 0)
        seen[name] = count + 1
        yield f"{name}-{count}" if count else name
