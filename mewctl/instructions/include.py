"""``@include``: a file's text with what it includes put in. Pure but for the reader.

Owns the guards. Each include that is not expanded leaves a comment in its place and a
finding; nothing that goes wrong in one file keeps the rest from being rendered.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.instructions.directive import (
    Malformed,
    is_escaped,
    parse,
    split,
)
from mewctl.instructions.findings import Finding, Kind, comment
from mewctl.instructions.part import NoPart, locate
from mewctl.instructions.places import inside
from mewctl.instructions.source import Binary, Source, decode
from mewctl.instructions.survey import survey
from mewctl.streams.beneath import Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mewctl.instructions.directive import Part, Reading
    from mewctl.instructions.places import Names
    from mewctl.instructions.survey import Survey
    from mewctl.streams.beneath import Beneath, Opened

_REFUSED: dict[str, Kind] = {
    "escape": "escape",
    "missing": "missing",
    "not-regular": "not a regular file",
    "unreadable": "unreadable",
}


@dataclass(frozen=True, slots=True)
class Rules:
    """What bounds a rendering; sizes in bytes of the files as they are read."""

    max_file: int = limits.INCLUDE_FILE
    max_total: int = limits.INCLUDE_TOTAL
    repeat: bool = False
    lang: str = "en"
    verbose: bool = False


@dataclass(slots=True)
class Spent:
    """What a rendering has used up, over all its layers."""

    size: int = 0
    directives: int = 0


@dataclass(slots=True)
class Node:
    """A file in the tree of includes. ``file`` is its name for people.

    ``line``: of its directive, 0 for a layer's own file. ``outcome``: ``included``, or
    the kind of what went wrong. ``source``: its text, if it was read; ``size`` of it in
    bytes.
    """

    file: str
    line: int
    depth: int
    outcome: str = "included"
    path: bytes = b""
    directory: bytes = b""
    identity: object = None
    size: int = 0
    open_to_all: bool = False
    source: Source | None = None
    children: list[Node] = field(default_factory=list)


class Failed(Exception):
    """An include that is not expanded: its kind, and why."""

    def __init__(self, kind: Kind, why: str, chain: tuple[str, ...] = ()) -> None:
        self.kind = kind
        self.why = why
        self.chain = chain
        super().__init__(why)


class Expander:
    """Expands the files of one layer, which lie beneath ``reader``'s roots.

    ``home``: where ``~/`` leads, None where it is not allowed.
    """

    def __init__(
        self,
        reader: Beneath,
        layer: str,
        names: Names,
        rules: Rules,
        spent: Spent,
        home: bytes | None = None,
    ) -> None:
        self.findings: list[Finding] = []
        self._reader = reader
        self._layer = layer
        self._names = names
        self._rules = rules
        self._spent = spent
        self._home = home
        self._chain: list[Node] = []
        self._expanded: set[object] = set()

    def root(self, directory: bytes, path: bytes) -> tuple[Node, str]:
        """The layer's own file and its text. Raises ``Failed``."""
        node = Node("", 0, 1)
        try:
            with self._reader.open(directory, path) as opened:
                self._fill(node, opened)
                source = self._read(opened, node)
        except Refusal as refusal:
            raise self._refused(refusal, node, os.fsdecode(path)) from None
        return node, self._text(node, source, None)

    def tell(self, kind: Kind, line: int, message: str, **more: str) -> None:
        """Note a finding about the file that is being expanded."""
        chain = tuple(node.file for node in self._chain)
        found = Finding(kind, chain[-1], line, message, chain, self._layer, **more)
        self.findings.append(found)

    # --- a file ---

    def _fill(self, node: Node, opened: Opened) -> None:
        node.file = self._names.shown(opened.path)
        node.path = opened.path
        node.directory = opened.directory
        node.identity = opened.identity
        node.open_to_all = opened.open_to_all

    def _read(self, opened: Opened, node: Node) -> Source:
        """Read an opened file into its node. Raises ``Failed`` or ``Refusal``."""
        most = self._rules.max_file
        left = self._rules.max_total - self._spent.size
        data = opened.read(min(most, left))
        try:
            source = decode(data)
        except Binary as error:
            raise Failed("binary", str(error)) from None
        if len(data) > most:
            raise Failed("too large", f"larger than {most} bytes; see --max-file")
        if len(data) > left:
            most = self._rules.max_total
            why = f"all files together are larger than {most} bytes; see --max-total"
            raise Failed("too large", why)
        node.source, node.size = source, len(data)
        self._spent.size += node.size
        return source

    def _text(self, node: Node, source: Source, part: Part) -> str:
        """The expanded text of a file that was read; of an included one, its body.

        Raises ``NoPart``.
        """
        start, end = (0 if node.depth == 1 else source.body), len(source.text)
        if part is not None:
            start, end = locate(source.text, source.body, part)
        self._chain.append(node)
        try:
            if source.bad:
                self._tell_encoding(source)
            text, left = self._expanded_text(node, source, start, end)
            if part is not None:
                left = survey(source.text[start:end].rstrip("\n"))
            if left.closing:
                opened = left.opened + (start if part is not None else 0)
                line = source.text.count("\n", 0, opened) + 1
                what = "a comment" if left.closing.endswith("-->") else "code"
                self.tell("left open", line, f"{what}; it is closed at the file's end")
                text = f"{text}\n{left.closing}"
        finally:
            self._chain.pop()
        return text

    def _expanded_text(
        self, node: Node, source: Source, start: int, end: int
    ) -> tuple[str, Survey]:
        """The text from ``start`` to ``end``, and the survey of the whole file."""
        text = source.text.rstrip("\n")
        end = min(end, len(text))
        seen = survey(text, source.body)
        pieces: list[str] = []
        done = counted = start
        line = source.text.count("\n", 0, start) + 1
        for at in seen.includes:
            if not start <= at < end:
                continue
            line += text.count("\n", counted, at)
            counted = at
            stop = text.find("\n", at, end)
            stop = end if stop < 0 else stop
            pieces += text[done:at], self._line(node, text[at:stop], line)
            done = stop
        pieces.append(text[done:end])
        return "".join(pieces).rstrip("\n"), seen

    def _tell_encoding(self, source: Source) -> None:
        count = "1 byte" if source.bad == 1 else f"{source.bad} places"
        where = f"the first at byte {source.bad_at}"
        self.tell("encoding", 0, f"not UTF-8, {count} replaced, {where}")

    # --- a directive ---

    def _line(self, node: Node, text: str, line: int) -> str:
        """What stands in place of a line that begins with ``@include``."""
        if is_escaped(text):
            return text.replace("\\", "", 1)
        indent, written = split(text)
        outcome = Node(written, line, len(self._chain) + 1)
        node.children.append(outcome)
        try:
            readings = parse(written)
        except Malformed as error:
            return indent + self._failed(outcome, written, Failed("syntax", str(error)))
        try:
            included = self._include(outcome, node, readings)
            if indent:
                self._guard_indent(included, indent)
        except Failed as failed:
            resolved = outcome.path or self._leads_to(node, readings[-1][0])
            where = os.fsdecode(resolved) if self._rules.verbose else ""
            return indent + self._failed(outcome, written, failed, where)
        return _indented(included, indent)

    def _failed(
        self, outcome: Node, written: str, failed: Failed, resolved: str = ""
    ) -> str:
        """Tell of an include that is not expanded; the comment in its place."""
        kind, lang = failed.kind, self._rules.lang
        outcome.outcome = kind
        self.tell(kind, outcome.line, failed.why, path=written, resolved=resolved)
        return comment(kind, written, lang, failed.chain)

    def _leads_to(self, node: Node, path: str) -> bytes:
        """Where a path leads as it is spelled, were there no links."""
        raw = path.encode()
        if path.startswith("~/") and self._home is not None:
            raw = self._home + raw[1:]
        return os.path.normpath(os.path.join(node.directory, raw))

    def _include(self, node: Node, parent: Node, readings: Sequence[Reading]) -> str:
        """The text of an included file. Raises ``Failed``."""
        self._spent.directives += 1
        if self._spent.directives > limits.INCLUDE_COUNT:
            raise Failed("too large", f"more than {limits.INCLUDE_COUNT} includes")
        opened, part = self._open(parent, readings)
        with opened:
            self._fill(node, opened)
            self._guard(node, part)
            try:
                source = self._read(opened, node)
            except Refusal as refusal:
                raise Failed(_REFUSED[refusal.kind], refusal.why) from None
        self._expanded.add((node.identity, part))
        try:
            return self._text(node, source, part)
        except NoPart as error:
            raise Failed(error.kind, f"{node.file}: {error}") from None

    def _guard(self, node: Node, part: Part) -> None:
        """Refuse what would go round, too deep, or come again. Raises ``Failed``."""
        chain = [*self._chain, node]
        for at, earlier in enumerate(self._chain):
            if earlier.identity == node.identity:
                names = tuple(n.file for n in chain[at:])
                raise Failed("cycle", " → ".join(names), names)
        if node.depth > limits.INCLUDE_DEPTH:
            raise Failed("depth", f"more than {limits.INCLUDE_DEPTH} files deep")
        if (node.identity, part) in self._expanded and not self._rules.repeat:
            raise Failed("repeat", f"{node.file} is already included; see --repeat")

    def _guard_indent(self, text: str, indent: str) -> None:
        """Refuse what would only be large for its indent. Raises ``Failed``."""
        most = self._rules.max_total
        if len(indent) * text.count("\n") > most:
            raise Failed("too large", f"with its indent it is larger than {most} bytes")

    def _open(self, parent: Node, readings: Sequence[Reading]) -> tuple[Opened, Part]:
        """The file that is meant, and which part of it. Raises ``Failed``."""
        (path, part), *others = readings
        try:
            return self._reader.open(parent.directory, self._spelled(path)), part
        except Refusal as refusal:
            if others and refusal.kind == "missing":
                return self._open(parent, others)
            raise self._refused(refusal, parent, path) from None

    def _spelled(self, path: str) -> bytes:
        """A path as the reader takes it. Raises ``Failed``."""
        if path.startswith("\\\\"):
            raise Failed("escape", "a device or network path")
        if path != "~" and not path.startswith("~/"):
            return path.encode()
        if self._home is None:
            raise Failed("escape", "~/ leads somewhere in the user layer only")
        return self._home + path[1:].encode()

    def _refused(self, refusal: Refusal, parent: Node, path: str) -> Failed:
        kind = _REFUSED[refusal.kind]
        if kind == "escape":
            roots = ", ".join(self._names.shown(root) for root in self._reader.roots)
            return Failed(
                kind, f"leads out of what may be read ({roots}); see --allow-root"
            )
        if "://" in path:
            return Failed(
                kind, "addresses are not fetched; save the file and include it"
            )
        where = self._leads_to(parent, path)
        known = any(inside(where, root) for root in self._reader.roots)
        name = self._names.shown(where) if known else path
        return Failed(kind, f"{name}: {refusal.why}")


def _indented(text: str, indent: str) -> str:
    if not indent:
        return text
    return "\n".join(indent + line if line else "" for line in text.split("\n"))
