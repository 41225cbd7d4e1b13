"""What a rendering has to tell: kinds of findings, how they are worded and shown.

Owns the kinds and how bad each is, the comment that stands in place of an include, and
the three shapes of a diagnostic: a line of text, a JSON object, a GitHub annotation.
Pure. Comments hold a path as it was written and nothing that was read.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from mewctl.streams.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

Severity: TypeAlias = Literal["error", "warning", "note"]
Kind: TypeAlias = Literal[
    "depth",
    "cycle",
    "repeat",
    "escape",
    "binary",
    "missing",
    "not a regular file",
    "too large",
    "unreadable",
    "range",
    "heading",
    "syntax",
    "encoding",
    "left open",
    "budget",
    "front matter",
    "link",
    "home path",
    "secret",
    "import",
    "not a directive",
    "link text",
    "open to all",
    "skill",
]
Diagnostics: TypeAlias = Literal["text", "jsonl", "github"]

#: How bad a kind is. An error counts with --strict; a note is no fault at all.
SEVERITY: dict[Kind, Severity] = {
    "depth": "error",
    "cycle": "error",
    "repeat": "note",
    "escape": "error",
    "binary": "error",
    "missing": "error",
    "not a regular file": "error",
    "too large": "error",
    "unreadable": "error",
    "range": "error",
    "heading": "error",
    "syntax": "error",
    "encoding": "error",
    "left open": "error",
    "budget": "error",
    "front matter": "note",
    "link": "warning",
    "home path": "warning",
    "secret": "warning",
    "import": "warning",
    "not a directive": "warning",
    "link text": "warning",
    "open to all": "warning",
    "skill": "error",
}

_DASHES = re.compile("-(?=-)")
_BETWEEN = " → "  # two files of a chain


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to tell about a line. ``line`` counts from 1; 0 is the file as a whole.

    ``chain``: the files that led there, the layer's own first. ``path``: as the
    directive has it. ``resolved``: where that leads, for those who ask for it.
    """

    kind: Kind
    file: str
    line: int
    message: str
    chain: tuple[str, ...] = ()
    layer: str = ""
    path: str = ""
    resolved: str = ""

    @property
    def severity(self) -> Severity:
        """How bad it is."""
        return SEVERITY[self.kind]


def count_errors(findings: Iterable[Finding]) -> int:
    """How many of them are errors."""
    return sum(finding.severity == "error" for finding in findings)


def comment(kind: Kind, path: str, lang: str, chain: tuple[str, ...] = ()) -> str:
    """The comment in place of an include that was not expanded."""
    word = "already included" if kind == "repeat" else kind
    shown = f"{path} ({_BETWEEN.join(chain)})" if chain else path
    if lang == "zh":
        return f"<!-- @include 已跳过（{word}）: {harmless(shown)} -->"
    return f"<!-- @include skipped ({word}): {harmless(shown)} -->"


def harmless(text: str) -> str:
    """``text`` so that it cannot end an HTML comment or steer a terminal."""
    return _DASHES.sub("- ", printable(text).replace("\t", "\\t"))


def shown(finding: Finding, form: Diagnostics) -> str:
    """One line about a finding, in the shape ``form``."""
    if form == "jsonl":
        return _as_json(finding)
    if form == "github":
        return _as_annotation(finding)
    place = f"{finding.file}:{finding.line}" if finding.line else finding.file
    return f"{place}: {finding.kind}: {_sentence(finding)}"


def _sentence(finding: Finding) -> str:
    words = finding.message
    if finding.resolved:
        words += f" [{finding.resolved}]"
    if len(finding.chain) > 1:
        words += f" ({_BETWEEN.join(finding.chain)})"
    return words


def _as_json(finding: Finding) -> str:
    value = {
        "type": "finding",
        "kind": finding.kind,
        "severity": finding.severity,
        "layer": finding.layer,
        "file": finding.file,
        "line": finding.line,
        "path": finding.path,
        "message": finding.message,
        "chain": finding.chain,
    }
    if finding.resolved:
        value["resolved"] = finding.resolved
    return json.dumps(value)  # all ASCII, so that nothing in it can steer a terminal


_LEVEL = {"error": "error", "warning": "warning", "note": "notice"}


def _as_annotation(finding: Finding) -> str:
    """A workflow command of GitHub Actions."""
    properties = {"file": finding.file, "title": f"mewctl: {finding.kind}"}
    if finding.line:
        properties["line"] = str(finding.line)
    fields = ",".join(f"{key}={_property(v)}" for key, v in properties.items())
    return f"::{_LEVEL[finding.severity]} {fields}::{_data(_sentence(finding))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
