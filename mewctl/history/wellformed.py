"""Records whose parts have what their API asks for, each in the form it asks for.

Agents write a text block without a text, numbers for ids, ``tool_calls: []``, arguments
as an object: an API refuses the whole request for one of them. Here such a record is
set right, without a look at any other; what stands in a part is kept, and a part in
which nothing stands is left out. Blocks of unknown types are not touched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mewctl import limits
from mewctl.history.formats import blocks, mew
from mewctl.history.formats.responses_items import CALLS, OUTPUTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Block = Mapping[str, Any]
    Mend = Callable[[Block], Block | None]

_SOURCES = {"base64": "data", "url": "url", "file": "file_id"}


def well_formed(value: Mapping[str, Any], form: str) -> Mapping[str, Any]:
    """``value``, a record of ``form``, set right; the very object if it is right.

    ``mew`` is no API's format: of its records, those in envelopes are looked at.
    """
    if form == mew.NAME:
        inner = mew.inner(value)
        if inner is None:
            return value
        record = well_formed(value["record"], inner.NAME)
        return value if record is value["record"] else {**value, "record": record}
    return _MENDS[form](value)


# --- parts of any API ---


def _listed(value: Block, key: str, mend: Mend) -> Block:
    """``value`` with the objects in the array at ``key`` set right."""
    items = value.get(key)
    if not isinstance(items, list):
        return value
    made = [mend(item) if isinstance(item, dict) else item for item in items]
    if all(one is other for one, other in zip(made, items, strict=True)):
        return value
    return {**value, key: [item for item in made if item is not None]}


def _type(block: Block) -> str:
    return blocks.as_text(block.get("type"))


def _with(block: Block, key: str, new: object) -> Block:
    """``block`` with ``new`` at ``key``: the very object if that is there."""
    if key in block and block[key] is new:
        return block
    return {**block, key: new}


def _without(block: Block, key: str) -> Block:
    return {name: item for name, item in block.items() if name != key}


def _text(block: Block, key: str = "text") -> Block | None:
    """A block with a string at ``key``; none where nothing stands there."""
    text = block.get(key)
    if isinstance(text, str):
        return block
    return None if text is None else {**block, key: blocks.json_text(text)}


def _id(block: Block, key: str) -> Block:
    """A block whose id is text; what is no id at all is repair's to name anew."""
    found = block.get(key)
    return block if isinstance(found, str) else _with(block, key, blocks.as_id(found))


def _name(block: Block, most: int) -> Block:
    name = blocks.as_text(block.get("name"))
    safe = name if blocks.is_name(name) else blocks.safe_name(name, most)
    if len(safe) > most:
        safe = blocks.safe_name(safe, most)
    return block if safe == block.get("name") else {**block, "name": safe}


def _as_text(block: Block, key: str, nothing: str) -> Block:
    """A block with text at ``key``: JSON of what is none, ``nothing`` for nothing."""
    found = block.get(key)
    if isinstance(found, str):
        return block
    return {**block, key: nothing if found is None else blocks.json_text(found)}


# --- Messages API ---


def _anthropic(value: Block) -> Block:
    return _listed(value, "content", _anthropic_block)


def _anthropic_block(block: Block) -> Block | None:
    mend = _ANTHROPIC.get(_type(block))
    if mend is not None:
        return mend(block)
    if block.get("type") is None and isinstance(block.get("text"), str):
        return {"type": "text", **block}
    return block


def _thinking(block: Block) -> Block | None:
    if isinstance(block.get("thinking"), str):
        return block
    signed = blocks.as_optional(block.get("signature"))
    return {**block, "thinking": ""} if signed and not block.get("thinking") else None


def _redacted(block: Block) -> Block | None:
    return block if isinstance(block.get("data"), str) else None


def _image(block: Block) -> Block | None:
    """An image; none if there is no source, or a source without what it names."""
    source = block.get("source")
    if not isinstance(source, dict):
        return None
    key = _SOURCES.get(blocks.as_text(source.get("type")))
    return block if key is None or blocks.as_optional(source.get(key)) else None


