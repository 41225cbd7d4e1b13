"""Recovery reads: results that bring spilled text back into the history. Pure.

They are never spilled again, for then a model could never see what it asked for; what
is too long is cut to a window that says where to go on. Paths in calls are compared
and never opened.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.store.root import STORE
from mewctl.streams.jsonvalue import utf8, utf8_size

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from mewctl.history.view import Call

_WORD_MAX = 10_000  # characters; a longer text in a call is no path and no command
_DEPTH = 4  # levels of a call's input that are looked at
_TEXTS = 50  # texts of a call's input that are looked at
_PATH_MAX = 4096  # characters of a path that is worth showing
_SHELL_MARKS = dict.fromkeys(map(ord, "'\"\\"))
_NUMBERED = re.compile(rb"\s*(\d{1,9})(?:\t|:|\||\xe2\x86\x92)")


@dataclass(frozen=True, slots=True)
class Recovery:
    """A read of spilled text: the file, and the line (from 1) at which it began.

    ``start`` None: not known.
    """

    path: str
    start: int | None = 1


def recovery(call: Call, directory: str) -> Recovery | None:
    """What ``call`` reads back, from ``directory`` or another spill directory."""
    signs = (_bare(os.path.basename(directory)), STORE, "recall")
    for text in islice(_texts(call.input, _DEPTH), _TEXTS):
        bare = _bare(text)
        if not any(sign in bare for sign in signs):
            continue
        words = [text] if text.startswith(f"{directory}/") else _words(text)
        path = next((w for w in words if _inside(w, directory)), "")
        if not path and "recall" in words:
            path = _recalled(words, directory)
        if path:
            fit = path.isprintable() and len(path) <= _PATH_MAX
            start = _first_line(call.input, text, words)
            return Recovery(path if fit else directory, start)
    return None


def _first_line(
    given: Mapping[str, Any] | str, text: str, words: Sequence[str]
) -> int | None:
    from mewctl.spill.first_line import first_line  # its patterns take time to make

    return first_line(given, text, words)


def window(text: str, read: Recovery) -> str | None:
    """``text`` cut to its first part and a word on how to go on; None if it fits."""
    size = utf8_size(text)
    if size <= limits.RECOVERY_WINDOW:
        return None
    data = utf8(text)
    most = limits.RECOVERY_WINDOW - len(utf8(read.path)) - 120  # room for the notice
    end = data.rfind(b"\n", 0, most) + 1
    halved = end == 0
    if halved:
        end = most
        while data[end] & 0xC0 == 0x80:  # noqa: PLR2004 - UTF-8: inside a character
            end -= 1
    shown = data[:end]
    line = _next_line(shown, read.start)
    on = f"continue at line {line} of" if line else "for the rest, read less of"
    notice = f"[cut: {size - end} bytes] {on} {read.path}"
    if halved and line:
        notice += f" (a long line, cut after {end} bytes)"
    gap = "\n" if halved else ""
    return shown.decode("utf-8", "surrogatepass") + gap + notice


def _next_line(shown: bytes, start: int | None) -> int | None:
    """The number of the line after ``shown``; None where it is not known.

    Numbers printed before the last two lines are believed if one follows the other.
    """
    *_, before, last = b"", *shown.splitlines(keepends=True)[-2:]
    number, earlier = _NUMBERED.match(last), _NUMBERED.match(before)
    if number and shown.endswith(b"\n"):
        follows = earlier is not None and int(earlier[1]) + 1 == int(number[1])
        if follows or not before:
            return int(number[1]) + 1
    return None if start is None else start + shown.count(b"\n")


def _texts(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        if len(value) <= _WORD_MAX:
            yield value
    elif depth and isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item, depth - 1)
    elif depth and isinstance(value, list):
        for item in value:
            yield from _texts(item, depth - 1)


def _bare(text: str) -> str:
    """``text`` without what a shell takes away: all words of it are still in there.

    Looking for a word in it costs far less than splitting it.
    """
    return text.translate(_SHELL_MARKS)


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:  # an open quote
        return text.split()


def _inside(word: str, directory: str) -> bool:
    """Whether ``word`` is a path below a spill directory, compared by component."""
    if "/" not in word or "\0" in word:
        return False
    parts = os.path.normpath(word).split("/")
    own = directory.split("/")
    if parts[: len(own)] == own and len(parts) > len(own):
        return True
    for at, part in enumerate(parts):
        if part == STORE:
            below = parts[at + 1 :]
            if below[:1] == ["spill"] and len(below) > 1:
                return True
            if below[:1] == ["sessions"] and below[2:3] == ["tool-results"]:
                return len(below) > 3  # noqa: PLR2004 - sessions/ID/tool-results/NAME
    return False


def _recalled(words: list[str], directory: str) -> str:
    """The file that a ``mewctl recall`` among ``words`` names; "" if there is none."""
    at = words.index("recall")
    if not any(os.path.basename(word) == "mewctl" for word in words[:at]):
        return ""
    name, skip = "", False
    for word in words[at + 1 :]:
        if skip:
            directory, skip = word, False
        elif word in ("-d", "--dir"):
            skip = True
        elif not name and not word.startswith("-") and "/" not in word:
            name = word
    return os.path.join(directory, name)
