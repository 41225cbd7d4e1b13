"""What ``session show`` gathers: the log read once, and the files beside it."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Any

from mewctl.commands.session.checkpoints import row
from mewctl.commands.session.finding import session_of
from mewctl.commands.session.table import bytes_words, when
from mewctl.commands.session.table import show as show_rows
from mewctl.history.formats import mew
from mewctl.history.view import Call, Image, Result, Text, Thinking
from mewctl.session import glimpse
from mewctl.session.meta import load as load_meta
from mewctl.session.reading import LogReader
from mewctl.session.undoing import standing
from mewctl.spill.recall import Archive
from mewctl.store.copying import tree_size
from mewctl.streams.jsonvalue import utf8_size
from mewctl.streams.secrets import mask
from mewctl.transcripts import Report

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mewctl.history.view import Message
    from mewctl.session.layout import Layout
    from mewctl.session.reading import Chapter


def show(options: Mapping[str, Any]) -> None:
    """Print what there is to know."""
    found = gathered(session_of(options))
    if not options["no_redact"]:
        found["title"] = mask(found["title"])
    cells = [(name, _words(name, value)) for name, value in found.items()]
    show_rows(options["format_"], [found], ("what", ""), cells)


def gathered(layout: Layout) -> dict[str, Any]:
    """All that is known of a session, as one record."""
    meta = load_meta(layout.meta)
    report = Report()
    with LogReader(layout.log) as reader:
        chapters = reader.chapters()
        sizes, count = _messages(reader, chapters, report)
        live = sum(1 for _ in reader.history(reader.live(), Report()))
        title = meta.title or glimpse.title(reader.read, reader.size)
        end = glimpse.ending(reader.read, reader.size)
        revision, size = reader.revision(), reader.size
    stands = set(standing(chapters))
    value: dict[str, Any] = {
        "type": "session",
        "id": layout.id,
        "path": layout.directory,
        "title": title,
        "model": end.model or meta.model,
        "created": meta.created,
        "active": end.time,
        "pinned": meta.pinned,
        "origin": dict(meta.origin),
        "revision": revision,
        "messages": {"now": live, "all": count},
        "bytes": {"log": size, **sizes, "spilled": _size(layout.spill)},
        "checkpoints": [row(chapter, stands) for chapter in chapters if chapter.mark],
        "spills": len(Archive(layout.spill, layout.boundaries).bodies()),
        "breaker": os.path.lexists(layout.breaker) and layout.breaker,
        "damaged": [{"line": n.line, "what": n.text} for n in report.notes],
    }
    return {k: v for k, v in value.items() if v not in (None, "", [], {}, False)}


def _size(directory: str) -> int:
    return tree_size(directory) if os.path.isdir(directory) else 0


def _messages(
    reader: LogReader, chapters: list[Chapter], report: Report
) -> tuple[dict[str, int], int]:
    """Bytes of the log by what they are, and how many messages were appended."""
    sizes: Counter[str] = Counter()
    count = 0
    for chapter in chapters:
        for record, _ in reader.snapshot(chapter, report):
            sizes["snapshots"] += len(record.raw) + 1
        for _, value in reader.since(chapter, Report()):
            count += 1
            sizes.update(dict(_parts(mew.view(value))))
    return dict(sizes), count


def _parts(message: Message) -> Iterator[tuple[str, int]]:
    for part in message.parts:
        if isinstance(part, Text):
            yield f"{message.role} text", utf8_size(part.text)
        elif isinstance(part, Result):
            yield "tool results", utf8_size(part.text)
        elif isinstance(part, Thinking):
            yield "thinking", utf8_size(part.text) + len(part.signature)
        elif isinstance(part, Image):
            yield "images", len(part.data)
        elif isinstance(part, Call):
            yield "tool calls", utf8_size(str(part.input))
        else:
            yield "other", part.size


def _words(name: str, value: Any) -> str:
    """A value for people."""
    if name in ("created", "active"):
        return when(value)
    if name == "bytes":
        return ", ".join(f"{key} {bytes_words(size)}" for key, size in value.items())
    if name == "checkpoints":
        return f"{len(value)}; see mewctl session checkpoints"
    if isinstance(value, dict):
        return ", ".join(f"{key} {item}" for key, item in value.items())
    if isinstance(value, list):
        return f"{len(value)} places; see mewctl session check"
    return str(value)
