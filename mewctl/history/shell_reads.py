"""Shell commands that read files: which files, and which of their lines. Pure.

``cat``, ``head``, ``tail``, ``nl`` and ``sed -n``. A command whose whole output is one
file's content says so, for then its result is a read of that file.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from mewctl.history import paths
from mewctl.history.patches import Touch
from mewctl.history.shell import Simple, literal, plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SED_LINES = re.compile(r"([0-9]+),([0-9]+|\$)p")
_SED_LINE = re.compile(r"([0-9]+)p")
READERS = ("cat", "bat", "nl", "head", "tail", "sed", "gsed")
_FILTERS = ("head", "tail", "sed")


def is_option(word: str) -> bool:
    """Whether a word is an option; ``-`` alone is none."""
    return word.startswith("-") and len(word) > 1


def files(words: Sequence[str]) -> list[str]:
    """The words that are certainly paths: clear ones that are no options."""
    found = (plain(word) for word in words if not is_option(word))
    return [path for path in found if path and paths.is_path(path)]


def reads(part: Simple) -> Iterator[Touch]:
    """The files that a simple command reads, if it is one that shows them."""
    program = part.program
    if program in ("cat", "bat", "nl"):
        numbered = program == "nl" or "-n" in part.arguments
        for path in files(part.arguments):
            yield Touch("read", path, numbered=numbered)
    elif program in ("head", "tail"):
        count, names = _ends(part)
        for path in names:
            yield Touch("read", path, part=count)
    elif program in ("sed", "gsed"):
        yield from _sed(part)


def as_content(touch: Touch, parts: Sequence[Simple]) -> Touch:
    """``touch`` with the mark that the output of ``parts`` is the file's content.

    That is so if the read stands alone, or is cut by one filter behind it.
    """
    if any(part.redirects for part in parts):
        return touch
    if len(parts) == 1:
        return replace(touch, content=True)
    cut = parts[1]
    if len(parts) > 2 or cut.before != "|" or cut.program not in _FILTERS:  # noqa: PLR2004 - a read and its filter
        return touch
    window = _window(cut)
    return replace(touch, content=True, part=window) if window else touch


def _window(cut: Simple) -> str:
    """Which lines a filter lets through."""
    if cut.program != "sed":
        return _ends(cut)[0]
    script = [literal(word) for word in cut.arguments]
    return _lines(script[1]) if script[:1] == ["-n"] and len(script) > 1 else ""


def _sed(part: Simple) -> Iterator[Touch]:
    """``sed -n 'A,Bp' FILE``."""
    options = [word for word in part.arguments if is_option(word)]
    rest = [word for word in part.arguments if not is_option(word)]
    shown = _lines(literal(rest[0])) if rest and options == ["-n"] else ""
    if shown:
        for path in files(rest[1:]):
            yield Touch("read", path, part=shown)


def _lines(script: str) -> str:
    found = _SED_LINES.fullmatch(script)
    if found:
        return f"lines {found.group(1)}-{found.group(2)}".removesuffix("$")
    found = _SED_LINE.fullmatch(script)
    return f"lines {found.group(1)}-{found.group(1)}" if found else ""


def _ends(part: Simple) -> tuple[str, list[str]]:
    """What ``head`` or ``tail`` shows, and of which files."""
    count, unit, names = "10", "lines", []
    words = iter(part.arguments)
    for word in words:
        if word in ("-n", "-c"):
            count = next(words, "")
            unit = "lines" if word == "-n" else "bytes"
        elif is_option(word):
            count = word.lstrip("-n")
        else:
            names.append(word)
    which = "first" if part.program == "head" else "last"
    if count.startswith("+"):
        return f"{unit} {count[1:]}-", files(names)
    shown = f"{which} {count} {unit}" if count.isdecimal() else f"the {which} {unit}"
    return shown, files(names)
