"""One line that begins with ``@include``: what it asks for. Pure; opens nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

WORD = "@include"
_RANGE = re.compile(r"(?P<path>.+):(?P<first>\d{1,9})-(?P<last>\d{1,9})", re.ASCII)
_SECTION = re.compile(r"(?P<path>[^#]+)#(?P<heading>.+)")
_AFTER_QUOTE = re.compile(r"(?::\d{1,9}-\d{1,9}|#.+)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Lines:
    """A part of a file: lines ``first`` to ``last``, both counted from 1."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a file: what stands under a heading."""

    heading: str


Part: TypeAlias = Lines | Section | None
#: What a directive may mean: a path, and a part of that file.
Reading: TypeAlias = tuple[str, Part]


class Malformed(ValueError):
    """A directive that names no path; the message says why."""


def is_escaped(line: str) -> bool:
    """Whether a line that begins with the word is meant literally."""
    return line.lstrip(" \t").startswith("\\")


def split(line: str) -> tuple[str, str]:
    """The indent of a line that is a directive, and what stands after ``@include``."""
    indent, _, rest = line.partition(WORD)
    return indent, rest.strip(" \t")


def parse(written: str) -> tuple[Reading, ...]:
    """What a directive may mean, in the order to try. Raises ``Malformed``.

    The first whose file is there holds: so a name may have ``#`` or ``:1-2`` in it.
    """
    if not written:
        raise Malformed("no path after @include")
    quote = written[0]
    if quote not in "\"'":
        return tuple(_readings(written))
    name, closed, after = written[1:].partition(quote)
    if not closed or not name:
        raise Malformed(f"no path between {quote} and {quote}")
    if not _AFTER_QUOTE.fullmatch(after):
        raise Malformed(f"more than a path: {after}")
    return tuple(_readings(name + after))


def _readings(text: str) -> Iterator[Reading]:
    yield text, None
    found = _RANGE.fullmatch(text)
    if found:
        yield found["path"], Lines(int(found["first"]), int(found["last"]))
    found = _SECTION.fullmatch(text)
    if found:
        yield found["path"], Section(found["heading"].strip())
