"""The parts of records as the APIs' references describe them. Knows nothing of mewctl.

What a request needs of each block, by its type: which keys, and of which JSON type.
Types that are not listed are not looked at. Each judge yields what is wrong, in words.
"""

from __future__ import annotations

import re

_NAME = re.compile(r"[A-Za-z0-9_-]+")
_MEDIA = {"image/jpeg", "image/png", "image/gif", "image/webp"}


def _lacks(block, **types):
    for key, kind in types.items():
        if not isinstance(block.get(key), kind):
            yield f"{block.get('type')}: {key} is {block.get(key)!r}"


def _name(block, most):
    name = block.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name) or len(name) > most:
        yield f"{block.get('type')}: the API takes no name {name!r}"


# --- Messages API ---


def anthropic(block):
    kind = block.get("type")
    if not isinstance(kind, str):
        yield f"a block of type {kind!r}"
    yield from _lacks(block, **_ANTHROPIC.get(kind, {}))
    if kind == "tool_use":
        yield from _name(block, 128)
    if kind == "image":
        yield from _image(block)
    if kind == "tool_result":
        yield from _result(block)


_ANTHROPIC = {
    "text": {"text": str},
    "thinking": {"thinking": str, "signature": str},
    "redacted_thinking": {"data": str},
    "tool_use": {"id": str, "input": dict},
    "tool_result": {"tool_use_id": str},
}


def _result(block):
    if not isinstance(block.get("content", ""), (str, list)):
        yield f"tool_result: content is {block['content']!r}"
    if not isinstance(block.get("is_error", False), bool):
        yield f"tool_result: is_error is {block['is_error']!r}"
    for inner in block.get("content") or ():
        if isinstance(inner, dict):
            yield from anthropic(inner)


def _image(block):
    source = block.get("source")
    if not isinstance(source, dict):
        yield f"image: source is {source!r}"
    elif source.get("type") == "base64":
        yield from _lacks(source, data=str)
        if source.get("media_type") not in _MEDIA:
            yield f"image: media_type is {source.get('media_type')!r}"
    elif source.get("type") in ("url", "file"):
        yield from _lacks(
            source, **{{"url": "url", "file": "file_id"}[source["type"]]: str}
        )


# --- Chat Completions ---


def openai(message):
    role, content = message["role"], message.get("content")
    if role in ("system", "developer", "user") and not isinstance(content, (str, list)):
        yield f"{role}: content is {content!r}"
    if content == []:
        yield "content is an empty array"
    for part in content if isinstance(content, list) else ():
        yield from _part(role, part)
    if role == "tool":
        yield from _lacks(message, tool_call_id=str)
    if "tool_calls" in message and not message["tool_calls"]:
        yield f"tool_calls is {message['tool_calls']!r}"
    for call in message.get("tool_calls") or ():
        yield from _call(call)


def _part(role, part):
    kind = part.get("type")
    allowed = {
        "user": ("text", "image_url", "input_audio", "file"),
        "assistant": ("text", "refusal"),
    }.get(role, ("text",))
    if kind not in allowed:
        yield f"{role}: a part of type {kind!r}"
    if kind in ("text", "refusal"):
        yield from _lacks(part, **{kind: str})
    if kind == "image_url":
        yield from _lacks(part, image_url=dict)
        image = part.get("image_url")
        yield from _lacks(image, url=str) if isinstance(image, dict) else ()


def _call(call):
    kind = call.get("type")
    yield from _lacks(call, id=str)
    if kind not in ("function", "custom"):
        yield f"a call of type {kind!r}"
        return
    inner = call.get(kind) or {}
    yield from _lacks(inner, **{"arguments" if kind == "function" else "input": str})
    yield from _name(inner, 64)


# --- Responses API ---

_CALLS = {"function_call": "arguments", "custom_tool_call": "input"}
_OUTPUTS = ("function_call_output", "custom_tool_call_output")


def responses(item):
    kind = item.get("type", "message")
    if kind in _CALLS:
        yield from _lacks(item, call_id=str, **{_CALLS[kind]: str})
        yield from _name(item, 64)
    if kind in _OUTPUTS:
        yield from _lacks(item, call_id=str)
    if kind == "reasoning":
        yield from _lacks(item, summary=list)
    content = item.get("content") if kind == "message" else item.get("output")
    for part in content if isinstance(content, list) else ():
        if part.get("type") in ("input_text", "output_text"):
            yield from _lacks(part, text=str)
        if kind == "message":
            yield from _said(item.get("role"), part)


def _said(role, part):
    theirs, others = ("output_text", "refusal"), ("input_text", "text")
    if part.get("type") in (others if role == "assistant" else theirs):
        yield f"{role}: a part of type {part['type']!r}"
