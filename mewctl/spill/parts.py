"""Parts of a message that may leave a history, and what is put in their place. Pure.

Texts that are previews already are neither measured nor touched.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from mewctl import limits
from mewctl.history.formats.blocks import url_image
from mewctl.history.offloaded import recognise
from mewctl.history.view import Image, Opaque, Result, Text
from mewctl.spill.piece import DataPiece

if TYPE_CHECKING:
    from mewctl.history.view import Content

#: Where a text stands in a call's input: keys and indexes, outermost first.
Path: TypeAlias = "tuple[str | int, ...]"


def body_text(result: Result) -> str:
    """The texts of a result, joined, without those that are previews."""
    return "".join(
        part.text
        for part in result.content
        if isinstance(part, Text) and not recognise(part.text)
    )


def preview_digests(result: Result) -> list[str]:
    """The hashes of the bodies that previews in a result stand for, if they tell."""
    texts = (part.text for part in result.content if isinstance(part, Text))
    found = (known.digest for text in texts if (known := recognise(text)))
    return [digest for digest in found if digest]


def with_body(result: Result, text: str) -> Result:
    """The same result with ``text`` for its texts; all else stays."""
    rest = tuple(
        part
        for part in result.content
        if not isinstance(part, Text) or recognise(part.text)
    )
    return replace(result, content=(Text(text), *rest), edited=True)


# --- images and documents ---


def images(result: Result, least: int) -> Iterator[tuple[int, DataPiece]]:
    """Base64 data of ``least`` bytes or more in a result, by its number in it.

    Only data that decodes and encodes to the same text: else it could not come back.
    """
    for number, part in enumerate(result.content):
        media_type, text = _base64(part)
        if len(text) < least:
            continue
        try:
            data = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            continue
        if base64.b64encode(data).decode() == text:
            yield number, DataPiece(result.call_id, text, data, media_type)


def with_images(result: Result, texts: Mapping[int, str]) -> Result:
    """The same result with texts in the place of parts, by their numbers."""
    content = tuple(
        Text(texts[number]) if number in texts else part
        for number, part in enumerate(result.content)
    )
    return replace(result, content=content, edited=True)


def _base64(part: Content) -> tuple[str, str]:
    """Media type and base64 of an image or document; "" where there is none."""
    if isinstance(part, Image):
        return part.media_type, part.data
    if not isinstance(part, Opaque):
        return "", ""
    file = part.raw.get("file_data")
    if part.kind == "input_file" and isinstance(file, str):
        image = url_image(file, part.raw)
        return image.media_type, image.data
    source = part.raw.get("source")
    if isinstance(source, Mapping) and source.get("type") == "base64":
        media_type, data = source.get("media_type"), source.get("data")
        if isinstance(media_type, str) and isinstance(data, str):
            return media_type, data
    return "", ""


# --- the inputs of calls ---


def leaves(value: object, least: int, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Texts of ``least`` characters or more in a call's input, with their places.

    Deeper than ``limits.MAX_DEPTH`` levels nothing is looked for.
    """
    if len(path) > limits.MAX_DEPTH:
        return
    if isinstance(value, str):
        if len(value) >= least:
            yield path, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from leaves(item, least, (*path, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from leaves(item, least, (*path, number))


def with_leaves(value: Any, texts: Mapping[Path, str], path: Path = ()) -> Any:
    """A call's input with other texts at some places."""
    if path in texts:
        return texts[path]
    if len(path) > limits.MAX_DEPTH:
        return value
    if isinstance(value, Mapping):
        return {k: with_leaves(v, texts, (*path, k)) for k, v in value.items()}
    if isinstance(value, list):
        return [with_leaves(v, texts, (*path, n)) for n, v in enumerate(value)]
    return value
