r"""The fields before a note's body: read as text, changed without touching the rest.

The fields are YAML between two lines ``---``. What mewctl writes itself is the part of
YAML in which a value is a plain word or a JSON string or list; that is read without the
YAML package, anything else with it. Every scalar is text: a date stays a date's text,
``no`` stays ``no``. Owns the syntax; must not know what a field means. Pure.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from mewctl import limits

if TYPE_CHECKING:
    from collections.abc import Mapping

Value: TypeAlias = "str | bool | int | tuple[str, ...]"

_OPEN = re.compile(r"\ufeff?---[ \t]*(\r?\n)")
_CLOSE = re.compile(r"^---[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
# A word that YAML reads as itself whatever stands around it on the line.
_PLAIN = r"[A-Za-z0-9](?:[A-Za-z0-9_./+@()'-]|:(?=[^\s:])| (?=[A-Za-z0-9(]))*"
_LINE = re.compile(
    rf'(?P<key>[a-z][a-z0-9_-]*): (?:(?P<plain>{_PLAIN})|(?P<json>".*"|\[.*\]))'
)
_IS_PLAIN = re.compile(_PLAIN)
_LOOSE = re.compile(r"(?:^[ \t]*(?:#[^\n]*)?\r?(?:\n|\Z))+\Z", re.MULTILINE)  # comments
_LINE_END = re.compile(r"[ \t]*(?:#[^\n]*)?\r?\n")
# What YAML does not take inside quotes as it is, or a line break hidden from JSON.
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")


class BadFrontmatter(ValueError):
    """Fields that cannot be read; the message says why, in a few words."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A note's text in its parts: ``head + front + foot + body`` is all of it.

    ``front`` holds the lines of the fields, ``newline`` what ends a line there. Without
    fields, head, front and foot are empty.
    """

    head: str
    front: str
    foot: str
    body: str
    newline: str = "\n"


def split(text: str) -> Parts:
    """The parts of a note's text. Raises ``BadFrontmatter`` for fields without an end.

    More than ``limits.FRONTMATTER`` bytes of fields are refused as well.
    """
    opening = _OPEN.match(text)
    if opening is None:
        return Parts("", "", "", text)
    closing = _CLOSE.search(text, opening.end())
    if closing is None:
        raise BadFrontmatter("the fields have no end, a line ---")
    front = text[opening.end() : closing.start()]
    if len(front.encode("utf-8", "surrogatepass")) > limits.FRONTMATTER:
        raise BadFrontmatter(f"more than {limits.FRONTMATTER} bytes of fields")
    return Parts(
        text[: opening.end()], front, closing[0], text[closing.end() :], opening[1]
    )


def fields(front: str) -> dict[str, Any]:
    """Key -> value, where a value is a text, or a list or mapping of such.

    Raises ``BadFrontmatter``.
    """
    quick = _quick(front)
    return _by_yaml(front) if quick is None else quick


def _quick(front: str) -> dict[str, Any] | None:
    """The fields as mewctl writes them; None for anything else."""
    found: dict[str, Any] = {}
    if "\r" in front or _ESCAPED.search(front):
        return None
    for line in front.splitlines():
        match = _LINE.fullmatch(line)
        if match is None or match["key"] in found:
            return None
        value: Any = match["plain"]
        if value is None:
            try:
                value = json.loads(match["json"])
            except (ValueError, RecursionError):
                return None
            if not _texts(value):
                return None
        found[match["key"]] = value
    return found or None


def _texts(value: object) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, str) for item in value)
    return isinstance(value, str)


def _by_yaml(front: str) -> dict[str, Any]:
    import yaml

    node = _composed(front)
    if node is None:
        return {}
    seen = [key.value for key, _ in node.value]
    double = next((key for key in seen if seen.count(key) > 1), None)
    if double is not None:
        raise BadFrontmatter(f"{str(double)[:40]!r} stands twice")
    loader = yaml.BaseLoader("")
    try:
        value: Any = loader.construct_document(node)
    except (yaml.YAMLError, RecursionError) as error:
        raise BadFrontmatter(_why(error)) from None
    if not all(isinstance(key, str) for key in value):
        raise BadFrontmatter("a key is no text")
    return dict(value)


def _composed(front: str) -> Any:
    """The YAML node of the fields; None for an empty text."""
    import yaml

    try:
        _look(front)
        node = yaml.compose(front, yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError) as error:
        raise BadFrontmatter(_why(error)) from None
    if node is not None and not isinstance(node, yaml.MappingNode):
        raise BadFrontmatter("the fields are no mapping of keys to values")
    return node


def _look(front: str) -> None:
    """Refuse what makes YAML large or slow: anchors, aliases, tags, deep nesting."""
    import yaml

    depth = 0
    for token in yaml.scan(front, yaml.BaseLoader):
        name = type(token).__name__
        if name in ("AnchorToken", "AliasToken", "TagToken", "DirectiveToken"):
            kind = name.removesuffix("Token").lower()
            raise BadFrontmatter(f"a YAML {kind} is not read")
        depth += name.endswith("StartToken") - name.endswith("EndToken")
        if depth > limits.FRONTMATTER_DEPTH:
            raise BadFrontmatter("nested too deep")


def _why(error: Exception) -> str:
    problem = getattr(error, "problem", None) or getattr(error, "reason", None)
    mark = getattr(error, "problem_mark", None)
    where = f" in line {mark.line + 2}" if mark else ""
    return f"not YAML{where}: {problem or 'nested too deep'}"


# --- writing ---


def written(value: Value) -> str:
    """A value as the fields hold it: a plain word, or a JSON string or list."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str) and _IS_PLAIN.fullmatch(value):
        return value
    text = json.dumps(value, ensure_ascii=False)
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def whole(values: Mapping[str, Value], body: str) -> str:
    """The text of a new note."""
    lines = (f"{key}: {written(value)}\n" for key, value in values.items())
    return "".join(("---\n", *lines, "---\n", body))


