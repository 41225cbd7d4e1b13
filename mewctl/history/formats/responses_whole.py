"""A whole response of the Responses API: the one message that its items are.

Must not know usage, model and time; those are the view's.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from mewctl.history.formats import blocks
from mewctl.history.formats.responses_items import type_of
from mewctl.history.formats.responses_keep import keep_item, keep_message
from mewctl.history.formats.responses_read import message_parts, read_item
from mewctl.history.view import Call, Result

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mewctl.history.view import Part


class _Owned(dict[str, Any]):
    """``raw`` of a part of a message in a response: its block; empty for plain text.

    ``owner``: which of the response's items the message is.
    """

    __slots__ = ("owner",)

    def __init__(self, block: Mapping[str, Any], owner: int) -> None:
        super().__init__(block)
        self.owner = owner


def items_of(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The items that a response brings; none if ``value`` is no response.

    Raises ``ValueError``.
    """
    output = value.get("output")
    if value.get("object") != "response" or not isinstance(output, list):
        return []
    return [blocks.as_mapping(item, "output") for item in output]


def parts_of(items: Sequence[Mapping[str, Any]]) -> tuple[Part, ...]:
    """The parts of a response's items, in order. Raises ``ValueError``."""
    parts: list[Part] = []
    for owner, item in enumerate(items):
        if "role" in item and not type_of(item):
            own = message_parts(item)
            parts += [replace(p, raw=_Owned(p.raw or {}, owner)) for p in own]
        else:
            part, _ = read_item(type_of(item), item)
            parts.append(blocks.opaque(item) if part is None else part)
    return tuple(parts)


def own_parts(items: Sequence[Mapping[str, Any]]) -> tuple[Part, ...]:
    """The parts of a response as a filter sees them.

    A call that the provider answered itself, in the same response, is nobody's to
    answer: it is opaque, with its output.
    """
    parts = parts_of(items)
    answered: set[str] = set()
    open_calls: set[str] = set()
    for part in parts:
        if isinstance(part, Call):
            open_calls.add(part.id)
        elif isinstance(part, Result) and part.call_id in open_calls:
            answered.add(part.call_id)
    return tuple(_hosted(part, answered) for part in parts) if answered else parts


def _hosted(part: Part, answered: set[str]) -> Part:
    call_id = part.id if isinstance(part, Call) else None
    if isinstance(part, Result):
        call_id = part.call_id
    if call_id in answered and part.raw is not None:
        return blocks.opaque(part.raw)
    return part


def rebuild(value: Mapping[str, Any], parts: Sequence[Part]) -> dict[str, Any]:
    """The response ``value`` with ``parts`` for those of its items."""
    items = items_of(value)
    if tuple(parts) == own_parts(items):
        return dict(value)
    made: list[dict[str, Any]] = []
    for owner, group in groupby(parts, _owner):
        if owner is None:
            made += [keep_item(part) for part in group]
        else:
            made.append(keep_message(items[owner], [_bare(part) for part in group]))
    return {**value, "output": made}


def _owner(part: Part) -> int | None:
    return part.raw.owner if isinstance(part.raw, _Owned) else None


def _bare(part: Part) -> Part:
    """A part of a message as its own item shows it."""
    raw: Any = dict(part.raw) if part.raw else None
    return replace(part, raw=raw)
