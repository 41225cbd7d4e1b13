"""The tree of includes as rows: what each file and layer weighs. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mewctl.streams.jsonvalue import utf8_size
from mewctl.streams.printable import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mewctl.instructions.include import Node
    from mewctl.instructions.render import Part

_STEP = "  "  # indent of a level in the table


def rows(
    parts: Sequence[Part], tokens: Callable[[str], int]
) -> Iterator[dict[str, Any]]:
    """A row for each layer, followed by those of its files, as they are included.

    ``bytes`` and ``tokens`` of a layer are those of its text with includes put in; of a
    file, its own. ``outcome`` is ``included`` or the kind of what went wrong.
    """
    for part in parts:
        yield {
            "type": "layer",
            "layer": part.layer,
            "file": part.node.file,
            "files": sum(1 for node in _walk(part.node) if node.source is not None),
            "bytes": utf8_size(part.text),
            "tokens": tokens(part.text),
        }
        for node in _walk(part.node):
            source = node.source
            yield {
                "type": "file",
                "layer": part.layer,
                "file": node.file,
                "depth": node.depth,
                "line": node.line,
                "outcome": node.outcome,
                "bytes": node.size,
                "tokens": tokens(source.text) if source else 0,
            }


def _walk(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _walk(child)


def table(found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The rows for people, a line each."""
    yield f"{'bytes':>9} {'tokens':>8}  file"
    for row in found:
        size = f"{row['bytes']:>9,} {row['tokens']:>8,}"
        name = printable(row["file"])
        if row["type"] == "layer":
            yield f"{size}  {row['layer']} layer, {row['files']} files"
        else:
            indent = _STEP * row["depth"]
            told = "" if row["outcome"] == "included" else f" ({row['outcome']})"
            yield f"{size}  {indent}{name}{told}"
