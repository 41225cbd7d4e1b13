"""``mewctl session checkpoints``: the compact markers of a log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.session.options import (
    format_option,
    place_options,
    session_argument,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewctl.session.reading import Chapter


@click.command("checkpoints", short_help="List the compact markers of a session.")
@session_argument
@place_options
@format_option
def checkpoints(**options: Any) -> None:
    r"""List the compact markers of a session.

    Each with its number, time, reason, and the tokens before and after. The history at
    one: mewctl session load S --at NUMBER.

    \b
    Example:
      mewctl session checkpoints latest
    """
    _run(options)


def _run(options: Mapping[str, Any]) -> None:
    from mewctl.commands.session.finding import session_of
    from mewctl.commands.session.table import show, when
    from mewctl.session.reading import LogReader
    from mewctl.session.undoing import standing

    layout = session_of(options)
    with LogReader(layout.log) as reader:
        chapters = reader.chapters()
    stands = set(standing(chapters))
    rows = [row(chapter, stands) for chapter in chapters if chapter.mark]
    cells = [
        (
            str(found["number"]),
            when(found.get("ts")),
            found.get("reason", ""),
            _number(found.get("messages")),
            _number(found.get("tokens_before")),
            _number(found.get("tokens_after")),
            found.get("id", ""),
        )
        for found in rows
    ]
    heads = ("#", "time", "reason", "messages", "tokens", "after", "id")
    show(options["format_"], rows, heads, cells)


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def row(chapter: Chapter, stands: set[int]) -> dict[str, Any]:
    """A checkpoint as a record; what is unknown is absent."""
    marker = chapter.mark.marker if chapter.mark else None
    value: dict[str, Any] = {"type": "checkpoint", "number": chapter.number}
    if marker is not None:
        optional = {
            "ts": marker.time,
            "id": marker.id or None,
            "reason": marker.reason or None,
            "messages": marker.messages,
            "tokens_before": marker.tokens_before,
            "tokens_after": marker.tokens_after,
            "provider": marker.provider or None,
            "undoes": marker.undoes or None,
        }
        value |= {key: item for key, item in optional.items() if item is not None}
    value["stands"] = chapter.number in stands
    return value
