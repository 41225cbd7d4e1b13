"""Changing items of the Responses API: only what was changed is written anew.

Must not read what an item says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mewctl.history.formats.responses_items import CALLS, type_of
from mewctl.history.formats.responses_make import (
    content_of,
    new_item,
    write_part,
    written_input,
)
from mewctl.history.formats.responses_shell import write_chunks
from mewctl.history.view import Call, Image, Opaque, Result, Text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mewctl.history.view import Part


def keep_message(message: Mapping[str, Any], parts: Sequence[Part]) -> dict[str, Any]:
    """An item with a role, with ``parts`` for its content. Raises ``ValueError``."""
    role = "assistant" if message.get("role") == "assistant" else "user"
    kept = [_keep_part(part, role) for part in parts]
    listed = isinstance(message.get("content"), list)
    return {**message, "content": kept if listed else content_of(kept)}


def _keep_part(part: Part, role: str) -> dict[str, Any]:
    raw = part.raw
    if isinstance(part, Text) and raw is not None:
        key = "refusal" if raw.get("type") == "refusal" else "text"
        return {**raw, key: part.text}
    if isinstance(part, (Image, Opaque)) and raw is not None:
        return dict(raw)
    if isinstance(part, (Text, Image)):
        return write_part(part, role)
    raise ValueError(f"no place for a {type(part).__name__.lower()} in this record")


def keep_item(part: Part) -> dict[str, Any]:
    """The item that a part was read from, with what was changed; else a new one."""
    raw = part.raw
    if raw is None or isinstance(part, (Text, Image)):
        return new_item(part)
    if isinstance(part, Call) and part.edited:
        return {**raw, CALLS[type_of(raw)].input: written_input(part)}
    if isinstance(part, Result) and part.edited:
        return {**raw, "output": _keep_output(raw.get("output"), part)}
    return dict(raw)


def _keep_output(output: object, result: Result) -> Any:
    if result.kind == "shell":
        return write_chunks(output, result)
    kept = [_keep_part(part, "user") for part in result.content]
    return kept if isinstance(output, list) else content_of(kept)
