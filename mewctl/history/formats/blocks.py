"""What the formats share: content blocks, odd values, records that are no message.

The blocks are Anthropic's (text, thinking, image); ``mew`` uses the same. Owns the
reading of single values of wrong types; must not know a record's shape.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Any

from mewctl.history.view import (
    Call,
    Content,
    Image,
    Message,
    Opaque,
    Part,
    Raw,
    Result,
    Text,
    Thinking,
)
from mewctl.streams.jsonvalue import dumps, utf8

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

#: ``Opaque.kind`` of a whole record that is no message of its format.
UNKNOWN_RECORD = "unknown record"

_NAME = re.compile(r"[A-Za-z0-9_-]+")
_NOT_NAME = re.compile(r"[^A-Za-z0-9_-]")


# --- single values ---


def type_word(value: object) -> str:
    """What ``value`` is, in JSON's words: ``an object``, ``a number``."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an array"
    if isinstance(value, str):
        return "a string"
    if value is None or isinstance(value, bool):
        return "null" if value is None else "a boolean"
    return "a number"


def as_id(value: object) -> str:
    """An id as text: numbers are written out, any other odd value is no id ("")."""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return ""


def as_text(value: object) -> str:
    """``value`` if it is a string, else ""."""
    return value if isinstance(value, str) else ""


def as_optional(value: object) -> str | None:
    """``value`` if it is a string that says something, else None."""
    return value if isinstance(value, str) and value else None


def as_time(value: object) -> float | None:
    """``value`` in Unix seconds if it is a number, else None."""
    if type(value) is float:
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def as_list(value: object, name: str) -> Sequence[Any]:
    """``value`` if it is an array, () for null and other empty values.

    Raises ``ValueError`` for any other value.
    """
    if isinstance(value, list):
        return value
    if not value:
        return ()
    raise ValueError(f"{name} is {type_word(value)}, not an array")


def as_mapping(value: object, name: str) -> dict[str, Any]:
    """``value`` if it is an object. Raises ``ValueError``."""
    if isinstance(value, dict):
        return value
    raise ValueError(f"{name} holds {type_word(value)}, not an object")


def json_text(value: object) -> str:
    """``value`` as one line of JSON. Raises ``ValueError`` if it is nested too deep."""
    return dumps(value).decode("utf-8")


def call_input(value: object) -> Mapping[str, Any] | str:
    """The input of a call: an object or text; null is no input, the rest is text."""
    if isinstance(value, (dict, str)):
        return value
    return {} if value is None else json_text(value)


# --- blocks ---


def opaque(block: Raw, kind: str = "") -> Opaque:
    """A block as one that no common word exists for."""
    name = kind or as_text(block.get("type")) or "block"
    return Opaque(name, len(json_text(block).encode()), block)


def read_block(block: Raw) -> Text | Thinking | Image | Opaque:
    """A block of text, thinking or an image; anything else is opaque."""
    kind = block.get("type")
    if kind == "text":
        text = block.get("text")
        return Text(text, block) if isinstance(text, str) else opaque(block)
    if kind == "thinking":
        text = block.get("thinking")
        if isinstance(text, str):
            return Thinking(text, as_text(block.get("signature")), raw=block)
        return opaque(block)
    if kind == "image":
        return _read_image(block)
    if kind == "redacted_thinking" and isinstance(block.get("data"), str):
        return Thinking("", block["data"], redacted=True, raw=block)
    return opaque(block)


def _read_image(block: Raw) -> Image | Opaque:
    source = block.get("source")
    if isinstance(source, dict):
        media_type = as_text(source.get("media_type"))
        for kind, key, name in _SOURCES:
            if source.get("type") == kind and as_optional(source.get(key)):
                return Image(media_type, **{name: source[key]}, raw=block)
    return opaque(block)


#: Types of images, given as data, that the APIs take.
IMAGE_TYPES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})


def refused_image(image: Image) -> str:
    """The kind of loss if the APIs do not take an image of this type, else ""."""
    if not image.data or image.media_type in IMAGE_TYPES:
        return ""
    return (
        f"image of type {image.media_type}" if image.media_type else "image of no type"
    )


def url_image(url: str, raw: Raw) -> Image:
    """An image that ``raw`` shows by its URL; a data URL with base64 holds it."""
    if url.startswith("data:"):
        head, _, data = url.partition(",")
        if head.endswith(";base64") and data:
            return Image(head[5:-7], data, raw=raw)
    return Image(url=url, raw=raw)


_SOURCES = (
    ("base64", "data", "data"),
    ("url", "url", "url"),
    ("file", "file_id", "file_id"),
)


