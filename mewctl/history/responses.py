"""Whole provider responses, and the message that each of them brings.

Owns the shapes of what ``curl`` gets back from an API. Must not know where a response
came from: the place is given, for errors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from mewctl.errors import BadInput
from mewctl.history.formats import anthropic, blocks, openai, responses_whole
from mewctl.history.formats import responses as items
from mewctl.history.usage import normalise

if TYPE_CHECKING:
    from mewctl.history.view import Usage

#: What answered: ``stream`` is one event of a streamed answer, ``error`` a refusal.
Api: TypeAlias = Literal["messages", "chat", "responses", "stream", "error"]

_EVENTS = frozenset(
    {
        "message_start",
        "message_delta",
        "message_stop",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
    }
)
_ERROR_CHARS = 200  # of a provider's error message, in ours


@dataclass(frozen=True, slots=True)
class Answer:
    """The message of a response: a record of ``format``, as a request takes it.

    ``time`` is Unix seconds. ``left_out``: how many other choices the response had.
    ``more``: the records after the first, where a message is several (``responses``).
    """

    format: str
    record: dict[str, Any]
    usage: Usage | None
    model: str | None
    id: str | None
    time: float | None = None
    left_out: int = 0
    more: tuple[dict[str, Any], ...] = ()

    @property
    def records(self) -> tuple[dict[str, Any], ...]:
        """All records of the message, in order."""
        return (self.record, *self.more)


def api(value: Mapping[str, Any]) -> Api | None:
    """Which API's response ``value`` is; None if it is none."""
    kind = value.get("type")
    if kind == "message":
        ours = value.get("role") == "assistant" and "content" in value
        return "messages" if ours and "stop_reason" in value else None
    if "role" in value:
        return None
    made = value.get("object")
    if made == "response" and "output" in value:
        return "responses" if value["output"] or not _has_error(value) else "error"
    if made == "chat.completion.chunk":
        return "stream"
    if isinstance(value.get("choices"), list):
        return "chat"
    return _other(value, kind)


def _other(value: Mapping[str, Any], kind: object) -> Api | None:
    if isinstance(kind, str) and (kind in _EVENTS or kind.startswith("response.")):
        return "stream"
    alone = kind == "error" or len(value) == 1
    return "error" if alone and _has_error(value) else None


def _has_error(value: Mapping[str, Any]) -> bool:
    error = value.get("error")
    return isinstance(error, (Mapping, str)) and bool(error)


def read(value: Mapping[str, Any], place: str) -> Answer | None:
    """The message of a response; None if ``value`` is no response.

    Raises ``BadInput`` for a response that brings none: an error, an event of a
    stream, an API whose messages cannot be read.
    """
    name = api(value)
    if name is None:
        return None
    reader = _READERS.get(name)
    if reader is None:
        what, remedy = _refusal(name, value)
        raise BadInput(place=place, what=what, remedy=remedy)
    try:
        return reader(value)
    except ValueError as error:
        remedy = "give the whole response of the provider"
        raise BadInput(place=place, what=str(error), remedy=remedy) from None


def _messages(value: Mapping[str, Any]) -> Answer:
    record = {"role": "assistant", "content": value["content"]}
    anthropic.view(record)
    return Answer(
        anthropic.NAME,
        record,
        normalise(value.get("usage")),
        blocks.as_optional(value.get("model")),
        blocks.as_optional(value.get("id")),
    )


def _chat(value: Mapping[str, Any]) -> Answer:
    message = openai.first_message(value)
    if message is None:
        raise ValueError("a Chat Completion without a message")
    openai.view(message)
    return Answer(
        openai.NAME,
        {key: item for key, item in message.items() if _says(key, item)},
        normalise(value.get("usage")),
        blocks.as_optional(value.get("model")),
        blocks.as_optional(value.get("id")),
        blocks.as_time(value.get("created")),
        len(value["choices"]) - 1,
    )


def _says(key: str, item: object) -> bool:
    """Whether a key of a completion's message belongs in a request.

    The API fills in nulls and empty annotations that it does not take back.
    """
    if key == "content":
        return True
    return item is not None and not (key == "annotations" and item == [])


def _responses(value: Mapping[str, Any]) -> Answer:
    records = [
        {key: item[key] for key in item if item[key] is not None}
        for item in responses_whole.items_of(value)
    ]
    if not records:
        pending = value.get("status") in ("queued", "in_progress")
        why = "that is not complete yet" if pending else "without output"
        raise ValueError(f"a response {why}")
    for record in records:
        items.view(record)
    first, *more = records
    return Answer(
        items.NAME,
        first,
        normalise(value.get("usage")),
        blocks.as_optional(value.get("model")),
        blocks.as_optional(value.get("id")),
        blocks.as_time(value.get("created_at")),
        more=tuple(more),
    )


_READERS: dict[Api, Callable[[Mapping[str, Any]], Answer]] = {
    "messages": _messages,
    "chat": _chat,
    "responses": _responses,
}


def _refusal(name: Api, value: Mapping[str, Any]) -> tuple[str, str]:
    if name == "error":
        return f"the provider answered with an error: {_error(value)}", "ask it again"
    return "an event of a streamed answer", "ask for the answer without streaming"


def _error(value: Mapping[str, Any]) -> str:
    error = value["error"]
    if isinstance(error, Mapping):
        words = (error.get("type"), error.get("message"))
        error = ": ".join(word for word in words if isinstance(word, str))
    return " ".join(error.split())[:_ERROR_CHARS] or "without a message"
