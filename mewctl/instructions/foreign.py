"""``@path`` imports of other tools: found in prose, told, not expanded. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from mewctl.instructions.inline import spans
from mewctl.instructions.markdown import scan

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from mewctl.instructions.findings import Kind
    from mewctl.instructions.source import Source

#: Kind, line (from 1), message.
Warned: TypeAlias = "tuple[Kind, int, str]"

_IMPORT = re.compile(
    r"@(?:(?:~|\.{1,2})?/[^\s`\"'<>()]+|[\w.-][\w./-]*\.(?:md|mdc|mdx|txt)\b)"
)


def imports(source: Source) -> Iterator[Warned]:
    """``@path`` imports of other tools, which are not expanded here."""
    if "@" in source.text and _IMPORT.search(source.text):
        yield from found_in(prose(source))


def found_in(lines: Sequence[tuple[int, str]]) -> Iterator[Warned]:
    """The same in lines of prose, each with its number."""
    for number, line in lines:
        for match in _IMPORT.finditer(line):
            before = line[: match.start()]
            if not before or before[-1] in " \t(":
                path = match[0].rstrip(".,;:!?")
                why = f"{path} is not expanded; write @include {path[1:]}"
                yield "import", number, why


def prose(source: Source) -> list[tuple[int, str]]:
    """The lines that are no code, with code spans blanked, numbered from 1."""
    lines = source.text.split("\n")
    first = source.text.count("\n", 0, source.body)
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
