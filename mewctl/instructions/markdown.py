"""Markdown's blocks, as far as an include must know them. Pure.

Owns the question which lines are code: fenced, indented, or raw HTML that goes on to a
mark of its own (comments, ``<pre>``). Containers (lists, quotes) are followed as
CommonMark says, for they decide what an indent means. Renders nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.instructions import html
from mewctl.instructions.inline import spans

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

_TAB = 4  # columns of a tab stop, and from which a line is indented code
_WIDE = 5  # blanks after a list marker from which they belong to code in the item

_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")
_HEADING = re.compile(r"(#{1,6})(?:[ \t]+(.*))?$")
_SETEXT = re.compile(r"(?:=+|-+)[ \t]*$")
_BREAK = re.compile(r"(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_MARKER = re.compile(r"(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|$)")

_QUOTE = 0  # a container; a list item is the width of what stands before its content


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading outside lists and quotes. ``line`` counts from 0, ``level`` from 1."""

    line: int
    level: int
    text: str


@dataclass(slots=True)
class Layout:
    """What a scan found. Lines count from 0.

    ``code``: the lines that are code or a comment. ``starts``: those that begin a block
    outside lists and quotes. ``closing``: the line that would end what is still open at
    the end, empty where nothing is; ``opened``: where that began.
    """

    code: set[int] = field(default_factory=set)
    opened: int = -1
    headings: list[Heading] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    closing: str = ""


def scan(
    lines: Sequence[str], wanted: AbstractSet[int] = frozenset(), first: int = 0
) -> Layout:
    """The layout of ``lines`` from ``first`` on (front matter stands before).

    ``wanted``: lines that also count as code when they stand in a code span or comment
    that a line before began.
    """
    scanner = Scanner(wanted)
    for number in range(first, len(lines)):
        scanner.line(number, lines[number])
    scanner.end()
    return scanner.layout


