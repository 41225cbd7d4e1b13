"""Making items of the Responses API from views: a half of ``formats.responses``.

Owns what the API takes; what it cannot take is counted as lost. Must not read records.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from mewctl import limits
from mewctl.history.formats import blocks
from mewctl.history.formats.openai_make import reads_back, write_arguments
from mewctl.history.formats.responses_items import (
    CALL_OF,
    CALLS,
    OPAQUE_CONTENT,
    OUTPUT_OF,
    is_item,
)
from mewctl.history.formats.responses_shell import new_chunks
from mewctl.history.losses import Losses
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

if TYPE_CHECKING:
    from collections.abc import Sequence


def make(message: Message, losses: Losses) -> list[dict[str, Any]]:
    """Items that say ``message`` to the API; what it cannot take is counted.

    Words in a row are one message; everything else is an item of its own, in its
    place. Ids and names that the API would refuse are made safe, the same way each
    time.
    """
    role: Role = "user" if message.role == "tool" else message.role
    items: list[dict[str, Any]] = []
    for are_words, group in groupby(message.parts, lambda part: _is_words(role, part)):
        if are_words:
            items += _message(role, list(group), losses)
        else:
            items += [item for part in group for item in _item(role, part, losses)]
    return items


def _is_words(role: Role, part: Part) -> bool:
    if isinstance(part, Opaque):
        return role == "user" and part.kind in OPAQUE_CONTENT
    return isinstance(part, (Text, Image))


def _message(role: Role, parts: Sequence[Part], losses: Losses) -> list[dict[str, Any]]:
    kept: list[dict[str, Any]] = []
    for part in parts:
        loss = blocks.refused_image(part) if isinstance(part, Image) else ""
        if isinstance(part, Image) and role != "user":
            loss = f"{role} image"
        if loss:
            losses.add(loss)
        elif not isinstance(part, Text) or part.text:
            kept.append(write_part(part, role))
    return [{"role": role, "content": content_of(kept)}] if kept else []


def write_part(part: Part, role: str) -> dict[str, Any]:
    """Text, an image or a file as content of ``role``, whatever it was read from."""
    if isinstance(part, Text):
        kind = "output_text" if role == "assistant" else "input_text"
        return {"type": kind, "text": part.text}
    if isinstance(part, Image):
        if part.file_id:
            return {"type": "input_image", "file_id": part.file_id}
        data = f"data:{part.media_type};base64,{part.data}"
        return {"type": "input_image", "image_url": part.url or data}
    return dict(part.raw or {})


def content_of(parts: list[dict[str, Any]]) -> Any:
    """Content in its plainest form: one text, or parts."""
    if not parts:
        return ""
    plain = len(parts) == 1 and parts[0].keys() == {"type", "text"}
    return parts[0]["text"] if plain else parts


# --- items ---


def new_item(part: Part) -> dict[str, Any]:
    """The item of the assistant that says ``part``, or that answers it."""
    made = make(Message("assistant", (part,)), Losses())
    if not made:
        raise ValueError(f"no place for a {type(part).__name__.lower()} in this record")
    return made[0]


def _item(role: Role, part: Part, losses: Losses) -> list[dict[str, Any]]:
    if isinstance(part, Result):
        return [_write_result(part, losses)]
    if isinstance(part, Opaque):
        if is_item(part.raw):
            return [dict(part.raw)]
        losses.add(f"unknown block {part.kind}")
    elif role != "assistant":
        word = "tool call" if isinstance(part, Call) else "thinking"
        losses.add(f"{role} {word}")
    elif isinstance(part, Call):
        return [_write_call(part, losses)]
    else:
        return _write_thinking(part, losses) if isinstance(part, Thinking) else []
    return []


def _write_thinking(part: Thinking, losses: Losses) -> list[dict[str, Any]]:
    if not part.signature:
        losses.add("thinking without a signature")
        return []
    losses.add("redacted mark of thinking", part.redacted != (not part.text))
    summary = [{"type": "summary_text", "text": part.text}] if part.text else []
    return [
        {
            "type": "reasoning",
            "summary": summary,
            "encrypted_content": part.signature,
        }
    ]


def _write_call(call: Call, losses: Losses) -> dict[str, Any]:
    kind = CALL_OF[call.kind]
    known = CALLS[kind]
    name = known.name or blocks.safe_name(call.name, limits.OPENAI_NAME_CHARS)
    losses.add("tool name", name != call.name)
    item: dict[str, Any] = {"type": kind, "call_id": _safe(call.id, losses)}
    if not known.name:
        item["name"] = name
        losses.add("kind of a call's input", not reads_back(call))
    elif isinstance(call.input, str):
        losses.add("text as a call's input")
        call = call.with_input({"input": call.input})
    item[known.input] = written_input(call)
    if known.kind in ("local_shell", "apply_patch"):
        item["status"] = "completed"  # the API asks for it
    return item


def written_input(call: Call) -> Any:
    """The input of a call as its item holds it: text, or an object."""
    as_text = not CALLS[CALL_OF[call.kind]].name
    return write_arguments(call.input) if as_text else call.input


def _write_result(result: Result, losses: Losses) -> dict[str, Any]:
    kind = OUTPUT_OF[result.kind]
    item: dict[str, Any] = {"type": kind, "call_id": _safe(result.call_id, losses)}
    if result.kind in ("function", "custom"):
        losses.add("error mark of a result", result.is_error)
        item["output"] = content_of(_content(result, losses))
        return item
    text = _one_text(result, losses)
    if result.kind == "shell":
        item["output"] = new_chunks(text, failed=result.is_error)
        return item
    item["output"] = text
    if result.kind == "apply_patch":
        item["status"] = "failed" if result.is_error else "completed"
    else:
        losses.add("error mark of a result", result.is_error)
    return item


def _one_text(result: Result, losses: Losses) -> str:
    texts = 0
    for part in result.content:
        if isinstance(part, Text):
            texts += bool(part.text)
        elif isinstance(part, Image):
            losses.add("image in a result")
        else:
            losses.add(f"unknown block {part.kind}")
    losses.add("border between texts of a result", texts - 1)
    return result.text


def _content(result: Result, losses: Losses) -> list[dict[str, Any]]:
    kept: list[dict[str, Any]] = []
    for part in result.content:
        loss = blocks.refused_image(part) if isinstance(part, Image) else ""
        if isinstance(part, Opaque) and part.kind != "input_file":
            loss = f"unknown block {part.kind}"
        if loss:
            losses.add(loss)
        elif not isinstance(part, Text) or part.text:
            kept.append(write_part(part, "user"))
    return kept


def _safe(call_id: str, losses: Losses) -> str:
    if 0 < len(call_id) <= limits.RESPONSES_ID_CHARS:
        return call_id
    losses.add("id of a call")
    return blocks.safe_id(call_id)
