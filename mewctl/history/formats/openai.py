"""The ``openai`` format: messages of Chat Completions.

A call's arguments are a JSON string; text that is no JSON object stays text. Each
result is a record of role ``tool``. ``developer`` is system. Legacy function calls
have no id: the function's name stands for it. ``reasoning_content``, which vendors
add, is thinking. A whole Chat Completion can be viewed as its first choice's message.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mewctl.history.formats import blocks
from mewctl.history.formats.openai_make import (
    OPAQUE_TYPES,
    call_entry,
    content_of,
    image_part,
    make,
    read_arguments,
    result_record,
    write_arguments,
)
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
    from collections.abc import Mapping, Sequence

__all__ = [
    "KEYS",
    "NAME",
    "OPAQUE_TYPES",
    "RESULTS_TOGETHER",
    "first_message",
    "make",
    "rebuild",
    "results_records",
    "view",
]

NAME = "openai"
RESULTS_TOGETHER = False
#: The keys of a record that the view shows.
KEYS = frozenset(
    {
        "role",
        "content",
        "tool_calls",
        "tool_call_id",
        "function_call",
        "refusal",
        "reasoning_content",
        "audio",
        "id",
        "model",
        "usage",
    }
)

_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}


class _Key(dict[str, Any]):
    """``raw`` of a part that is no block: the record's own key with its value."""


class _Entry(dict[str, Any]):
    """``raw`` of an opaque part that stands among the ``tool_calls``."""


# --- reading ---


def view(value: Mapping[str, Any]) -> Message:
    """The view of a record. One of an unknown role is one opaque part.

    Raises ``ValueError``.
    """
    role = value.get("role")
    if role is None:
        return _view_completion(value)
    known = _ROLES.get(role) if isinstance(role, str) else None
    if known is None:
        return blocks.unknown(value)
    usage = value.get("usage")
    return Message(
        known,
        _parts(value),
        model=blocks.as_optional(value.get("model")),
        usage=None if usage is None else normalise(usage),
        id=blocks.as_optional(value.get("id")),
    )


def _view_completion(value: Mapping[str, Any]) -> Message:
    inner = first_message(value)
    if inner is None:
        return blocks.unknown(value)
    return replace(
        view(inner),
        time=blocks.as_time(value.get("created")),
        model=blocks.as_optional(value.get("model")),
        usage=normalise(value.get("usage")),
        id=blocks.as_optional(value.get("id")),
    )


