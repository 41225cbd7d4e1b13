"""What a check warns of beside includes: links, paths, secrets, other tools' imports.

Pure: looks at one file's text, and asks ``exists`` whether a link leads somewhere.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from mewctl.instructions.foreign import found_in, prose
from mewctl.streams import secrets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mewctl.instructions.foreign import Warned
    from mewctl.instructions.source import Source

_LINK = re.compile(r"\]\(\s*(?:<([^<>\n]*)>|([^\s()<>]+(?:\([^\s()]*\))?))")
_DEFINITION = re.compile(r" {0,3}\[[^\]\[]+\]:\s*(?:<([^<>\n]*)>|(\S+))")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|#|/")
_HOME = re.compile(
    r"(?<![\w.~/-])(?:/home/[\w.-]+|/Users/[\w.-]+|/root(?=/)|[A-Za-z]:\\Users\\[\w.-]+)"
)
_NOT_FIRST = re.compile(
    r"[ \t]*(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])[ \t>]*(@include[ \t].*)"
)


def warnings(source: Source, exists: Callable[[str], bool]) -> Iterator[Warned]:
    """All that is worth a warning in a file, by line."""
    text = source.text
    found = [*_home_paths(text), *_secrets(text)]
    lines_of_prose = prose(source)
    found += _dead_links(lines_of_prose, exists)
    found += found_in(lines_of_prose)
    found += _not_first(lines_of_prose)
    found += _link_text(text, exists)
    yield from sorted(found, key=lambda warned: warned[1])


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _home_paths(text: str) -> Iterator[Warned]:
    for match in _HOME.finditer(text):
        why = "an absolute path of one user; name it from ~ or from the project"
        yield "home path", _line(text, match.start()), why


def _secrets(text: str) -> Iterator[Warned]:
    for secret in secrets.find(text):
        why = f"looks like a secret ({secret.kind}); take it out, and revoke it"
        yield "secret", _line(text, secret.start), why


def _dead_links(
    prose: Sequence[tuple[int, str]], exists: Callable[[str], bool]
) -> Iterator[Warned]:
    for number, line in prose:
        definition = _DEFINITION.match(line)
        found = [definition] if definition else _LINK.finditer(line)
        for link in found:
            target = link[1] or link[2] or ""
            path = unquote(target.partition("#")[0].partition("?")[0])
            if path and not _SCHEME.match(target) and not exists(path):
                yield "link", number, f"leads nowhere: {target}"


def _not_first(prose: Sequence[tuple[int, str]]) -> Iterator[Warned]:
    for number, line in prose:
        match = _NOT_FIRST.match(line)
        if match:
            why = "@include is a directive only as the first word of a line"
            yield "not a directive", number, why


def _link_text(text: str, exists: Callable[[str], bool]) -> Iterator[Warned]:
    """A link that a system without links has checked out as a file with its target."""
    path = text.strip()
    if path.endswith(".md") and len(path.split()) == 1 and exists(path):
        yield "link text", 1, f"a link that became text? write @include {path}"
