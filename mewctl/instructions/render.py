"""The layers of instructions as one text, high priority first. Pure but for readers.

Layers are concatenated, never merged: what stands in two of them stands there twice.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mewctl.instructions.budget import fit
from mewctl.instructions.findings import Finding, comment, harmless
from mewctl.instructions.include import Expander, Failed, Node, Rules, Spent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mewctl.instructions.places import Layer, Names, Place
    from mewctl.streams.beneath import Beneath


@dataclass(frozen=True, slots=True)
class Wish:
    """What to render. ``max_bytes``: of the whole text; None for no limit."""

    rules: Rules = field(default_factory=Rules)
    annotate: bool = False
    max_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A layer that is there: its tree of files, and its text with includes put in."""

    layer: Layer
    node: Node
    text: str


@dataclass(frozen=True, slots=True)
class Rendering:
    """Instructions. ``text`` is empty, or ends in a line end."""

    text: str
    parts: tuple[Part, ...]
    findings: tuple[Finding, ...]


def render(
    places: Sequence[Place],
    readers: Mapping[bytes, Beneath],
    names: Names,
    wish: Wish,
) -> Rendering:
    """The instructions at ``places``; ``readers`` by the boundary they hold.

    Raises ``CannotFit``.
    """
    spent = Spent()
    parts: list[Part] = []
    findings: list[Finding] = []
    for place in places:
        home = place.boundary if place.layer == "user" else None
        reader, rules = readers[place.boundary], wish.rules
        expander = Expander(reader, place.layer, names, rules, spent, home)
        part = _load(place, expander, names, rules, findings)
        if part is not None and not _is_twin(part, parts, findings):
            parts.append(part)
            findings += expander.findings
    text = _joined(parts, findings, annotate=wish.annotate)
    if text and wish.max_bytes is not None:
        text = _fitted(text, wish.max_bytes, parts, findings)
    return Rendering(text + "\n" if text else "", tuple(parts), tuple(findings))


def _load(
    place: Place,
    expander: Expander,
    names: Names,
    rules: Rules,
    findings: list[Finding],
) -> Part | None:
    """A layer's part; a comment for its text where its file cannot be used."""
    try:
        node, text = expander.root(place.boundary, place.path)
    except Failed as failed:
        if failed.kind == "missing":
            return None
        file = names.shown(place.boundary + b"/" + place.path)
        findings.append(Finding(failed.kind, file, 0, failed.why, layer=place.layer))
        node = Node(file, 0, 1, failed.kind)
        return Part(place.layer, node, comment(failed.kind, file, rules.lang))
    return Part(place.layer, node, text)


def _is_twin(part: Part, parts: Sequence[Part], findings: list[Finding]) -> bool:
    """Whether a layer's file is that of a layer before it, which is told."""
    node = part.node
    for other in parts:
        if node.identity is not None and node.identity == other.node.identity:
            why = f"the same file as that of the {other.layer} layer; loaded once"
            findings.append(Finding("repeat", node.file, 0, why, layer=part.layer))
            return True
    return False


def _joined(parts: Sequence[Part], findings: list[Finding], *, annotate: bool) -> str:
    """The layers' texts, a blank line between two.

    Front matter means something at the beginning of a text alone: that of a later layer
    is left out.
    """
    texts: list[str] = []
    for part in parts:
        source = part.node.source
        body = source.body if source else 0
        head, text = part.text[:body], part.text[body:].strip("\n")
        if head and texts:
            why = "only that of the first layer is kept"
            file, layer = part.node.file, part.layer
            findings.append(Finding("front matter", file, 1, why, layer=layer))
            head = ""
        if annotate and (head or text.strip()):
            text = f"{_annotation(part)}\n\n{text}"
        if head:
            text = f"{head}\n{text}" if annotate else part.text.strip("\n")
        if text.strip():
            texts.append(text.rstrip("\n"))
    return "\n\n".join(texts)


def _annotation(part: Part) -> str:
    return f"<!-- {part.layer} layer: {harmless(part.node.file)} -->"


def _fitted(
    text: str, most: int, parts: Sequence[Part], findings: list[Finding]
) -> str:
    fitted = fit(text, most)
    if fitted.blocks:
        file, layer = parts[-1].node.file, parts[-1].layer
        why = (
            f"{fitted.blocks} blocks ({fitted.size} bytes) left out to fit {most} bytes"
        )
        findings.append(Finding("budget", file, 0, why, layer=layer))
    return fitted.text
