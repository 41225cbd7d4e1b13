"""The ``responses`` format: items of OpenAI's Responses API.

A message is an item with a role; calls, their outputs and reasoning are items of their
own, told by ``type``. So one answer of the model is several records: the view of each
is marked ``item``, and the assistant's in a row are one message. What answers a call
has the role ``tool``; an answer that is no text (``computer_call_output``) is opaque,
as other items are. A whole response is viewed as the one message that it brings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mewctl.history.formats import blocks, responses_whole
from mewctl.history.formats.responses_items import OUTPUTS, type_of
from mewctl.history.formats.responses_keep import keep_item, keep_message
from mewctl.history.formats.responses_make import make
from mewctl.history.formats.responses_read import ROLES, message_parts, read_item
from mewctl.history.losses import Losses
from mewctl.history.usage import normalise
from mewctl.history.view import Message

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mewctl.history.view import Part, Result

__all__ = [
    "KEYS",
    "NAME",
    "RESULTS_TOGETHER",
    "make",
    "rebuild",
    "results_records",
    "view",
]

NAME = "responses"
RESULTS_TOGETHER = False
#: The keys of a record that the view shows, or that say nothing a message needs.
KEYS = frozenset(
    {
        "type",
        "role",
        "content",
        "id",
        "status",
        "call_id",
        "name",
        "arguments",
        "input",
        "action",
        "operation",
        "output",
        "summary",
        "encrypted_content",
        "model",
        "usage",
    }
)


def view(value: Mapping[str, Any]) -> Message:
    """The view of a record. One of an unknown role or type is one opaque part.

    Raises ``ValueError``.
    """
    kind = type_of(value)
    if not kind:
        return _view_message(value)
    part, role = read_item(kind, value)
    if part is None:
        return blocks.unknown(value)
    usage = value.get("usage")
    return Message(
        role,
        (part,),
        model=blocks.as_optional(value.get("model")),
        usage=None if usage is None else normalise(usage),
        id=blocks.as_optional(value.get("id")),
        item=True,
    )


def _view_message(value: Mapping[str, Any]) -> Message:
    role = value.get("role")
    if role is None:
        return _view_response(value)
    known = ROLES.get(role) if isinstance(role, str) else None
    if known is None:
        return blocks.unknown(value)
    usage = value.get("usage")
    return Message(
        known,
        message_parts(value),
        model=blocks.as_optional(value.get("model")),
        usage=None if usage is None else normalise(usage),
        id=blocks.as_optional(value.get("id")),
        item=known == "assistant",
    )


def _view_response(value: Mapping[str, Any]) -> Message:
    items = responses_whole.items_of(value)
    if not items:
        return blocks.unknown(value)
    return Message(
        "assistant",
        responses_whole.own_parts(items),
        blocks.as_time(value.get("created_at")),
        blocks.as_optional(value.get("model")),
        normalise(value.get("usage")),
        blocks.as_optional(value.get("id")),
    )


def rebuild(value: Mapping[str, Any], parts: Sequence[Part]) -> dict[str, Any] | None:
    """``value`` with ``parts`` for its parts; None if nothing is left to say.

    An item that is no message holds one part of its kind: ``ValueError``.
    """
    if not parts:
        return None
    kind = type_of(value)
    if not kind:
        return _rebuild_message(value, parts)
    own, _ = read_item(kind, value)
    if own is None:
        return dict(value)
    if len(parts) != 1 or not isinstance(parts[0], type(own)):
        raise ValueError(f"an item {kind} holds one part and nothing else")
    return keep_item(parts[0])


def _rebuild_message(value: Mapping[str, Any], parts: Sequence[Part]) -> dict[str, Any]:
    role = value.get("role")
    if role is None and responses_whole.items_of(value):
        return responses_whole.rebuild(value, parts)
    known = isinstance(role, str) and role in ROLES
    if not known or tuple(parts) == message_parts(value):
        return dict(value)
    return keep_message(value, parts)


def results_records(results: Sequence[Result]) -> list[dict[str, Any]]:
    """An item for each result."""
    return [_keep_result(result) for result in results]


def _keep_result(result: Result) -> dict[str, Any]:
    if result.raw is not None and type_of(result.raw) in OUTPUTS:
        return keep_item(result)
    return make(Message("tool", (result,)), Losses())[0]