def read_content(value: object, name: str) -> tuple[Content, ...]:
    """The content of a result: text, blocks or nothing. Raises ``ValueError``."""
    if isinstance(value, str):
        return (Text(value),) if value else ()
    content: list[Content] = []
    for item in as_list(value, name):
        block = as_mapping(item, name)
        part = read_block(block)
        content.append(opaque(block) if isinstance(part, Thinking) else part)
    return tuple(content)


def write_block(part: Text | Thinking | Image | Opaque) -> dict[str, Any]:
    """A new block that says ``part``, whatever it was read from."""
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    if isinstance(part, Opaque):
        return dict(part.raw)
    if isinstance(part, Image):
        return {"type": "image", "source": _source(part)}
    if part.redacted:
        return {"type": "redacted_thinking", "data": part.signature}
    block = {"type": "thinking", "thinking": part.text}
    if part.signature:
        block["signature"] = part.signature
    return block


def _source(image: Image) -> dict[str, Any]:
    if image.data:
        return {
            "type": "base64",
            "media_type": image.media_type,
            "data": image.data,
        }
    if image.url:
        return {"type": "url", "url": image.url}
    return {"type": "file", "file_id": image.file_id}


def keep_block(part: Text | Thinking | Image | Opaque) -> dict[str, Any]:
    """The very block ``part`` was read from; with its own text if that was changed."""
    raw = part.raw
    if raw is None:
        return write_block(part)
    if isinstance(part, Text) and raw.get("text") != part.text:
        return {**raw, "text": part.text}
    return dict(raw)


def write_content(content: Sequence[Content]) -> str | list[dict[str, Any]]:
    """The content of a result from scratch: a string if it is one text, or blocks."""
    if not content:
        return ""
    first = content[0]
    if len(content) == 1 and isinstance(first, Text) and first.text:
        return first.text
    return [write_block(part) for part in content]


def keep_content(before: object, content: Sequence[Content]) -> str | list[Any]:
    """The content of a changed result, in the shape that it had ``before``.

    A text that is new takes the ``cache_control`` of the last text it stands for, so
    that the caller's cache breakpoint stays where it was.
    """
    if not isinstance(before, list):
        if all(isinstance(part, Text) and part.raw is None for part in content):
            return "".join(part.text for part in content if isinstance(part, Text))
        return [keep_block(part) for part in content]
    blocks = [keep_block(part) for part in content]
    marks = [
        block["cache_control"]
        for block in before
        if isinstance(block, dict)
        and block.get("type") == "text"
        and block.get("cache_control") is not None
    ]
    new = [i for i, p in enumerate(content) if isinstance(p, Text) and p.raw is None]
    if marks and len(new) == 1:
        blocks[new[0]]["cache_control"] = marks[-1]
    return blocks


# --- messages ---


def unknown(value: Raw) -> Message:
    """The view of a record that is no message: one opaque part, the record itself.

    Its role is ``system``, the one that takes no part in turns and tool loops.
    """
    return Message("system", (opaque(value, UNKNOWN_RECORD),))


def is_unknown(message: Message) -> bool:
    """Whether ``message`` is the view of a record that is no message."""
    if len(message.parts) != 1:
        return False
    part = message.parts[0]
    return isinstance(part, Opaque) and part.kind == UNKNOWN_RECORD


def runs(parts: Iterable[Part]) -> list[tuple[bool, list[Part]]]:
    """Neighbouring parts, parted into results (True) and everything else (False)."""
    grouped = groupby(parts, lambda part: isinstance(part, Result))
    return [(results, list(group)) for results, group in grouped]


def misplaced(parts: Sequence[Part]) -> int:
    """How many parts of ``parts`` that are no calls come after a call."""
    first = next((i for i, p in enumerate(parts) if isinstance(p, Call)), len(parts))
    return sum(not isinstance(part, Call) for part in parts[first:])


def safe_id(value: str) -> str:
    """A call's id that every API takes, the same for the same ``value`` each time."""
    return f"call_{_digest(value)[:24]}"


def is_name(value: str) -> bool:
    """Whether ``value`` holds only what APIs take in names: letters, digits, _ -."""
    return _NAME.fullmatch(value) is not None


def safe_name(value: str, most: int) -> str:
    """``value`` as a tool name of at most ``most`` characters that an API takes."""
    name = _NOT_NAME.sub("_", value) or "unnamed"
    return name if len(name) <= most else f"{name[: most - 9]}_{_digest(value)[:8]}"


def _digest(value: str) -> str:
    import hashlib  # seldom needed, and slow to load

    return hashlib.sha256(utf8(value)).hexdigest()