def first_message(value: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The message of a Chat Completion's first choice; None if there is none."""
    choices = value.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        message = choices[0].get("message")
        if isinstance(message, dict) and isinstance(message.get("role"), str):
            return message
    return None


def _parts(value: Mapping[str, Any]) -> tuple[Part, ...]:
    role, content = value["role"], value.get("content")
    if role in ("tool", "function"):
        key = "tool_call_id" if role == "tool" else "name"
        result = tuple(_read_content(content))
        return (Result(blocks.as_id(value.get(key)), result, raw=value),)
    if isinstance(content, str) and len(value) == 2:  # noqa: PLR2004  (role, content)
        return (Text(content),)
    parts: list[Part] = []
    reasoning = value.get("reasoning_content")
    if isinstance(reasoning, str) and reasoning:
        parts.append(Thinking(reasoning, raw=_Key(reasoning_content=reasoning)))
    parts += _read_content(content)
    refusal = value.get("refusal")
    if isinstance(refusal, str) and refusal:
        parts.append(Text(refusal, _Key(refusal=refusal)))
    audio = value.get("audio")
    if isinstance(audio, dict):
        parts.append(blocks.opaque(_Key(audio=audio), "audio"))
    legacy = value.get("function_call")
    if isinstance(legacy, dict):
        parts.append(_read_legacy(legacy))
    for item in blocks.as_list(value.get("tool_calls"), "tool_calls"):
        parts.append(_read_call(blocks.as_mapping(item, "tool_calls")))
    if not parts and content == "":
        return (Text(""),)
    return tuple(parts)


def _read_content(content: object) -> list[Content]:
    if isinstance(content, str):
        return [Text(content)] if content else []
    items = blocks.as_list(content, "content")
    return [_read_part(blocks.as_mapping(item, "content")) for item in items]


def _read_part(part: Mapping[str, Any]) -> Content:
    kind = part.get("type")
    if kind in ("text", "refusal") and isinstance(part.get(kind), str):
        return Text(part[kind], part)
    if kind == "image_url":
        image = part.get("image_url")
        url = image.get("url") if isinstance(image, dict) else image
        if isinstance(url, str) and url:
            return blocks.url_image(url, part)
    return blocks.opaque(part)


def _read_legacy(call: Mapping[str, Any]) -> Call:
    name = blocks.as_text(call.get("name"))
    arguments = read_arguments(call.get("arguments"))
    return Call(name, name, arguments, raw=_Key(function_call=call))


def _read_call(entry: Mapping[str, Any]) -> Call | Opaque:
    call_id = blocks.as_id(entry.get("id"))
    function, custom = entry.get("function"), entry.get("custom")
    if isinstance(function, dict):
        name = blocks.as_text(function.get("name"))
        arguments = read_arguments(function.get("arguments"))
        return Call(call_id, name, arguments, raw=entry)
    if isinstance(custom, dict):
        name = blocks.as_text(custom.get("name"))
        text = blocks.call_input(custom.get("input") or "")
        return Call(call_id, name, text, "custom", entry)
    return blocks.opaque(_Entry(entry))


# --- changing ---


def rebuild(value: Mapping[str, Any], parts: Sequence[Part]) -> dict[str, Any] | None:
    """``value`` with ``parts`` for its parts; None if nothing is left to say.

    A record of role ``tool`` holds one result and nothing else: ``ValueError``.
    """
    if not parts:
        return None
    role = value.get("role")
    if role is None:
        return _rebuild_completion(value, parts)
    if not isinstance(role, str) or role not in _ROLES:
        return dict(value)
    if role in ("tool", "function"):
        return _rebuild_result(value, parts)
    before = _parts(value)
    record = dict(value)
    _rebuild_keys(record, parts, before)
    _rebuild_calls(record, parts, before)
    own, old = _own(parts), _own(before)
    if own != old:
        record["content"] = _keep_content(value.get("content"), own)
    return record


def _rebuild_completion(
    value: Mapping[str, Any], parts: Sequence[Part]
) -> dict[str, Any]:
    inner = first_message(value)
    if inner is None:
        return dict(value)
    message = rebuild(inner, parts)
    first, *rest = value["choices"]
    return {**value, "choices": [{**first, "message": message}, *rest]}


def _rebuild_result(value: Mapping[str, Any], parts: Sequence[Part]) -> dict[str, Any]:
    result = parts[0]
    if len(parts) != 1 or not isinstance(result, Result):
        raise ValueError("a record of role tool holds one result and nothing else")
    if not result.edited:
        return dict(value)
    return {**value, "content": _keep_result_content(value, result)}


def _keep_result_content(value: Mapping[str, Any], result: Result) -> Any:
    if isinstance(value.get("content"), list):
        return [_keep_part(part) for part in result.content]
    return content_of([_keep_part(part) for part in result.content])


def _rebuild_keys(
    record: dict[str, Any], parts: Sequence[Part], before: Sequence[Part]
) -> None:
    """Write the keys that are parts; take out those whose part was left out."""
    held = {key: part for part in parts for key in _key_of(part)}
    for part in before:
        for key in _key_of(part):
            if key in held:
                record[key] = _keep_key(held[key], key)
            else:
                record.pop(key)


def _key_of(part: Part) -> tuple[str, ...]:
    return tuple(part.raw) if isinstance(part.raw, _Key) else ()


def _keep_key(part: Part, key: str) -> Any:
    raw: Any = part.raw
    if isinstance(part, (Text, Thinking)):
        return part.text
    if isinstance(part, Call) and part.edited:
        return {**raw[key], "arguments": write_arguments(part.input)}
    return raw[key]


def _rebuild_calls(
    record: dict[str, Any], parts: Sequence[Part], before: Sequence[Part]
) -> None:
    calls = [part for part in parts if _is_entry(part)]
    if calls == [part for part in before if _is_entry(part)]:
        return
    if calls:
        record["tool_calls"] = [_keep_call(part) for part in calls]
    else:
        record.pop("tool_calls", None)
        record.setdefault("content", None)


def _is_entry(part: Part) -> bool:
    if isinstance(part, Call):
        return not isinstance(part.raw, _Key)
    return isinstance(part.raw, _Entry)


def _own(parts: Sequence[Part]) -> list[Part]:
    """The parts that stand in ``content``."""
    return [
        part for part in parts if not _is_entry(part) and not isinstance(part.raw, _Key)
    ]


def _keep_call(part: Part) -> dict[str, Any]:
    if not isinstance(part, Call):
        return dict(part.raw or {})
    raw = part.raw
    if raw is None:
        return call_entry(part.id, part.name, part)
    if not part.edited:
        return dict(raw)
    if part.kind == "custom":
        return {
            **raw,
            "custom": {**raw["custom"], "input": write_arguments(part.input)},
        }
    function = {**raw["function"], "arguments": write_arguments(part.input)}
    return {**raw, "function": function}


def _keep_content(before: object, parts: Sequence[Part]) -> Any:
    kept = [_keep_part(part) for part in parts]
    return kept if isinstance(before, list) and kept else content_of(kept)


def _keep_part(part: Part) -> dict[str, Any]:
    if isinstance(part, Text) and part.raw is not None:
        key = "refusal" if part.raw.get("type") == "refusal" else "text"
        return {**part.raw, key: part.text}
    if isinstance(part, (Image, Opaque)) and part.raw is not None:
        return dict(part.raw)
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    if isinstance(part, Image):
        return image_part(part)
    raise ValueError(f"no place for a {type(part).__name__.lower()} in this record")


# --- results ---


def results_records(results: Sequence[Result]) -> list[dict[str, Any]]:
    """A record of role ``tool`` for each result."""
    return [_keep_result(result) for result in results]


def _keep_result(result: Result) -> dict[str, Any]:
    raw = result.raw
    if raw is not None and raw.get("role") in ("tool", "function"):
        return _rebuild_result(raw, [result])
    content = content_of([_keep_part(part) for part in result.content])
    return result_record(result.call_id, content)
