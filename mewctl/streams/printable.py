"""The one sanitiser for untrusted text that reaches a terminal. Pure."""

from __future__ import annotations

import re

# C0 but tab, DEL, C1, soft hyphen, zero-width and bidi marks, line and paragraph
# separators, word joiners, BOM, interlinear marks, tag characters, surrogates.
_HIDDEN = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code in _NAMED:
        return _NAMED[code]
    if code < 0x100:  # noqa: PLR2004 - two hex digits
        return f"\\x{code:02x}"
    return f"\\u{{{code:x}}}"


_NAMED = {0x0A: "\\n", 0x0D: "\\r"}


def printable(text: str) -> str:
    """``text`` on one line, with all that could steer a terminal shown as escapes."""
    return _HIDDEN.sub(_escape, text)


def counted(number: int, noun: str, plural: str = "") -> str:
    """``1 body``, ``2 bodies``: a number with its noun, for people."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def cell(text: str, width: int) -> str:
    """``printable`` text cut to ``width`` characters, for one cell of a table."""
    shown = printable(text)
    return shown if len(shown) <= width else shown[: max(0, width - 1)] + "…"
