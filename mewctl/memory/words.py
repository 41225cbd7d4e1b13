"""Text on its way into a note: one line for a title, a safe name, nothing hidden. Pure.

Owns what a slug may be, and which characters never enter a note: controls, and marks
that change how text reads without being seen. Must not judge what a text says.
"""

from __future__ import annotations

import re
import unicodedata
from hashlib import sha256

from mewctl import limits
from mewctl.store.names import safe_name

# Controls but tab and line break, C1, bidi controls, tag characters, surrogates. The
# joiners of emoji and of Indic scripts stay.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_BREAKS = re.compile("\r\n?|[\u2028\u2029\x85\x0b\x0c]")
_NOT_SLUG = re.compile(r"[^a-z0-9]+")
_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")
_SLUG_HASH = 8  # hex digits where a title has too few letters of its own


def clean(text: str) -> str:
    r"""``text`` with ``\n`` for every kind of line break and nothing hidden in it."""
    return _HIDDEN.sub("", _BREAKS.sub("\n", text))


def hidden(text: str) -> bool:
    """Whether characters stand in ``text`` that a reader does not see."""
    return _HIDDEN.search(text.replace("\r\n", "\n")) is not None


def one_line(text: str) -> str:
    """``text`` cleaned, on one line."""
    return " ".join(clean(text).split())


def slug(title: str) -> str:
    """A name for a title: small ASCII letters, digits and single dashes.

    Where that would leave little of the title (another script, emoji), a hash of it is
    put behind, so that two titles seldom share a name.
    """
    plain = unicodedata.normalize("NFKD", title.casefold())
    letters = [char for char in plain if char.isalnum()]
    kept = sum(char.isascii() for char in letters)
    name = _NOT_SLUG.sub("-", plain.encode("ascii", "ignore").decode()).strip("-")
    name = name[: limits.SLUG_CHARS].strip("-")
    whole = 2 * kept >= len(letters) and kept
    if whole and safe_name(name) == name and name != "index":
        return name
    mark = sha256(title.encode("utf-8", "surrogatepass")).hexdigest()[:_SLUG_HASH]
    room = limits.SLUG_CHARS - _SLUG_HASH - 1
    return f"{name[:room].strip('-')}-{mark}".strip("-")


def is_slug(text: str) -> bool:
    """Whether ``text`` may be part of a file's name as it is."""
    fits = len(text) <= limits.SLUG_CHARS and _SLUG.fullmatch(text) is not None
    return fits and safe_name(text) == text
