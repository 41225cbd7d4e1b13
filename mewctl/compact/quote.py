"""Quoting untrusted text in a summary, so that it reads back and cannot pose as ours.

Owns the escapes, fences and indentation, and the neutraliser for prose. Knows nothing
of sections. Excerpts read back exactly; prose does not (it is written once).
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

#: Stands for a line break where a text is kept on one line.
BREAK = "⏎"
INDENT = "    "

# C0 but tab and line feed, DEL, C1, soft hyphen, zero-width space, bidi marks, line
# and paragraph separators, word joiners, BOM, interlinear marks, surrogates, tag
# characters. U+200C and U+200D stay: scripts and emoji are spelled with them.
_HIDDEN = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)
# The first character of a tag that a prompt, an agent or this project gives a meaning.
_TAGS = (
    r"<(?=\s{0,8}/?\s{0,8}(?:summary|analysis|conversation|system-reminder|system)\b)"
    r"|\[(?=mewctl\s+boundary)"
)
_RISKY = re.compile(rf"{_HIDDEN}|{_TAGS}", re.IGNORECASE)
_RISKY_OR_ESCAPE = re.compile(rf"{_HIDDEN}|{_TAGS}|\\(?=u\{{)", re.IGNORECASE)
_ESCAPED = re.compile(r"\\u\{([0-9a-f]{1,6})\}")
_SEPARATOR = re.compile("[`—·]")
_TICKS = re.compile("`+")
_HEADING = re.compile(r"^( {0,3}#{1,6}(?:[ \t].*)?)$", re.MULTILINE)
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_CODE = 0x10FFFF


def _show(match: re.Match[str]) -> str:
    return f"\\u{{{ord(match.group()):x}}}"


def escape(text: str) -> str:
    r"""``text`` with hidden characters and our tags as ``\u{hex}``; lines stay."""
    return _RISKY_OR_ESCAPE.sub(_show, text)


def unescape(text: str) -> str:
    """What ``escape`` was given."""

    def character(match: re.Match[str]) -> str:
        code = int(match.group(1), 16)
        return chr(code) if code <= _LAST_CODE else match.group()

    return _ESCAPED.sub(character, text)


def inline(text: str) -> str:
    """``text`` on one line."""
    shown = escape(text)
    return shown.replace(BREAK, f"\\u{{{ord(BREAK):x}}}").replace("\n", BREAK)


def read_inline(text: str) -> str:
    """What ``inline`` or ``name`` was given."""
    return unescape(text.replace(BREAK, "\n"))


def name(text: str) -> str:
    """``text`` as a code span: on one line, without our separators inside."""
    return f"`{_SEPARATOR.sub(_show, inline(text))}`"


def clip(text: str, size: int) -> str:
    """The first ``size`` characters and how many more there are: ``abc […+120]``.

    A text that would not become shorter stays whole.
    """
    more = len(text) - size
    note = f" […+{more}]"
    return text if more <= len(note) else text[:size] + note


def block(text: str) -> str:
    """The lines of ``text``, each indented: no line of it can be taken for ours."""
    return "\n".join(INDENT + line for line in escape(text).split("\n"))


def read_block(lines: list[str]) -> str:
    """What ``block`` was given, from its lines without their indentation."""
    return unescape("\n".join(lines))


def fence(text: str) -> str:
    """``text`` verbatim in a fence longer than any run of backticks in it."""
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}\n{text}\n{ticks}"


def ends(text: str, head: int, tail: int) -> tuple[str, int, str]:
    """About ``head`` and ``tail`` characters of ``text``, cut at line ends if near.

    Returns the beginning, the number of characters left out between, and the end. A
    text no longer than both comes back whole as the beginning.
    """
    if len(text) <= head + tail:
        return text, 0, ""
    stop, start = head, len(text) - tail
    line_end = text.rfind("\n", head // 2, head + 1)
    stop = line_end if line_end >= 0 else stop
    line_start = text.find("\n", start - 1, start + tail // 2)
    start = line_start + 1 if line_start >= 0 else start
    return text[:stop], start - stop, text[start:]


def neutralise(prose: str) -> str:
    """Prose made harmless: to be called on all prose that enters a summary.

    Hidden characters and tags are shown as escapes, heading-like lines indented, an
    open fence is closed, blank lines at both ends go. Twice is the same as once.
    """
    shown = _RISKY.sub(_show, prose.replace("\r\n", "\n"))
    quoted = _HEADING.sub(rf"{INDENT}\1", shown)
    lines = quoted.split("\n")
    while lines and not lines[0].strip():
        del lines[0]
    while lines and not lines[-1].strip():
        del lines[-1]
    last_open = open_fence(lines)
    return "\n".join([*lines, last_open] if last_open else lines)


def open_fence(lines: list[str]) -> str:
    """The fence that is still open after ``lines``, or nothing."""
    opened = ""
    for line in lines:
        found = _FENCE.match(line)
        if found is None:
            continue
        ticks, rest = found.groups()
        if not opened:
            opened = "" if "`" in ticks and "`" in rest else ticks
        elif ticks.startswith(opened) and not rest.strip():
            opened = ""
    return opened


def moment(time: float) -> str:
    """A Unix time as RFC 3339 in UTC; one that has no such spelling as ``@SECONDS``."""
    try:
        exact = _EPOCH + timedelta(seconds=time)
    except (OverflowError, ValueError):
        return f"@{time!r}"
    for precision in ("seconds", "milliseconds", "microseconds"):
        text = exact.isoformat(timespec=precision).replace("+00:00", "Z")
        if read_moment(text) == time:
            return text
    return f"@{time!r}"


def read_moment(text: str) -> float | None:
    """The Unix time that ``moment`` wrote; None where it is no time."""
    try:
        if text.startswith("@"):
            return float(text[1:])
        since = datetime.fromisoformat(text) - _EPOCH
    except (TypeError, ValueError):
        return None
    return since.total_seconds()
