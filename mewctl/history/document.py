"""One JSON document that holds a history: its records.

An array of messages, or an object with ``messages`` or ``input``: a request body, a
saved chat, a trajectory. Agents' session objects belong to the transcript readers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mewctl.history.formats.blocks import type_word


def is_document(value: object) -> bool:
    """Whether ``value`` is a document that ``records`` can read."""
    if not isinstance(value, Mapping):
        return isinstance(value, list)
    if "role" in value or ("type" in value and "messages" not in value):
        return False
    return isinstance(_told(value)[0], list)


def _told(value: Mapping[str, Any]) -> tuple[Any, Any]:
    """The messages of a request and its system text, whichever API it is for."""
    if "messages" not in value and "input" in value:
        return value["input"], value.get("instructions")
    return value.get("messages"), value.get("system")


def records(value: object) -> list[dict[str, Any]]:
    """The records of a document; the system text of a request comes first.

    Raises ``ValueError`` (one line) for a document of another shape.
    """
    system: object = None
    messages = value
    if isinstance(value, Mapping):
        messages, system = _told(value)
    if not isinstance(messages, list):
        raise ValueError(f"a document with {type_word(messages)} for its messages")
    for number, message in enumerate(messages, 1):
        if not isinstance(message, dict):
            raise ValueError(f"message {number} is {type_word(message)}, not an object")
    first = [{"role": "system", "content": system}] if _says(system) else []
    return first + messages


def _says(system: object) -> bool:
    return isinstance(system, (str, list)) and bool(system)
