"""Reading items of the Responses API: what each of them says, as parts of a view.

A message has parts; any other item is one part. Must not write anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mewctl.history.formats import blocks
from mewctl.history.formats.openai_make import read_arguments
from mewctl.history.formats.responses_items import (
    CALLS,
    MODEL_ITEMS,
    OTHER_ITEMS,
    OUTPUTS,
)
from mewctl.history.formats.responses_shell import read_chunks
from mewctl.history.view import (
    Call,
    Content,
    Image,
    Part,
    Result,
    Role,
    Text,
    Thinking,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
}
_TEXTS = ("input_text", "output_text", "text", "summary_text", "reasoning_text")


def message_parts(message: Mapping[str, Any]) -> tuple[Part, ...]:
    """The parts of an item with a role. Raises ``ValueError``."""
    content = message.get("content")
    if isinstance(content, str):
        return (Text(content),)
    return _read_content(content, "content")


def read_item(kind: str, value: Mapping[str, Any]) -> tuple[Part | None, Role]:
    """The one part of an item of the type ``kind``, and who says it.

    No part for a type that nobody knows. Raises ``ValueError``.
    """
    if kind in OUTPUTS:
        return _read_output(kind, value), "tool"
    if kind in CALLS:
        return _read_call(kind, value), "assistant"
    if kind == "reasoning":
        return _read_reasoning(value), "assistant"
    if kind in OTHER_ITEMS:
        return blocks.opaque(value), "tool"
    if kind in MODEL_ITEMS or kind.endswith("_call"):  # new ones come every month
        return blocks.opaque(value), "assistant"
    return None, "system"


def _read_content(content: object, name: str) -> tuple[Content, ...]:
    if isinstance(content, str):
        return (Text(content),) if content else ()
    items = blocks.as_list(content, name)
    return tuple([_read_part(blocks.as_mapping(item, name)) for item in items])


def _read_part(part: Mapping[str, Any]) -> Content:
    kind = part.get("type")
    if kind in _TEXTS and isinstance(part.get("text"), str):
        return Text(part["text"], part)
    if kind == "refusal" and isinstance(part.get("refusal"), str):
        return Text(part["refusal"], part)
    if kind == "input_image":
        url, file_id = part.get("image_url"), part.get("file_id")
        if isinstance(url, str) and url:
            return blocks.url_image(url, part)
        if isinstance(file_id, str) and file_id:
            return Image(file_id=file_id, raw=part)
    return blocks.opaque(part)


def _read_reasoning(item: Mapping[str, Any]) -> Thinking:
    texts = _read_content(item.get("content"), "content")
    texts = texts or _read_content(item.get("summary"), "summary")
    text = "\n".join(part.text for part in texts if isinstance(part, Text))
    signature = blocks.as_text(item.get("encrypted_content"))
    return Thinking(text, signature, redacted=bool(signature and not text), raw=item)


def _read_call(kind: str, item: Mapping[str, Any]) -> Call:
    known = CALLS[kind]
    given: Any = item.get(known.input)
    if known.kind == "function":
        given = read_arguments(given)
    else:
        given = blocks.call_input(given or ("" if known.kind == "custom" else {}))
    name = known.name or blocks.as_text(item.get("name"))
    return Call(blocks.as_id(item.get("call_id")), name, given, known.kind, item)


def _read_output(kind: str, item: Mapping[str, Any]) -> Result:
    output, call_id, failed = item.get("output"), item.get("call_id"), False
    content: tuple[Content, ...]
    if kind == "shell_call_output":
        content, failed = read_chunks(output)
    else:
        content = _read_content(output, "output")
    if kind == "apply_patch_call_output":
        failed = item.get("status") == "failed"
    if kind == "local_shell_call_output" and call_id is None:
        call_id = item.get("id")  # so the SDK calls it; the API wants call_id
    return Result(blocks.as_id(call_id), content, failed, OUTPUTS[kind], item)
