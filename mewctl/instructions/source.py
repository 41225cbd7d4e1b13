"""A file's bytes as text: encoding, line ends, front matter. Pure.

The text of a file is UTF-8 without a byte order mark, with line feeds for line ends.
Where its bytes are not UTF-8 it is kept, with U+FFFD in their place, and that is told.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mewctl import limits
from mewctl.frozen import cheap

_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_FIRST = re.compile(r"---[ \t]*\n")
_LAST = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.MULTILINE)
_KEY = re.compile(r"\s*(?:#[^\n]*\n\s*)*(?:[^\s:#\-][^:\n]*:(?=\s|\Z)|\Z)")


class Binary(ValueError):
    """Bytes that are no text; the message says what they look like."""


@cheap
@dataclass(frozen=True, slots=True)
class Source:
    """A file's text. ``body``: the offset where its front matter ends.

    ``bad_at``: offsets in bytes of what was not UTF-8, the first one and how many.
    """

    text: str
    body: int
    bad_at: int = -1
    bad: int = 0


def decode(data: bytes) -> Source:
    """The text of a file. Raises ``Binary``."""
    if b"\0" in data[: limits.BINARY_SNIFF]:
        utf16 = data.startswith(_UTF16)
        raise Binary("UTF-16, not UTF-8" if utf16 else "bytes that are no text")
    bad_at, bad = -1, 0
    skipped = len(_BOM) if data.startswith(_BOM) else 0
    data = data[skipped:]
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        bad_at = skipped + error.start
        text = data.decode(errors="replace")
        bad = text.count("\ufffd") - data.count("\ufffd".encode())
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return Source(text, front_matter(text), bad_at, bad)


def front_matter(text: str) -> int:
    """Where the front matter of a text ends: 0 where it has none.

    It is a block of YAML keys between ``---`` lines, at the very beginning. Two rules
    with prose between them are none.
    """
    first = _FIRST.match(text) if text.startswith("---") else None
    last = _LAST.search(text, first.end()) if first else None
    if first is None or last is None:
        return 0
    return last.end() if _KEY.match(text[first.end() : last.start()]) else 0
