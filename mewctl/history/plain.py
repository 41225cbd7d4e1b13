"""Which records are plainly of the format that is known, or tell none.

Asked for every record of a history, so that it says yes to what most records are, at
the cost of a few set operations; all others are for ``detect.classify``. A test holds
that it says yes to nothing that ``classify`` would not. Must not tell formats apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mewctl.history.formats import mew as mew_format

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Plain = Callable[[Mapping[str, Any]], bool]

_MEW = mew_format.KEYS
_ANTHROPIC = frozenset({"role", "content"})
_OPENAI = frozenset({"role", "content", "tool_calls", "tool_call_id", "name"})
_ROLES = frozenset({"user", "assistant", "system"})
_CHAT_ROLES = _ROLES | {"tool"}
_BLOCKS = frozenset({"text", "tool_use", "tool_result", "thinking", "image"})


def neutral(value: Mapping[str, Any]) -> bool:
    """Whether ``value`` is a plain message, which fits every format and tells none."""
    return (
        len(value) == 2  # noqa: PLR2004  (role, content)
        and type(value.get("content")) is str
        and _is_of(value, _ROLES)
    )


def mew(value: Mapping[str, Any]) -> bool:
    """Whether ``value`` is plainly of ``mew``."""
    role = value.get("role")
    if type(role) is not str or role not in _CHAT_ROLES or not value.keys() <= _MEW:
        return False
    calls = value.get("tool_calls")
    plain = type(value.get("content")) is str
    return plain and (not calls or _first_has(calls, "name"))


def anthropic(value: Mapping[str, Any]) -> bool:
    """Whether ``value`` is plainly of ``anthropic``."""
    if not value.keys() <= _ANTHROPIC or not _is_of(value, _ROLES):
        return False
    content = value.get("content")
    if type(content) is list:
        for block in content:
            if type(block) is not dict:
                return False
            kind = block.get("type")
            if type(kind) is not str or kind not in _BLOCKS:
                return False
        return True
    return type(content) is str


def openai(value: Mapping[str, Any]) -> bool:
    """Whether ``value`` is plainly of ``openai``."""
    if not value.keys() <= _OPENAI or not _is_of(value, _CHAT_ROLES):
        return False
    content = value.get("content")
    if content is not None and type(content) is not str:
        return False
    calls = value.get("tool_calls")
    return not calls or _first_has(calls, "function")


def _is_of(value: Mapping[str, Any], roles: frozenset[str]) -> bool:
    role = value.get("role")
    return type(role) is str and role in roles


def _first_has(calls: object, key: str) -> bool:
    """Whether the first of ``calls`` has ``key``, and no key that tells otherwise."""
    if type(calls) is not list:
        return False
    first = calls[0]
    if type(first) is not dict or key not in first:
        return False
    return key == "function" or not ("function" in first or "custom" in first)


PLAIN: dict[str, Plain] = {
    "": neutral,  # while the format is not known
    "mew": mew,
    "anthropic": anthropic,
    "openai": openai,
    "responses": neutral,
}
