"""Making Chat Completions messages from views: the other half of ``formats.openai``.

Owns what the API takes; what it cannot take is counted as lost. Must not read records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mewctl import limits
from mewctl.history.formats import blocks
from mewctl.history.view import (
    Call,
    Image,
    Message,
    Opaque,
    Part,
    Result,
    Role,
    Text,
    Thinking,
)
from mewctl.streams.jsonvalue import BadJSON, loads, utf8

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewctl.history.losses import Losses

#: Content parts of the API that the view shows as opaque.
OPAQUE_TYPES = frozenset({"input_audio", "file"})


def make(message: Message, losses: Losses) -> list[dict[str, Any]]:
    """Records that say ``message`` to the API; what it cannot take is counted.

    Each result is a record of its own. The API has no place for thinking, for text
    after a call, and for the error mark of a result. Ids and names that it would
    refuse are made safe, the same way each time.
    """
    records: list[dict[str, Any]] = []
    role: Role = "user" if message.role == "tool" else message.role
    for are_results, parts in blocks.runs(message.parts):
        if are_results:
            records += [
                _write_result(part, losses)
                for part in parts
                if isinstance(part, Result)
            ]
        else:
            records += _write_own(role, parts, losses)
    return records


def result_record(call_id: str, content: Any) -> dict[str, Any]:
    """A record of role ``tool``; ``content`` is text, parts or None."""
    content = "" if content is None else content
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def _write_own(role: Role, parts: list[Part], losses: Losses) -> list[dict[str, Any]]:
    losses.add("place of a text after a call", blocks.misplaced(parts))
    written = (_write_part(role, part, losses) for part in parts)
    content = content_of([part for part in written if part is not None])
    calls = [part for part in parts if isinstance(part, Call)]
    if role != "assistant":
        losses.add(f"{role} tool call", len(calls))
        calls = []
    if content is None and not calls:
        return []
    record: dict[str, Any] = {"role": role, "content": content}
    if calls:
        record["tool_calls"] = [_write_call(call, losses) for call in calls]
    return [record]


def _write_part(role: Role, part: Part, losses: Losses) -> dict[str, Any] | None:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text} if part.text else None
    if isinstance(part, Thinking):
        losses.add("thinking")
    elif isinstance(part, Image):
        loss = f"{role} image"
        if role == "user":
            loss = "image by file id" if part.file_id else blocks.refused_image(part)
        if not loss:
            return image_part(part)
        losses.add(loss)
    elif isinstance(part, Opaque):
        if role == "user" and part.kind in OPAQUE_TYPES:
            return dict(part.raw)
        losses.add(f"unknown block {part.kind}")
    return None


def image_part(image: Image) -> dict[str, Any]:
    """A part that shows ``image``. Raises ``ValueError`` for one known by file id."""
    if image.file_id:
        raise ValueError("no place for an image by its file id")
    data = f"data:{image.media_type};base64,{image.data}"
    return {"type": "image_url", "image_url": {"url": image.url or data}}


def _write_call(call: Call, losses: Losses) -> dict[str, Any]:
    name = blocks.safe_name(call.name, limits.OPENAI_NAME_CHARS)
    if name != call.name:
        losses.add("tool name")
    if call.kind not in ("function", "custom"):
        losses.add(f"kind of a {call.kind} call")
    losses.add("kind of a call's input", not reads_back(call))
    return call_entry(_safe(call.id, losses), name, call)


def reads_back(call: Call) -> bool:
    """Whether the input of ``call``, as text, is read back as what it is."""
    if isinstance(call.input, str):
        return call.kind == "custom" or read_arguments(call.input) == call.input
    return call.kind != "custom"


def call_entry(call_id: str, name: str, call: Call) -> dict[str, Any]:
    """An entry of ``tool_calls`` with the kind and the input of ``call``."""
    if call.kind == "custom":
        custom = {"name": name, "input": write_arguments(call.input)}
        return {"id": call_id, "type": "custom", "custom": custom}
    function = {"name": name, "arguments": write_arguments(call.input)}
    return {"id": call_id, "type": "function", "function": function}


def write_arguments(value: Mapping[str, Any] | str) -> str:
    """The input of a call as the text that the API wants."""
    return value if isinstance(value, str) else blocks.json_text(value)


def _write_result(result: Result, losses: Losses) -> dict[str, Any]:
    texts: list[dict[str, Any]] = []
    for part in result.content:
        if isinstance(part, Text):
            if part.text:
                texts.append({"type": "text", "text": part.text})
        elif isinstance(part, Image):
            losses.add("image in a result")
        else:
            losses.add(f"unknown block {part.kind}")
    if result.is_error:
        losses.add("error mark of a result")
    if result.kind != "function":
        losses.add(f"kind of a {result.kind} result")
    return result_record(_safe(result.call_id, losses), content_of(texts))


def _safe(call_id: str, losses: Losses) -> str:
    if 0 < len(call_id) <= limits.OPENAI_ID_CHARS:
        return call_id
    losses.add("id of a call")
    return blocks.safe_id(call_id)


# --- values ---


def read_arguments(value: object) -> Mapping[str, Any] | str:
    """Arguments as an object, or as the text they are where they are no JSON object.

    No text at all is what some servers send for a call without arguments.
    """
    if not isinstance(value, str):
        return blocks.call_input(value)
    if not value or value.isspace():
        return {}
    try:
        parsed = loads(utf8(value), exact=True)
    except BadJSON:
        return value
    return parsed if isinstance(parsed, dict) else value


def content_of(parts: list[dict[str, Any]]) -> Any:
    """Content in its plainest form: null, one text, or parts."""
    if not parts:
        return None
    if len(parts) == 1 and parts[0].keys() == {"type", "text"}:
        return parts[0]["text"]
    return parts
