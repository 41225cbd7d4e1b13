"""Token usage as providers report it, normalised to disjoint counts.

Owns the shapes of usage objects. Must not know where a usage object stood.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mewctl import limits
from mewctl.history.view import Usage

_MEW = ("input", "output", "cache_read", "cache_write")


def normalise(value: object) -> Usage | None:
    """The usage in ``value``, whoever reported it; None if there is none to read.

    Anthropic's ``input_tokens`` leaves the cache out; OpenAI's ``prompt_tokens`` and
    ``input_tokens`` include what their ``*_details`` name as cached. Counts that are
    no whole numbers >= 0, or too large to be true, are read as 0, and a usage of
    nothing but zeros (an agent's placeholder) is none.
    """
    if not isinstance(value, Mapping):
        return None
    if "prompt_tokens" in value:
        usage = _chat(value)
    elif "input_tokens" in value:
        usage = _tokens(value)
    elif any(key in value for key in _MEW):
        usage = Usage(
            _count(value.get("input")),
            _count(value.get("cache_read")),
            _count(value.get("cache_write")),
            _count(value.get("output")),
            _count(value.get("unseen")),
        )
    else:
        return None
    return usage if usage != Usage() else None


def as_record(usage: Usage) -> dict[str, int]:
    """The ``usage`` of a mew record: ``{input, cache_read, cache_write, output}``.

    ``unseen`` is left out where it is 0.
    """
    record = {
        "input": usage.input,
        "cache_read": usage.cache_read,
        "cache_write": usage.cache_write,
        "output": usage.output,
    }
    if usage.unseen:
        record["unseen"] = usage.unseen
    return record


def plus(first: Usage | None, second: Usage | None) -> Usage | None:
    """The usage of two requests together; None where neither reported one."""
    if first is None or second is None:
        return first or second
    return Usage(
        first.input + second.input,
        first.cache_read + second.cache_read,
        first.cache_write + second.cache_write,
        first.output + second.output,
    )


def _chat(value: Mapping[str, Any]) -> Usage:
    read, write = _details(value.get("prompt_tokens_details"))
    read = read or _count(value.get("prompt_cache_hit_tokens"))  # DeepSeek's name
    return _parted(
        value.get("prompt_tokens"), read, write, value.get("completion_tokens")
    )


def _tokens(value: Mapping[str, Any]) -> Usage:
    if "cache_read_input_tokens" in value or "cache_creation_input_tokens" in value:
        return Usage(
            _count(value.get("input_tokens")),
            _count(value.get("cache_read_input_tokens")),
            _count(value.get("cache_creation_input_tokens")),
            _count(value.get("output_tokens")),
        )
    read, write = _details(value.get("input_tokens_details"))
    read = read or _count(value.get("cached_input_tokens"))  # Codex's names
    write = write or _count(value.get("cache_write_input_tokens"))
    return _parted(value.get("input_tokens"), read, write, value.get("output_tokens"))


def _details(value: object) -> tuple[int, int]:
    if not isinstance(value, Mapping):
        return 0, 0
    return _count(value.get("cached_tokens")), _count(value.get("cache_write_tokens"))


def _parted(whole: object, read: int, write: int, output: object) -> Usage:
    """Usage where the input's count includes what was read and written."""
    return Usage(max(0, _count(whole) - read - write), read, write, _count(output))


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return 0
    is_count = 0 <= value < 10**limits.TOKEN_DIGITS and value == value // 1
    return int(value) if is_count else 0
