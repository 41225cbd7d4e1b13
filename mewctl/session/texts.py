"""A session for people: texts of messages, a conversation as Markdown. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mewctl.history.view import Call, Image, Result, Text, Thinking
from mewctl.streams.jsonvalue import dumps

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mewctl.history.view import Message, Part

_HEADS = {"user": "User", "assistant": "Assistant", "system": "System", "tool": "Tools"}
_FENCE = "```"


def texts(message: Message) -> Iterator[str]:
    """All texts of a message: said, thought, called and answered."""
    for part in message.parts:
        if isinstance(part, (Text, Thinking, Result)):
            yield part.text
        elif isinstance(part, Call):
            yield part.name
            yield from _strings(part.input)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif value is not None:
        yield str(value)


def markdown(title: str, messages: Iterable[Message]) -> Iterator[str]:
    """A conversation as Markdown, piece by piece.

    What stands in code fences cannot end them: they are longer than any in the text.
    """
    yield f"# {' '.join(title.split())}\n"
    last = ""
    for message in messages:
        head = _HEADS.get(message.role, message.role)
        if message.role == "user" and message.injected:
            head = "Injected"
        pieces = [piece for part in message.parts if (piece := _part(part))]
        if not pieces:
            continue
        if head != last:
            yield f"\n## {head}\n"
            last = head
        for piece in pieces:
            yield f"\n{piece}\n"


def _part(part: Part) -> str:
    if isinstance(part, Text):
        return part.text.strip()
    if isinstance(part, Thinking):
        quoted = part.text.strip().replace("\n", "\n> ")
        return f"> *thinking:* {quoted}" if quoted else ""
    if isinstance(part, Call):
        return f"**{part.name}**\n\n{fenced(_input(part))}"
    if isinstance(part, Result):
        mark = "**error**\n\n" if part.is_error else ""
        return mark + fenced(part.text.rstrip("\n"))
    if isinstance(part, Image):
        return f"*[image {part.media_type}]*"
    return f"*[{part.kind}]*"


def _input(call: Call) -> str:
    if isinstance(call.input, str):
        return call.input
    return dumps(dict(call.input)).decode("utf-8", "replace")


def fenced(text: str) -> str:
    """A code block that holds ``text``, whatever fences stand in it."""
    fence = _FENCE
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"
