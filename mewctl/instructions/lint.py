"""What a check warns of beside includes: links, paths, secrets, other tools' imports.

Pure: looks at one file's text, and asks ``exists`` whether a link leads somewhere.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import unquote

from mewctl.instructions.inline import spans
from mewctl.instructions.markdown import scan
from mewctl.streams import secrets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from mewctl.instructions.findings import Kind
    from mewctl.instructions.source import Source

#: Kind, line (from 1), message.
Warned: TypeAlias = "tuple[Kind, int, str]"

_LINK = re.compile(r"\]\(\s*(?:<([^<>\n]*)>|([^\s()<>]+(?:\([^\s()]*\))?))")
_DEFINITION = re.compile(r" {0,3}\[[^\]\[]+\]:\s*(?:<([^<>\n]*)>|(\S+))")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|#|/")
_HOME = re.compile(
    r"(?<![\w.~/-])(?:/home/[\w.-]+|/Users/[\w.-]+|/root(?=/)|[A-Za-z]:\\Users\\[\w.-]+)"
)
_IMPORT = re.compile(
    r"@(?:(?:~|\.{1,2})?/[^\s`\"'<>()]+|[\w.-][\w./-]*\.(?:md|mdc|mdx|txt)\b)"
)
_NOT_FIRST = re.compile(
    r"[ \t]*(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])[ \t>]*(@include[ \t].*)"
)


def warnings(source: Source, exists: Callable[[str], bool]) -> Iterator[Warned]:
    """All that is worth a warning in a file, by line."""
    text = source.text
    found = [*_home_paths(text), *_secrets(text)]
    lines = text.split("\n")
    prose = _prose(lines, text.count("\n", 0, source.body))
    found += _dead_links(prose, exists)
    found += _imports(prose)
    found += _not_first(prose)
    yield from sorted(found, key=lambda warned: warned[1])


def imports(source: Source) -> Iterator[Warned]:
    """``@path`` imports of other tools, which are not expanded here."""
    if _IMPORT.search(source.text):
        lines = source.text.split("\n")
        yield from _imports(_prose(lines, source.text.count("\n", 0, source.body)))


def _prose(lines: Sequence[str], first: int) -> list[tuple[int, str]]:
    """The lines that are no code, with code spans blanked, numbered from 1."""
    code: AbstractSet[int] = scan(lines, first=first).code
    return [
        (number + 1, _without_spans(lines[number]))
        for number in range(first, len(lines))
        if number not in code
    ]


def _without_spans(line: str) -> str:
    """A line with blanks in place of its code spans and comments."""
    if "`" not in line and "<!--" not in line:
        return line
    pieces: list[str] = []
    done = 0
    for start, end in spans(line):
        pieces += line[done:start], " " * (end - start)
        done = end
    return "".join((*pieces, line[done:]))


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


def _imports(prose: Sequence[tuple[int, str]]) -> Iterator[Warned]:
    for number, line in prose:
        for match in _IMPORT.finditer(line):
            before = line[: match.start()]
            if not before or before[-1] in " \t(":
                path = match[0].rstrip(".,;:!?")
                why = f"{path} is not expanded; write @include {path[1:]}"
                yield "import", number, why


def _not_first(prose: Sequence[tuple[int, str]]) -> Iterator[Warned]:
    for number, line in prose:
        match = _NOT_FIRST.match(line)
        if match:
            why = "@include is a directive only as the first word of a line"
            yield "not a directive", number, why
