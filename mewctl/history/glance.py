"""The shape of an ordinary record at a glance, without building its view.

Most records of most histories are plain text, a call or a result. Reading them this way
makes repair as fast as parsing. Whatever is not quite ordinary gets None, and the view
is asked; a test holds that both agree. Must not judge anything by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mewctl.history.shape import BODY, ENDS_THINKING, THINKING, Shape

if TYPE_CHECKING:
    from collections.abc import Callable

    Glance = Callable[[dict[str, Any]], Shape | None]

_USER = Shape("user")
_ASSISTANT = Shape("assistant")
_PLAIN = {"user": _USER, "assistant": _ASSISTANT, "system": Shape("system")}


def _ids(calls: object) -> tuple[str, ...] | None:
    """The ids of the entries of ``tool_calls``; None if one of them is odd."""
    if type(calls) is not list:
        return None
    ids: list[str] = []
    for call in calls:
        if type(call) is not dict or type(call.get("id")) is not str:
            return None
        ids.append(call["id"])
    return tuple(ids)


def mew(value: dict[str, Any]) -> Shape | None:
    """The shape of an ordinary ``mew`` record."""
    role, content = value.get("role"), value.get("content")
    if type(content) is not str:
        return None
    calls = value.get("tool_calls")
    if role == "tool":
        ordinary = content == "" and not calls
        return _mew_results(value.get("tool_results")) if ordinary else None
    if "tool_results" in value:
        return None
    said = bool(content) and not content.isspace()
    if not calls:
        return _PLAIN.get(role) if said and type(role) is str else None
    ids = _ids(calls)
    if role != "assistant" or ids is None or not all(map(_mew_input, calls)):
        return None
    return Shape("assistant", BODY if said else 0, ids)


def _mew_input(call: dict[str, Any]) -> bool:
    return type(call.get("input")) in (dict, str)


def _mew_results(results: object) -> Shape | None:
    if type(results) is not list or not results:
        return None
    ids: list[str] = []
    for result in results:
        if type(result) is not dict or type(result.get("content")) is not str:
            return None
        call_id = result.get("tool_call_id")
        if type(call_id) is not str:
            return None
        ids.append(call_id)
    return Shape("tool", 0, (), tuple(ids))


def anthropic(value: dict[str, Any]) -> Shape | None:
    """The shape of an ordinary ``anthropic`` record."""
    role, content = value.get("role"), value.get("content")
    if "stop_reason" in value:
        return None
    if type(content) is str:
        said = content and not content.isspace()
        return _PLAIN.get(role) if said and type(role) is str else None
    if type(content) is not list or not content:
        return None
    if role == "assistant":
        return _anthropic_assistant(content)
    return _anthropic_user(content) if role == "user" else None


def _anthropic_assistant(content: list[Any]) -> Shape | None:
    has = 0
    ids: list[str] = []
    kind: object = None
    for block in content:
        if type(block) is not dict:
            return None
        kind = block.get("type")
        if kind == "text":
            text = block.get("text")
            if type(text) is not str or not text or text.isspace():
                return None
            has |= BODY
        elif kind == "tool_use":
            call_id = block.get("id")
            if type(call_id) is not str or type(block.get("input")) is not dict:
                return None
            ids.append(call_id)
        elif kind == "thinking":
            signature = block.get("signature")
            if type(signature) is not str or not signature:
                return None
            if type(block.get("thinking")) is not str:
                return None
            has |= THINKING
        else:
            return None
    if kind == "thinking":
        has |= ENDS_THINKING
    return Shape("assistant", has, tuple(ids))


def _anthropic_user(content: list[Any]) -> Shape | None:
    ids: list[str] = []
    said = False
    for block in content:
        if type(block) is not dict:
            return None
        kind = block.get("type")
        if kind == "tool_result":
            call_id = block.get("tool_use_id")
            if said or type(call_id) is not str or not _ordinary(block):
                return None
            ids.append(call_id)
        elif kind == "text":
            text = block.get("text")
            if type(text) is not str or not text or text.isspace():
                return None
            said = True
        else:
            return None
    if said:
        return Shape("user", BODY, (), tuple(ids)) if ids else _USER
    return Shape("tool", 0, (), tuple(ids))


def _ordinary(result: dict[str, Any]) -> bool:
    """Whether the content of a result is text that the API takes."""
    if result.get("is_error") is True:
        return False
    content = result.get("content")
    if type(content) is str:
        return True
    if type(content) is not list:
        return False
    for block in content:
        if type(block) is not dict or block.get("type") != "text":
            return False
        text = block.get("text")
        if type(text) is not str or not text or text.isspace():
            return False
    return True


_OTHERS = ("function_call", "refusal", "audio", "reasoning_content", "stop_reason")


def openai(value: dict[str, Any]) -> Shape | None:
    """The shape of an ordinary ``openai`` record."""
    role, content = value.get("role"), value.get("content")
    if role == "tool":
        call_id = value.get("tool_call_id")
        if type(content) is str and type(call_id) is str:
            return Shape("tool", 0, (), (call_id,))
        return None
    if content is not None and type(content) is not str:
        return None
    if len(value) > 2 and any(key in value for key in _OTHERS):  # noqa: PLR2004
        return None
    calls = value.get("tool_calls")
    if not calls:
        return _PLAIN.get(role) if content and type(role) is str else None
    ids = _ids(calls)
    if role != "assistant" or ids is None or not all(map(_openai_function, calls)):
        return None
    return Shape("assistant", BODY if content else 0, ids)


def _openai_function(call: dict[str, Any]) -> bool:
    return type(call.get("function")) is dict


GLANCES: dict[str, Glance] = {"mew": mew, "anthropic": anthropic, "openai": openai}
