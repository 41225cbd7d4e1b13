"""Searching bodies and dropped messages for a pattern, line by line. Reads only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from mewctl import limits
from mewctl.errors import MewError
from mewctl.spill.recall import lines
from mewctl.streams.jsonvalue import BadJSON, loads

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Iterator

    from mewctl.spill.recall import Archive

_DEPTH = 20  # levels of a dropped record in which texts are sought
_NO_TEXT = ("role", "type")  # keys whose values nobody means


class Pattern(Protocol):
    """What finds a match: a compiled regular expression, say."""

    def search(self, text: str, /) -> re.Match[str] | None:
        """The first match in ``text``."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A line that matches.

    ``line``: of a body, from 1; of a boundary (``message``) the number of the message.
    """

    handle: str
    line: int
    excerpt: str
    message: bool = False


def search(
    archive: Archive, pattern: Pattern, warn: Callable[[str], None]
) -> Iterator[Hit]:
    """The lines of bodies, then of dropped messages, in which ``pattern`` is found.

    ``warn`` is told what cannot be read, or is not what was put there.
    """
    for body in archive.bodies():
        if body.of != "image" and body.size is not None:
            found = _numbered(lines(archive.read(body)))
            yield from _hits(body.file, found, pattern, warn)
    for boundary in archive.boundaries():
        found = _texts_of(_numbered(_lazily(archive, boundary)))
        for hit in _hits(boundary, found, pattern, warn):
            yield Hit(hit.handle, hit.line, hit.excerpt, message=True)


def _lazily(archive: Archive, boundary: str) -> Iterator[bytes]:
    """The messages, looked for when they are asked for: so an error is a warning."""
    yield from archive.messages(boundary)


def _numbered(found: Iterable[bytes]) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(found, 1):
        yield number, line.rstrip(b"\r\n").decode("utf-8", "replace")


def _texts_of(records: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The lines of all texts in records, by the number of the record."""
    for number, raw in records:
        try:
            value = loads(raw.encode("utf-8", "replace"))
        except BadJSON:
            yield number, raw
            continue
        for text in _texts(value, _DEPTH):
            for line in text.split("\n"):
                yield number, line


def _texts(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth and isinstance(value, dict):
        for key, item in value.items():
            if key not in _NO_TEXT:
                yield from _texts(item, depth - 1)
    elif depth and isinstance(value, list):
        for item in value:
            yield from _texts(item, depth - 1)


def _hits(
    handle: str,
    found: Iterable[tuple[int, str]],
    pattern: Pattern,
    warn: Callable[[str], None],
) -> Iterator[Hit]:
    try:
        for number, line in found:
            match = pattern.search(line)
            if match:
                yield Hit(handle, number, excerpt(line, *match.span()))
    except MewError as error:
        warn(str(error))


def excerpt(line: str, start: int, end: int) -> str:
    """The part of ``line`` around a match, of ``RECALL_EXCERPT`` bytes at most."""
    match = line[start:end].encode("utf-8", "replace")[: limits.RECALL_EXCERPT]
    room = (limits.RECALL_EXCERPT - len(match)) // 2
    before = line[max(0, start - room) : start].encode("utf-8", "replace")
    after = line[end : end + room].encode("utf-8", "replace")
    raw = before[len(before) - min(room, len(before)) :] + match + after[:room]
    return raw.decode("utf-8", "ignore").strip()
