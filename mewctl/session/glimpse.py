"""What the head and the tail of a log tell of a session: title, model, newest time.

Reads no whole file: a head up to the first words of the user, and the last records.
Uses ``json``, which loads quicker than orjson and is enough for a few records.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mewctl import limits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mewctl.session.backward import ReadAt

EMPTY = "(empty session)"
UNTITLED = "(no title)"
_DOTS = "..."


@dataclass(frozen=True, slots=True)
class Ending:
    """The newest time (Unix seconds) and model that the end of a log names."""

    time: float | None = None
    model: str = ""


def title(read: ReadAt, size: int) -> str:
    """The first words of the user, shortened; ``EMPTY`` for a log without records.

    Injected text is not the user's. ``UNTITLED`` where ``limits.HEAD_BYTES`` hold none.
    """
    if not size:
        return EMPTY
    for line in _first_lines(read, size):
        if b'"user"' in line and (words := _words(line)):
            return shortened(words)
    return UNTITLED


def shortened(words: str) -> str:
    """Words on one line, at most ``limits.TITLE_CHARS`` and three dots."""
    line = " ".join(words.split())
    if len(line) <= limits.TITLE_CHARS:
        return line
    return line[: limits.TITLE_CHARS].rstrip() + _DOTS


def _first_lines(read: ReadAt, size: int) -> Iterator[bytes]:
    """The whole lines of a log's head, and the last one of a log that is all head."""
    most = min(size, limits.HEAD_BYTES)
    at = 0
    rest: list[bytes] = []
    while at < most and (block := read(at, min(limits.HEAD_STEP, most - at))):
        at += len(block)
        *lines, last = block.split(b"\n")
        for line in lines:
            rest.append(line)
            yield b"".join(rest)
            rest.clear()
        rest.append(last)
    if at == size:
        yield b"".join(rest)


def _words(line: bytes) -> str:
    value = _value(line)
    if value is None:
        return ""
    from mewctl.history.formats import mew
    from mewctl.history.words import user_words

    try:
        return user_words(mew.view(value))
    except ValueError:
        return ""


def _value(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def ending(read: ReadAt, size: int) -> Ending:
    """What the last records say; None where ``limits.TAIL_BYTES_MAX`` say nothing."""
    length = min(size, limits.TAIL_BYTES)
    while length:
        found = _ending(read(size - length, length), whole=length == size)
        if found.time is not None or length in (size, limits.TAIL_BYTES_MAX):
            return found
        length = min(size, limits.TAIL_BYTES_MAX)
    return Ending()


def _ending(data: bytes, *, whole: bool) -> Ending:
    time: float | None = None
    for line in reversed(data.split(b"\n")[0 if whole else 1 :]):
        value = _value(line) if line else None
        if value is None:
            continue
        ts = value.get("ts")
        if time is None and isinstance(ts, (int, float)) and not isinstance(ts, bool):
            time = float(ts)
        model = value.get("model")
        if isinstance(model, str) and model:
            return Ending(time, model)
        if value.get("type") == "compact" and "role" not in value:
            break
    return Ending(time)


def last_format(read: ReadAt, size: int) -> str:
    """The format of the last whole message, if it is in an envelope; else ""."""
    length = min(size, limits.TAIL_BYTES)
    lines = read(size - length, length).split(b"\n")
    for line in reversed(lines[0 if length == size else 1 :]):
        value = _value(line) if line else None
        if value is not None:
            form = value.get("format")
            return form if isinstance(form, str) and "record" in value else ""
    return ""
