"""Content and calls in the manner of Chat Completions, as some agents log them. Pure.

Text, images by URL, Anthropic's blocks, Kimi's ``think``, OpenHands' ``image_urls``;
calls with arguments as JSON text. Parts carry no raw block; opaque parts do. What is of
another type is told as the JSON it is. Must not know an agent's records.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mewctl.history.formats.blocks import (
    as_id,
    as_text,
    json_text,
    opaque,
    read_block,
    url_image,
)
from mewctl.history.formats.openai_make import read_arguments
from mewctl.history.view import Call, Content, Image, Opaque, Part, Text, Thinking
from mewctl.transcripts.telling import as_object, listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# An image of another kind of address stands outside the log.
_URLS = ("data:", "http://", "https://")


def parts(content: object) -> list[Part]:
    """The parts of a content: text, one block or a list of them; no empty texts."""
    found = (part for item in listed(content) for part in _parts(item))
    return [part for part in found if not isinstance(part, Text) or part.text]


def contents(content: object) -> list[Content]:
    """The same for a result: what a result cannot hold is opaque."""
    return [
        part
        if isinstance(part, (Text, Image, Opaque))
        else opaque(
            {"type": "thinking", "thinking": as_text(getattr(part, "text", ""))}
        )
        for part in parts(content)
    ]


def _parts(item: Any) -> Iterator[Part]:
    if not isinstance(item, dict):
        yield Text(item if isinstance(item, str) else json_text(item))
        return
    kind, urls = item.get("type"), item.get("image_urls")
    if kind == "image" and isinstance(urls, list) and urls:
        yield from (_image(url, item) for url in urls)
    elif kind in ("image_url", "input_image"):
        about = item.get("image_url")
        yield _image(as_object(about).get("url") or about, item)
    elif kind == "think" and isinstance(item.get("think"), str):
        seal = as_text(item.get("encrypted"))
        if item["think"] or seal:
            yield Thinking(item["think"], seal, redacted=not item["think"])
    else:
        part = read_block(item)
        yield part if isinstance(part, Opaque) else replace(part, raw=None)


def _image(url: object, item: Mapping[str, Any]) -> Part:
    if isinstance(url, str) and url.startswith(_URLS):
        return replace(url_image(url, item), raw=None)
    return opaque(item)


def thoughts(message: Mapping[str, Any]) -> list[Part]:
    """What a message says it was thinking: as signed blocks, or as text."""
    blocks = [
        part
        for part in parts(message.get("thinking_blocks"))
        if isinstance(part, Thinking)
    ]
    if blocks:
        return list(blocks)
    text = as_text(message.get("reasoning_content"))
    return [Thinking(text)] if text.strip() else []


def calls(value: object) -> list[Call]:
    """The calls in a list of ``tool_calls``; an entry that names nothing is none."""
    found = (_call(as_object(item)) for item in listed(value))
    return [call for call in found if call.id or call.name]


def _call(about: Mapping[str, Any]) -> Call:
    function = as_object(about.get("function")) or about
    arguments = read_arguments(function.get("arguments"))
    return Call(as_id(about.get("id")), as_text(function.get("name")), arguments)