def _use(block: Block) -> Block:
    made = _name(_id(block, "id"), limits.ANTHROPIC_NAME_CHARS)
    given = made.get("input")
    if isinstance(given, dict):
        return made
    return {**made, "input": {} if given is None else {"input": given}}


def _result(block: Block) -> Block:
    made = _id(block, "tool_use_id")
    if "content" in made and made["content"] is None:
        made = {**made, "content": ""}
    if not isinstance(made.get("is_error", False), bool):
        made = _without(made, "is_error")
    return _listed(made, "content", _anthropic_block)


_ANTHROPIC: dict[str, Mend] = {
    "text": _text,
    "thinking": _thinking,
    "redacted_thinking": _redacted,
    "image": _image,
    "tool_use": _use,
    "tool_result": _result,
}


# --- Chat Completions ---


def _openai(value: Block) -> Block:
    role = value.get("role")
    if role == "tool":
        value = _id(value, "tool_call_id")
    elif role == "assistant" and "tool_calls" in value:
        value = _listed(value, "tool_calls", _openai_call)
        if not value["tool_calls"]:
            value = _without(value, "tool_calls")
    return _listed(value, "content", _openai_part)


def _openai_call(call: Block) -> Block:
    made = _id(call, "id")
    for kind, text, nothing in (
        ("function", "arguments", "{}"),
        ("custom", "input", ""),
    ):
        given = made.get(kind)
        if isinstance(given, dict):
            named = _name(given, limits.OPENAI_NAME_CHARS)
            made = _with(made, kind, _as_text(named, text, nothing))
            return made if made.get("type") == kind else {**made, "type": kind}
    return made


def _openai_part(part: Block) -> Block | None:
    kind = _type(part)
    if kind in ("text", "refusal"):
        return _text(part, kind)
    if kind == "image_url":
        image = part.get("image_url")
        if isinstance(image, str) and image:
            return {**part, "image_url": {"url": image}}
        named = isinstance(image, dict) and blocks.as_optional(image.get("url"))
        return part if named else None
    if part.get("type") is None and isinstance(part.get("text"), str):
        return {"type": "text", **part}
    return part


# --- Responses API ---


def _responses(value: Block) -> Block:
    kind = value.get("type")
    if not isinstance(kind, str) or kind == "message":
        theirs = value.get("role") == "assistant"
        return _listed(value, "content", _said_by_model if theirs else _said_to_model)
    if kind in CALLS or kind in OUTPUTS:
        value = value if kind == "local_shell_call_output" else _id(value, "call_id")
    if kind == "reasoning":
        summary = isinstance(value.get("summary"), list)
        return value if summary else {**value, "summary": []}
    if kind in ("function_call", "custom_tool_call"):
        value = _name(value, limits.OPENAI_NAME_CHARS)
        key, nothing = CALLS[kind].input, "{}" if kind == "function_call" else ""
        return _as_text(value, key, nothing)
    return _listed(value, "output", _responses_part) if kind in OUTPUTS else value


def _responses_part(part: Block) -> Block | None:
    kind = _type(part)
    if kind in ("input_text", "output_text"):
        return _text(part)
    return _text(part, "refusal") if kind == "refusal" else part


_TEXTS = frozenset({"text", "input_text", "output_text", "summary_text"})


def _said_by_model(part: Block) -> Block | None:
    """A part of the assistant's message, whose texts have a type of their own."""
    kind = _type(part)
    if kind in _TEXTS and kind != "output_text":
        return _text({**part, "type": "output_text"})
    return _responses_part(part)


def _said_to_model(part: Block) -> Block | None:
    """A part of anybody else's message; what only answers have goes with their type."""
    kind = _type(part)
    key = "refusal" if kind == "refusal" else "text"
    if kind == key or (kind in _TEXTS and kind != "input_text"):
        return _text({"type": "input_text", "text": part.get(key)})
    return _responses_part(part)


_MENDS: dict[str, Callable[[Block], Block]] = {
    "anthropic": _anthropic,
    "openai": _openai,
    "responses": _responses,
}