class Scanner:
    """The open blocks while lines go by; ``layout`` is what was found so far."""

    def __init__(self, wanted: AbstractSet[int]) -> None:
        self.layout = Layout()
        self._wanted = wanted
        self._containers: list[int] = []
        self._bare = -1  # the line of an item's marker that nothing followed
        self._until: str | None = None  # what ends the open fence or HTML block
        self._fence = ""  # the mark of the open fence, with its indent
        self._paragraph: list[tuple[int, str]] = []

    @property
    def literal(self) -> str:
        """The mark, with its indent, that began the fence outside all containers."""
        return "" if self._containers else self._fence

    @property
    def is_open(self) -> bool:
        """Whether a fence or HTML block is open, which blank lines may not end."""
        return self._until is not None

    @property
    def is_fresh(self) -> bool:
        """Whether the next line begins anew, as the first line of a text does."""
        return not (self._containers or self._paragraph or self._until is not None)

    # --- one line ---

    def line(self, number: int, text: str) -> None:
        """Go on with the next line; lines are numbered one by one."""
        if "\t" in text:
            text = text.expandtabs(_TAB)
        matched, at = self._match(number, text)
        whole = matched == len(self._containers)
        if self._until is not None:
            if whole and self._literal(number, text[at:]):
                return
            self._until, self._fence = None, ""
        matched, at = self._open(number, text, matched, at)
        rest = text[at:].lstrip(" ")
        indent = len(text) - at - len(rest)
        if not rest:
            self._close(matched)
        elif indent >= _TAB:
            if self._paragraph:
                self._paragraph.append((number, rest))
            else:
                self._close(matched)
                self._start(number)
                self.layout.code.add(number)
        else:
            self._leaf(number, rest, indent, matched)

    def _match(self, number: int, text: str) -> tuple[int, int]:
        """How many open containers go on in this line, and where their content is."""
        at = 0
        for matched, width in enumerate(self._containers):
            rest = text[at:].lstrip(" ")
            indent = len(text) - at - len(rest)
            if width == _QUOTE:
                if indent >= _TAB or not rest.startswith(">"):
                    return matched, at
                at += indent + 1 + rest.startswith("> ")
            elif not rest:
                last = matched == len(self._containers) - 1
                if last and self._bare == number - 1:
                    return matched, at  # an item begins with one blank line at most
            elif indent < width:
                return matched, at
            else:
                at += width
        return len(self._containers), at

    def _literal(self, number: int, rest: str) -> bool:
        """Go on with the open fence or HTML block; False if the line is not in it."""
        body = rest.lstrip(" ")
        if self._fence:
            self.layout.code.add(number)
            mark = self._fence.lstrip()
            run = body.rstrip(" ")
            short = len(rest) - len(body) < _TAB
            if short and len(run) >= len(mark) and not run.strip(mark[0]):
                self._until, self._fence = None, ""
            return True
        if self._until == html.BLANK:
            return bool(body)
        self.layout.code.add(number)
        if html.ends(rest, self._until or ""):
            self._until = None
        return True

    def _open(self, number: int, text: str, matched: int, at: int) -> tuple[int, int]:
        """Open the containers that begin in this line."""
        while True:
            rest = text[at:].lstrip(" ")
            indent = len(text) - at - len(rest)
            if not rest or indent >= _TAB or matched >= limits.NESTING:
                return matched, at
            if rest[0] == ">":
                width, step = _QUOTE, indent + 1 + rest.startswith("> ")
            else:
                width = step = self._item(rest, indent, matched)
                if not width:
                    return matched, at
                if width > len(text) - at or not text[at + width :].strip(" "):
                    self._bare = number
            if matched == 0:
                self._start(number)
            self._close(matched)
            self._containers.append(width)
            matched, at = matched + 1, min(at + step, len(text))

    def _item(self, rest: str, indent: int, matched: int) -> int:
        """The width of the list item that ``rest`` begins, in columns; 0 for none."""
        marker = _MARKER.match(rest)
        if marker is None or _BREAK.match(rest):
            return 0
        body = rest[marker.end() :]
        content = body.lstrip(" ")
        if self._paragraph and matched == len(self._containers):
            number = marker[1]
            if not content or (number is not None and int(number) != 1):
                return 0  # it does not end a paragraph
        blanks = len(body) - len(content)
        if not content or blanks >= _WIDE:
            blanks = 1
        return indent + marker.end() + blanks

    # --- what is no container ---

    def _leaf(self, number: int, rest: str, indent: int, matched: int) -> None:
        whole = matched == len(self._containers)
        first = rest[0]
        if first in "=-" and whole and self._paragraph and _SETEXT.match(rest):
            self._setext(1 if first == "=" else 2)
            return
        fence = _FENCE.match(rest) if first in "`~" else None
        heading = _HEADING.match(rest) if first == "#" else None
        end = None
        if first == "<":
            end = html.opening(rest, in_paragraph=bool(self._paragraph))
        rule = first in "*-_" and _BREAK.match(rest)
        if not (fence or heading or rule) and end is None:
            self._text(number, rest, matched)
            return
        self._close(matched)
        self._start(number)
        if fence:
            self.layout.opened = number
            self._fence = self._until = " " * indent + (fence[1] or fence[2])
            self.layout.code.add(number)
        elif heading:
            self._heading(number, len(heading[1]), heading[2] or "")
        elif end is not None:
            self._html(number, rest, end)

    def _text(self, number: int, rest: str, matched: int) -> None:
        if not self._paragraph:  # else it goes on, lazily or not
            self._close(matched)
            self._start(number)
        self._paragraph.append((number, rest))

    def _html(self, number: int, rest: str, end: str) -> None:
        if end != html.BLANK:
            self.layout.code.add(number)
            if html.ends(rest, end):
                return
        self.layout.opened = number
        self._until = end

    def _setext(self, level: int) -> None:
        number = self._paragraph[0][0]
        text = " ".join(text.strip() for _, text in self._paragraph)
        self._close(len(self._containers))
        self._heading(number, level, text)

    def _heading(self, number: int, level: int, text: str) -> None:
        if not self._containers:
            self.layout.headings.append(Heading(number, level, _title(text)))

    def _start(self, number: int) -> None:
        if not self._containers and self.layout.starts[-1:] != [number]:
            self.layout.starts.append(number)

    # --- ends ---

    def _close(self, matched: int) -> None:
        """End the paragraph, and the containers that did not go on."""
        if self._paragraph:
            numbers = [number for number, _ in self._paragraph[1:]]
            if not self._wanted.isdisjoint(numbers):
                self._look_inside()
            self._paragraph = []
        del self._containers[matched:]

    def _look_inside(self) -> None:
        """Note the lines asked about that begin within a code span or comment."""
        hidden = spans("\n".join(text for _, text in self._paragraph))
        start, end, at = 0, 0, 0
        for number, line in self._paragraph:
            while end <= at and (span := next(hidden, None)):
                start, end = span
            if start < at < end and number in self._wanted:
                self.layout.code.add(number)
            at += len(line) + 1

    def end(self) -> None:
        """The end of the text: what is open is noted, then closed."""
        if self._until:
            inside = "".join(
                "> " if width == _QUOTE else " " * width for width in self._containers
            )
            self.layout.closing = inside + self._until
        self._close(0)


def _title(text: str) -> str:
    """The text of a heading, without the marks that may close it."""
    text = text.strip(" \t")
    body = text.rstrip("#")
    return body.rstrip(" \t") if body[-1:] in ("", " ", "\t") else text
