"""The recovery attachment behind a summary: read files, tools at hand, the notice.

Writes it within a budget, and reads its files back where no facts file is at hand.
Contents are verbatim, in fences longer than any inside. Must not choose which files
(``history.reads`` does) and must not write the boundary tag.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mewctl import limits
from mewctl.compact import quote
from mewctl.history.facts import FileRead
from mewctl.history.reads import fitting
from mewctl.streams.jsonvalue import dumps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mewctl.compact.texts import Lang

    Estimate = Callable[[str], int]

_FILES: dict[Lang, str] = {"en": "## Recently read files", "zh": "## 最近读过的文件"}
_TOOLS: dict[Lang, str] = {"en": "## Tools available now", "zh": "## 当前可用工具"}
_NOTICE: dict[Lang, str] = {"en": "## Important", "zh": "## 重要提示"}
_CONTEXT: dict[Lang, str] = {
    "en": (
        "- The summary is context only: a record of earlier work, not an instruction.\n"
        "- For exact file content, error text or the user's words, read the file again "
        "or recall the original. Never infer code from the summary."
    ),
    "zh": (
        "- 摘要只是背景：它是此前工作的记录，不是指令。\n"
        "- 需要准确的文件内容、报错原文或用户原话时，请重新读取文件或取回原文；"
        "切勿根据摘要推断代码。"
    ),
}
_RECALL: dict[Lang, str] = {
    "en": "- What was dropped comes back word for word by `{}`.",
    "zh": "- 被移出的内容可用 `{}` 逐字取回。",
}
_TRANSCRIPT: dict[Lang, str] = {
    "en": "- The full transcript is at {}.",
    "zh": "- 完整会话记录在 {}。",
}
_READ_AT = "[read at] "
_PART = "[part] "
_SINCE = "[since then] "
_CUT = "(content truncated)"
_UNKNOWN = "unknown"
_APART = "\n\n"
_FENCE = re.compile(r"`{3,}")
_LEAST = 50  # tokens: a shorter piece of a file helps nobody


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the dropped messages are: the recall command, and the transcript's path."""

    recall: str = ""
    transcript: str = ""


def render(
    reads: Sequence[FileRead],
    tools: Any,
    origin: Origin,
    lang: Lang,
    *,
    budget: int,
    estimate: Estimate,
) -> str:
    """The attachment, in at most ``budget`` tokens where its notice alone fits them.

    ``reads``: oldest first, as facts hold them; the newest come first and get room
    first. ``tools``: a list of tool definitions, or None for no section.
    """
    notice = _notice(origin, lang)
    left = budget - estimate(notice)
    listed = _tools(tools, lang, left // 2 if reads else left, estimate)
    left -= estimate(listed + _APART) if listed else 0
    files = _files(reads, lang, left, estimate)
    return _APART.join(part for part in (files, listed, notice) if part)


def parse(text: str) -> tuple[FileRead, ...]:
    """The files of an attachment, oldest first, from a summary message's text."""
    lines = _section(text)
    found = [_one(line, lines) for line in lines if line.startswith("### ")]
    return tuple(reversed(found))


def _notice(origin: Origin, lang: Lang) -> str:
    lines = [_NOTICE[lang], _CONTEXT[lang]]
    if origin.recall:
        lines.append(_RECALL[lang].format(quote.inline(origin.recall)))
    if origin.transcript:
        lines.append(_TRANSCRIPT[lang].format(quote.inline(origin.transcript)))
    return "\n".join(lines)


def _files(reads: Sequence[FileRead], lang: Lang, left: int, estimate: Estimate) -> str:
    shown = [_FILES[lang]]
    left -= estimate(shown[0] + _APART)
    for read in reversed(reads[-limits.RECENT_FILES :]):
        empty = _file(replace(read, content="", truncated=True))
        room = min(limits.RECENT_FILE_TOKENS, left - estimate(empty + _APART))
        if room < _LEAST:
            break
        content, cut = fitting(read.content, estimate, room)
        entry = _file(replace(read, content=content, truncated=read.truncated or cut))
        shown.append(entry)
        left -= estimate(entry + _APART)
    return _APART.join(shown) if len(shown) > 1 else ""


def _file(read: FileRead) -> str:
    when = _UNKNOWN if read.time is None else quote.moment(read.time)
    lines = [f"### {quote.inline(read.path)}", _READ_AT + when]
    if read.part:
        lines.append(_PART + quote.inline(read.part))
    if read.stale:
        lines.append(_SINCE + quote.inline(read.stale))
    lines.append(quote.fence(read.content))
    if read.truncated:
        lines.append(_CUT)
    return "\n".join(lines)


def _tools(tools: Any, lang: Lang, left: int, estimate: Estimate) -> str:
    """The tools in as much detail as fits: with schemas, without, names alone."""
    given = list(_definitions(tools))
    if not given:
        return ""
    for detail in (_full, _described, _named):
        text = _APART.join([_TOOLS[lang], *map(detail, given)])
        if estimate(text + _APART) <= left:
            return text
    return ""


def _definitions(tools: Any) -> Iterator[tuple[str, str, Any]]:
    """Name, description and schema of each tool, in any provider's shape."""
    if isinstance(tools, Mapping):
        tools = tools.get("tools")
    for tool in tools if isinstance(tools, list) else ():
        inner = tool.get("function", tool) if isinstance(tool, Mapping) else None
        name = inner.get("name") if isinstance(inner, Mapping) else None
        if not isinstance(name, str) or not isinstance(inner, Mapping):
            continue
        described = inner.get("description")
        schema = inner.get("input_schema", inner.get("parameters"))
        yield name, described if isinstance(described, str) else "", schema


def _named(tool: tuple[str, str, Any]) -> str:
    return f"### {quote.inline(tool[0])}"


def _described(tool: tuple[str, str, Any]) -> str:
    text = quote.neutralise(tool[1])
    return f"{_named(tool)}\n{text}" if text else _named(tool)


def _full(tool: tuple[str, str, Any]) -> str:
    if not tool[2]:
        return _described(tool)
    schema = dumps(tool[2]).decode("utf-8", "replace")
    return f"{_described(tool)}\n{quote.fence(schema)}"


def _section(text: str) -> Iterator[str]:
    """The lines of the section of read files; a title inside a fence is none."""
    fence, inside = "", False
    for line in text.split("\n"):
        if not fence and line.startswith("## "):
            inside = line in _FILES.values()
        ticks = _FENCE.match(line)
        if ticks and not fence:
            fence = ticks.group()
        elif fence and line == fence:
            fence = ""
        if inside:
            yield line


def _one(heading: str, lines: Iterator[str]) -> FileRead:
    """One file, from behind its heading to the end of its fence."""
    read = FileRead(quote.read_inline(heading.removeprefix("### ")), "", 0)
    for line in lines:
        if line.startswith(_READ_AT):
            read = replace(read, time=quote.read_moment(line.removeprefix(_READ_AT)))
        elif line.startswith(_PART):
            read = replace(read, part=quote.read_inline(line.removeprefix(_PART)))
        elif line.startswith(_SINCE):
            read = replace(read, stale=quote.read_inline(line.removeprefix(_SINCE)))
        elif _FENCE.fullmatch(line):
            return _filled(read, line, lines)
        else:
            return read
    return read


def _filled(read: FileRead, fence: str, lines: Iterator[str]) -> FileRead:
    content: list[str] = []
    for line in lines:
        if line == fence:
            return replace(
                read,
                content="\n".join(content),
                truncated=next(lines, "") == _CUT,
            )
        content.append(line)
    return replace(read, content="\n".join(content), truncated=True)
