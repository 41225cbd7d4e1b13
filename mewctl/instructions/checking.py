"""All that a check tells of a rendering: its findings, and warnings about each file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mewctl.instructions.findings import Finding
from mewctl.instructions.lint import warnings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mewctl.instructions.include import Node
    from mewctl.instructions.places import Layer
    from mewctl.instructions.render import Part
    from mewctl.instructions.source import Source


def sources(parts: Sequence[Part]) -> Iterator[tuple[Layer, Node, Source]]:
    """Every file that was read, once, in the order of the text."""
    seen: set[object] = set()
    for part in parts:
        waiting = [part.node]
        while waiting:
            node = waiting.pop()
            waiting += reversed(node.children)
            if node.source is not None and node.identity not in seen:
                seen.add(node.identity)
                yield part.layer, node, node.source


def warned(
    parts: Sequence[Part], exists: Callable[[Node, str], bool]
) -> Iterator[Finding]:
    """Warnings about the files; ``exists``: whether a link in one leads anywhere.

    In the user layer an absolute path of the user is no fault.
    """
    for layer, node, source in sources(parts):

        def known(path: str, node: Node = node) -> bool:
            return exists(node, path)

        if node.open_to_all:
            why = "any user may write it; take that away with chmod o-w"
            yield Finding("open to all", node.file, 0, why, layer=layer)
        for kind, line, why in warnings(source, known):
            if kind != "home path" or layer != "user":
                yield Finding(kind, node.file, line, why, layer=layer)
