"""The ``anthropic`` format: messages of the Messages API.

Text or block content; results stand in user messages, before any text. ``system``
records are accepted as the SDK accepts them. A whole Messages response can be viewed
as the message it is. Documents, server tools, citations, compaction and unknown blocks
are opaque. A user message that holds nothing but results is viewed in role ``tool``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mewctl import limits
from mewctl.history.formats import blocks
from mewctl.history.usage import normalise
from mewctl.history.view import (
    Call,
    Content,
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
    from collections.abc import Iterable, Mapping, Sequence

    from mewctl.history.losses import Losses

NAME = "anthropic"
RESULTS_TOGETHER = True
#: The keys of a record that the view shows, or that say nothing a message needs.
KEYS = frozenset(
    {"role", "content", "id", "type", "model", "usage", "stop_reason", "stop_sequence"}
)

#: Block types of the API that the view shows as opaque (SDK 2.15 and its betas).
OPAQUE_TYPES = frozenset(
    {
        "advisor_tool_result",
        "bash_code_execution_tool_result",
        "browser_state",
        "code_execution_tool_result",
        "compaction",
        "container_upload",
        "document",
        "fallback",
        "mcp_tool_result",
        "mcp_tool_use",
        "mid_conv_system",
        "search_result",
        "server_tool_use",
        "text_editor_code_execution_tool_result",
        "tool_addition",
        "tool_reference",
        "tool_removal",
        "tool_search_tool_result",
        "web_fetch_tool_result",
        "web_search_tool_result",
    }
)

_ROLES: dict[str, Role] = {
    "user": "user",
    "assistant": "assistant",
    "system": "system",
}


# --- reading ---


def view(value: Mapping[str, Any]) -> Message:
    """The view of a record. One of an unknown role is one opaque part.

    Raises ``ValueError``.
    """
    role = _role(value)
    if role is None:
        return blocks.unknown(value)
    content = value.get("content")
    parts = (Text(content),) if isinstance(content, str) else _parts(content)
    if role == "user" and parts and isinstance(parts[0], Result):
        others = [part for part in parts if not isinstance(part, Result)]
        role = role if others else "tool"
    if len(value) == 2:  # noqa: PLR2004  (role and content: most records)
        return Message(role, parts)
    usage = value.get("usage")
    return Message(
        role,
        parts,
        model=blocks.as_optional(value.get("model")),
        usage=None if usage is None else normalise(usage),
        id=blocks.as_optional(value.get("id")),
    )


def _role(value: Mapping[str, Any]) -> Role | None:
    role = value.get("role")
    return _ROLES.get(role) if isinstance(role, str) else None


def _parts(content: object) -> tuple[Part, ...]:
    items = blocks.as_list(content, "content")
    return tuple([_read(blocks.as_mapping(item, "content")) for item in items])


def _read(block: Mapping[str, Any]) -> Part:
    kind = block.get("type")
    if kind == "tool_use":
        return Call(
            blocks.as_id(block.get("id")),
            blocks.as_text(block.get("name")),
            blocks.call_input(block.get("input")),
            raw=block,
        )
    if kind == "tool_result":
        return Result(
            blocks.as_id(block.get("tool_use_id")),
            blocks.read_content(block.get("content"), "content of a tool_result"),
            block.get("is_error") is True,
            raw=block,
        )
    return blocks.read_block(block)


# --- changing ---


def rebuild(value: Mapping[str, Any], parts: Sequence[Part]) -> dict[str, Any] | None:
    """``value`` with ``parts`` for its content; None if nothing is left to say."""
    if not parts:
        return None
    if _role(value) is None:
        return dict(value)
    first = parts[0]
    if (
        len(parts) == 1
        and isinstance(first, Text)
        and first.raw is None
        and not isinstance(value.get("content"), list)
    ):
        return {**value, "content": first.text}
    return {**value, "content": [_keep(part) for part in parts]}


def _keep(part: Part) -> dict[str, Any]:
    if isinstance(part, Call):
        return _keep_call(part)
    if isinstance(part, Result):
        return _keep_result(part)
    return blocks.keep_block(part)


def _keep_call(call: Call) -> dict[str, Any]:
    if call.raw is None:
        return _call_block(call.id, call.name, _object(call.input))
    if not call.edited:
        return dict(call.raw)
    return {**call.raw, "input": _object(call.input)}


def _keep_result(result: Result) -> dict[str, Any]:
    raw = result.raw
    if raw is None or raw.get("type") != "tool_result":
        content = blocks.write_content(result.content)
        return _result_block(result.call_id, content, is_error=result.is_error)
    if not result.edited:
        return dict(raw)
    content = blocks.keep_content(raw.get("content"), result.content)
    return {**raw, "content": content}


# --- making ---


def make(message: Message, losses: Losses) -> list[dict[str, Any]]:
    """Records that say ``message`` to the API; what it cannot take is counted.

    One record, or none; results that stand among an assistant's own words become user
    records between them. Ids and tool names the API would refuse are made safe, the
    same way each time.
    """
    if message.role in ("user", "tool"):
        return _record("user", _write_all("user", message.parts, losses))
    records: list[dict[str, Any]] = []
    for are_results, parts in blocks.runs(message.parts):
        role: Role = "user" if are_results else message.role
        records += _record(role, _write_all(role, parts, losses))
    return records


def results_records(results: Sequence[Result]) -> list[dict[str, Any]]:
    """One user record with ``results``; none for no results."""
    if not results:
        return []
    return [{"role": "user", "content": [_keep_result(part) for part in results]}]


def _record(role: Role, content: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if not content:
        return []
    first = content[0]
    if len(content) == 1 and first.keys() == {"type", "text"}:
        return [{"role": role, "content": first["text"]}]
    return [{"role": role, "content": content}]


def _write_all(
    role: Role, parts: Iterable[Part], losses: Losses
) -> list[dict[str, Any]]:
    written = (_write(role, part, losses) for part in parts)
    return [block for block in written if block is not None]


def _write(role: Role, part: Part, losses: Losses) -> dict[str, Any] | None:
    """A block that says ``part`` in a message of ``role``; None if there is none."""
    if isinstance(part, Text) and not part.text:
        return None
    loss = _refused(role, part)
    if loss:
        losses.add(loss)
        return None
    if isinstance(part, Result):
        return _write_result(part, losses)
    if isinstance(part, Call):
        return _write_call(part, losses)
    return blocks.write_block(part)


#: Who alone may say a part to the API.
_SPEAKERS: dict[type, tuple[Role, str]] = {
    Image: ("user", "image"),
    Thinking: ("assistant", "thinking"),
    Call: ("assistant", "tool call"),
}


def _refused(role: Role, part: Part) -> str:
    """The kind of loss if the API does not take ``part`` from ``role``, else ""."""
    speaker, word = _SPEAKERS.get(type(part), (role, ""))
    if role != speaker:
        return f"{role} {word}"
    if isinstance(part, Image):
        return blocks.refused_image(part)
    if isinstance(part, Text) and part.text.isspace():
        return "blank text"
    if isinstance(part, Thinking) and not part.signature:
        return "thinking without a signature"
    if isinstance(part, Opaque) and not _is_own(part):
        return f"unknown block {part.kind}"
    return ""


def _is_own(part: Opaque) -> bool:
    """Whether an opaque part is a block of this API."""
    if part.kind == "compaction":  # so is an item of the Responses API called
        return "content" in part.raw
    return part.kind in OPAQUE_TYPES


def _write_call(call: Call, losses: Losses) -> dict[str, Any]:
    if call.kind != "function":
        losses.add(f"kind of a {call.kind} call")
    if isinstance(call.input, str):
        losses.add("text as a call's input")
    name = blocks.safe_name(call.name, limits.ANTHROPIC_NAME_CHARS)
    if name != call.name:
        losses.add("tool name")
    return _call_block(_safe(call.id, losses), name, _object(call.input))


def _write_result(result: Result, losses: Losses) -> dict[str, Any]:
    if result.kind != "function":
        losses.add(f"kind of a {result.kind} result")
    kept: list[Content] = []
    for part in result.content:
        told = isinstance(part, (Opaque, Image))
        if told and (loss := _refused("user", part)):
            losses.add(loss)
        elif not isinstance(part, Text) or part.text:
            kept.append(part)
    content = blocks.write_content(kept)
    call_id = _safe(result.call_id, losses)
    return _result_block(call_id, content, is_error=result.is_error)


def _safe(call_id: str, losses: Losses) -> str:
    if blocks.is_name(call_id):
        return call_id
    losses.add("id of a call")
    return blocks.safe_id(call_id)


def _object(value: Mapping[str, Any] | str) -> Mapping[str, Any]:
    """The input of a call as the object the API asks for; text is put into one."""
    return {"input": value} if isinstance(value, str) else value


def _call_block(call_id: str, name: str, value: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": value}


def _result_block(
    call_id: str, content: str | list[Any], *, is_error: bool
) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": call_id}
    block["content"] = content
    if is_error:
        block["is_error"] = True
    return block