def changed(text: str, values: Mapping[str, Value | None]) -> str:
    """``text`` with some fields set anew, or taken away (None); the rest as it is.

    A field that is not there yet is put after the others. Raises ``BadFrontmatter``.
    """
    parts = split(text)
    if not parts.head:
        new = {key: value for key, value in values.items() if value is not None}
        return whole(new, text) if new else text
    front, end = parts.front, parts.newline
    known = fields(front)
    places = _places(front)
    if len(places) != len(known):
        raise BadFrontmatter("a key is written in a way that is not changed here")
    added: list[str] = []
    last_first = sorted(values, key=lambda key: places.get(key, (0, 0)), reverse=True)
    for key in last_first:
        value = values[key]
        line = "" if value is None else f"{key}: {written(value)}"
        if key not in places:
            added.insert(0, line + end if line else "")
            continue
        start, stop = places[key]
        if value is None and (ending := _LINE_END.match(front, stop)):
            stop = ending.end()
        front = front[:start] + line + front[stop:]
    if front and not front.endswith("\n") and any(added):
        front += end
    order = {key: at for at, key in enumerate(values)}
    added.sort(key=lambda line: order.get(line.partition(":")[0], 0))
    return parts.head + front + "".join(added) + parts.foot + parts.body


def _places(front: str) -> dict[str, tuple[int, int]]:
    """Key -> where it begins and its value ends in ``front``, in characters."""
    if _quick(front) is not None:
        return _line_places(front)
    node = _composed(front)
    if node is None:
        return {}
    if node.flow_style:
        raise BadFrontmatter("fields in braces are not changed here")
    found = {}
    for key, value in node.value:
        start, stop = key.start_mark.index, value.end_mark.index
        taken = front[start:stop]
        if not _is_scalar(value):  # its end is where the next field begins
            taken = _LOOSE.sub("", taken)
        found[key.value] = (start, start + len(taken.rstrip(" \r\n")))
    return found


def _line_places(front: str) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    at = 0
    for line in front.splitlines(keepends=True):
        found[line.partition(":")[0]] = (at, at + len(line.rstrip("\n")))
        at += len(line)
    return found


def _is_scalar(node: object) -> bool:
    return type(node).__name__ == "ScalarNode"
