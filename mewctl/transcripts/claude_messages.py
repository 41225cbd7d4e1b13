"""Records of a Claude Code transcript, once parsed, as messages.

Parts carry no raw block (the messages are made anew in whatever format is asked for);
opaque parts do. Records may hold values of any type in any place: what cannot be read
as a part is kept as an opaque part or as the JSON it is. Must not decide which records
are live.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mewctl.history.formats.blocks import (
    as_id,
    as_optional,
    as_text,
    call_input,
)
from mewctl.history.usage import normalise
from mewctl.history.view import (
    Call,
    Image,
    Message,
    Part,
    Result,
    Text,
)
from mewctl.streams.jsonvalue import dumps
from mewctl.transcripts.claude_text import attachment_text, from_people, said
from mewctl.transcripts.telling import (
    in_result,
    listed,
    loose,
    seconds,
    spoken,
    told_block,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


def assistant_message(records: Sequence[Mapping[str, Any]]) -> Message | None:
    """The message that ``records`` are the blocks of; None if nothing is in them.

    A block that a record repeats from another is taken once. The usage is the last
    one reported: the first records of a stream carry placeholders.
    """
    parts: list[Part] = []
    seen: list[Any] = []
    for record in records:
        blocks = _blocks(record)
        fresh = [block for block in blocks if not (seen and _is_among(block, seen))]
        seen += blocks
        for block in fresh:
            parts += _part(block)
    if not parts:
        return None
    first = _message(records[0])
    reported = (normalise(_message(r).get("usage")) for r in reversed(records))
    return Message(
        "assistant",
        tuple(parts),
        time=seconds(records[0].get("timestamp")),
        model=as_optional(first.get("model")),
        usage=next((usage for usage in reported if usage is not None), None),
        id=as_optional(first.get("id")),
        cwd=as_optional(records[0].get("cwd")),
    )


def _is_among(block: Any, seen: Sequence[Any]) -> bool:
    """Whether ``seen`` holds ``block``, to the letter of its JSON."""
    return block in seen and dumps(block) in map(dumps, seen)


def results_message(records: Sequence[Mapping[str, Any]]) -> Message | None:
    """One message of role ``tool`` with all results in ``records``."""
    results = tuple(
        part
        for record in records
        for block in _blocks(record)
        if _is_result(block)
        for part in _part(block)
    )
    if not results:
        return None
    return Message("tool", results, time=seconds(records[0].get("timestamp")))


def user_messages(record: Mapping[str, Any], *, inner: bool) -> Iterator[Message]:
    """What a user record says beside results: the user's words, or injected text.

    A record that holds both becomes a message for each. ``inner``: one agent speaks
    to another.
    """
    blocks = [block for block in _blocks(record) if not _is_result(block)]
    if blocks:
        injected = inner or not from_people(record)
        yield from _spoken(blocks, seconds(record.get("timestamp")), injected=injected)


def prompt_message(record: Mapping[str, Any]) -> Iterator[Message]:
    """A prompt from a ``queue-operation`` record."""
    blocks = listed(record.get("content"))
    yield from _spoken(blocks, seconds(record.get("timestamp")), injected=False)


def attachment_messages(record: Mapping[str, Any], *, inner: bool) -> Iterator[Message]:
    """What the model was shown of an attachment; nothing if it is not to be told."""
    attachment = record.get("attachment")
    if not isinstance(attachment, dict):
        return
    time = seconds(record.get("timestamp"))
    if attachment.get("type") == "queued_command":
        notice = attachment.get("commandMode") == "task-notification"
        injected = inner or notice or not from_people(attachment)
        yield from _spoken(listed(attachment.get("prompt")), time, injected=injected)
        return
    text = attachment_text(record, attachment)
    image = _attached_image(attachment)
    parts: list[Part] = [Text(text)] if text else []
    if image is not None:
        parts = [*(parts or [Text(f"[file {as_text(attachment.get('filename'))}]")])]
        parts.append(image)
    if parts:
        yield Message("user", tuple(parts), time=time, injected=True)


def told_of(record: Mapping[str, Any]) -> list[Any]:
    """What may be told of a record: its blocks, and its attachment."""
    return [record.get("attachment"), *_blocks(record)]


def _spoken(
    blocks: Sequence[Any], time: float | None, *, injected: bool
) -> Iterator[Message]:
    """Messages of role ``user``; a new one where the user's words end or begin.

    An image, or any other part that is no text, goes with the text beside it.
    """
    parts: list[tuple[bool, Part]] = []
    for block in blocks:
        for part in _part(block):
            if isinstance(part, Text):
                text, by_agent = said(part.text)
                parts.append((injected or by_agent, Text(text)))
            else:
                parts.append((injected, part))
    return spoken(parts, time)


def _message(record: Mapping[str, Any]) -> Mapping[str, Any]:
    message = record.get("message")
    return message if isinstance(message, dict) else {}


def _blocks(record: Mapping[str, Any]) -> list[Any]:
    message = record.get("message")
    return listed(
        message if isinstance(message, str) else _message(record).get("content")
    )


def _is_result(block: object) -> bool:
    return isinstance(block, dict) and block.get("type") == "tool_result"


def _part(block: Any) -> tuple[Part, ...]:
    """The part a block is: one, or none where there is nothing in it."""
    if not isinstance(block, dict):
        text = loose(block)
        return (text,) if text.text else ()
    kind = block.get("type")
    if kind == "tool_use":
        given = call_input(block.get("input"))
        return (Call(as_id(block.get("id")), as_text(block.get("name")), given),)
    if kind == "tool_result":
        items = listed(block.get("content"))
        content = tuple(in_result(p, item) for item in items for p in _part(item))
        failed = block.get("is_error") is True
        return (Result(as_id(block.get("tool_use_id")), content, failed),)
    if kind == "text" and isinstance(block.get("text"), str):  # most blocks
        return (Text(block["text"]),) if block["text"] else ()
    return (told_block(block),)


def _attached_image(attachment: Mapping[str, Any]) -> Image | None:
    content = attachment.get("content")
    if not isinstance(content, dict) or content.get("type") != "image":
        return None
    file = content.get("file")
    if not isinstance(file, dict):
        return None
    data, kind = as_optional(file.get("base64")), as_text(file.get("type"))
    return Image(kind, data) if data else None
