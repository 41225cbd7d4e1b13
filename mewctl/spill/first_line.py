"""At which line of a file a read began, as far as its call tells. Pure.

Knows the usual ways to read a part of a file by a tool or in a shell. What is not
surely known is None: a wrong number would send the reader to the wrong place.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

_STARTS = ("offset", "start_line", "line_start", "start")
_RANGES = ("view_range", "line_range", "lines")
_BETWEEN = (";", "&&", "||", "&")
_SILENT = ("cd", "export", "set", "source", ".", "true", ":")
_SHELLS = ("bash", "sh", "zsh", "dash")
_FROM_THE_TOP = ("cat", "head", "nl", "bat", "less", "more")
_TAIL_FROM = re.compile(r"(?:-n|--lines=)?\+(\d{1,9})")
_SED_PRINTS = re.compile(r"(\d{1,9})(?:,(?:\d+|\+\d+|\$))?p(?:;\d+q)?")
_SED_DROPS = re.compile(r"1,(\d{1,9})d")
_LINES = re.compile(r"(\d{0,9})(?::\d*)?")
_NESTED = 3  # shells in shells that are looked into


def first_line(
    given: Mapping[str, Any] | str, text: str, words: Sequence[str]
) -> int | None:
    """The line, counted from 1, at which a call began to read; None: not known.

    ``given`` is the call's input, ``text`` the text in it that names what is read, and
    ``words`` the words of that: one word is a path, more are a command.
    """
    if isinstance(given, Mapping):
        for key in _STARTS:
            value = given.get(key)
            if isinstance(value, int) and not isinstance(value, bool) and value:
                return value if value > 0 else None
        for key in _RANGES:
            value = given.get(key)
            if isinstance(value, list) and value and isinstance(value[0], int):
                return max(value[0], 1)
        for command in _lists(given):
            if text in command:
                return _of_pipeline([command], _NESTED)
    return _of_text(text, _NESTED) if len(words) > 1 else 1


def _lists(given: Mapping[str, Any]) -> Iterator[list[str]]:
    """Lists of words in a call's input: a command without a shell."""
    for value in given.values():
        if isinstance(value, list) and len(value) > 1:
            yield [word for word in value if isinstance(word, str)]


def _of_text(text: str, depth: int) -> int | None:
    """The same for a command line; only one command of it may print anything."""
    try:
        words = list(_lexer(text.strip()))
    except ValueError:  # an open quote
        return None
    if "\n" in text.strip() or any(word[0] in "<>()" for word in words if word):
        return None
    commands = [c for c in _split(words, _BETWEEN) if c and c[0] not in _SILENT]
    if len(commands) != 1:
        return None
    return _of_pipeline(list(_split(commands[0], ("|",))), depth)


def _lexer(text: str) -> shlex.shlex:
    lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    return lexer


def _split(words: Sequence[str], at: Sequence[str]) -> Iterator[list[str]]:
    part: list[str] = []
    for word in words:
        if word in at:
            yield part
            part = []
        else:
            part.append(word)
    yield part


def _of_pipeline(commands: list[list[str]], depth: int) -> int | None:
    """What the first command reads, if the others only cut its end off."""
    first, *others = commands
    if not all(other and _program(other[0]) == "head" for other in others):
        return None
    for at, word in enumerate(first):
        program, rest = _program(word), first[at + 1 :]
        if program in _SHELLS and depth and len(rest) > 1:
            return _of_text(rest[-1], depth - 1)
        if program in _FROM_THE_TOP:
            return 1
        if known := _READERS.get(program):
            return known(rest)
    return None


def _program(word: str) -> str:
    return os.path.basename(word)


def _tail(words: list[str]) -> int | None:
    """``tail -n +N``; how many lines there are is not known here."""
    found = [match for word in words if (match := _TAIL_FROM.fullmatch(word))]
    return max(int(found[0][1]), 1) if found else None


def _sed(words: list[str]) -> int | None:
    """``sed -n A,Bp``, or ``sed 1,Ad``."""
    scripts = [word for word in words if not word.startswith("-")][:1]
    for script in scripts:
        pattern = _SED_PRINTS if "-n" in words else _SED_DROPS
        if match := pattern.fullmatch(script.replace(" ", "")):
            return int(match[1]) + (pattern is _SED_DROPS)
    return None


def _recall(words: list[str]) -> int | None:
    """``mewctl recall ID --lines A:B``."""
    others = ("--grep", "--list", "--boundary")
    if "recall" not in words or any(word.startswith(others) for word in words):
        return None
    for at, word in enumerate(words):
        if word.startswith("--lines"):
            value = "".join(words[at : at + 2]).removeprefix("--lines")
            if "=" in word:
                value = word.partition("=")[2]
            match = _LINES.fullmatch(value)
            return max(int(match[1] or 1), 1) if match else None
    return 1


_READERS = {"tail": _tail, "sed": _sed, "mewctl": _recall}
