"""The shape of an ordinary record at a glance, without building its view.

Most records of most histories are text, thinking, calls and results. Reading them this
way makes repair nearly as fast as parsing. Whatever is not quite ordinary gets None,
and the view is asked; a test holds that both agree. Must not judge anything by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mewctl import limits
from mewctl.history.formats.blocks import is_name
from mewctl.history.shape import BODY, ENDS_THINKING, ITEM, THINKING, Shape

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Glance = Callable[[Mapping[str, Any]], Shape | None]

_USER = Shape("user")
_PLAIN = {"user": _USER, "assistant": Shape("assistant"), "system": Shape("system")}
# Keys by which a record is of another format, or not ordinary.
_NOT_MEW = frozenset(
    ("tool_call_id", "function_call", "refusal", "reasoning_content", "audio", "type")
)
_NOT_ANTHROPIC = _NOT_MEW | {"tool_calls", "tool_results", "stop_reason"}
_NOT_RESPONSES = (_NOT_ANTHROPIC | {"tool_call_id"}) - {"type"}
_ITEMS = {**_PLAIN, "developer": _PLAIN["system"]}
_ITEMS["assistant"] = Shape("assistant", BODY | ITEM)
_REASONING = Shape("assistant", THINKING | ENDS_THINKING | ITEM)
_BY_MODEL, _TO_MODEL = "output_text", "input_text"
_NOT_OPENAI = (_NOT_MEW - {"tool_call_id"}) | {"tool_results", "stop_reason"}


def _shape(*fields: Any) -> Shape:
    """A shape of exactly these fields; half the cost of calling ``Shape``."""
    return tuple.__new__(Shape, fields)


def _plain(role: object) -> Shape | None:
    return _PLAIN.get(role) if type(role) is str else None


def _says(text: object) -> bool:
    """Whether ``text`` is a string that is not blank."""
    return type(text) is str and bool(text) and not text.isspace()


def _named(call: Mapping[str, Any], most: int) -> bool:
    """Whether a call has a name that an API takes."""
    name = call.get("name")
    return type(name) is str and len(name) <= most and is_name(name)


def _calling(role: object, has: int, calls: object, key: str) -> Shape | None:
    """The shape of a message with ``calls``, which hold an object at ``key``."""
    if role != "assistant" or type(calls) is not list:
        return None
    ids: list[str] = []
    for call in calls:
        if type(call) is not dict or type(call.get(key)) is not dict:
            return None
        call_id = call.get("id")
        if type(call_id) is not str:
            return None
        ids.append(call_id)
    return _shape("assistant", has, tuple(ids), ())


# --- mew ---


def mew(value: Mapping[str, Any]) -> Shape | None:
    """The shape of an ordinary ``mew`` record."""
    if not _NOT_MEW.isdisjoint(value):
        return None
    role, calls = value.get("role"), value.get("tool_calls")
    if role == "tool":
        return None if calls or value.get("content") != "" else _mew_results(value)
    has = _mew_content(value.get("content"))
    if has is None or "tool_results" in value:
        return None
    if calls:
        return _calling(role, has, calls, "input")
    return _plain(role) if has else None


def _mew_content(content: object) -> int | None:
    if type(content) is str:
        return BODY if _says(content) else 0
    if type(content) is not list:
        return None
    for block in content:
        kind = block.get("type") if type(block) is dict else None
        said = kind == "text" and _says(block.get("text"))
        if not said and (kind != "thinking" or type(block.get("thinking")) is not str):
            return None
    return BODY if content else 0


def _mew_results(value: Mapping[str, Any]) -> Shape | None:
    results = value.get("tool_results")
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
    return _shape("tool", 0, (), tuple(ids))


# --- anthropic ---


def anthropic(value: Mapping[str, Any]) -> Shape | None:
    """The shape of an ordinary ``anthropic`` record."""
    if not _NOT_ANTHROPIC.isdisjoint(value):
        return None
    role, content = value.get("role"), value.get("content")
    if type(content) is str:
        return _plain(role) if _says(content) else None
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
        if kind == "tool_use":
            call_id = block.get("id")
            if type(call_id) is not str or type(block.get("input")) is not dict:
                return None
            if not _named(block, limits.ANTHROPIC_NAME_CHARS):
                return None
            ids.append(call_id)
        elif kind == "text" and _says(block.get("text")):
            has |= BODY
        elif kind == "thinking" and type(block.get("thinking")) is str:
            signature = block.get("signature")
            if type(signature) is not str or not signature:
                return None
            has |= THINKING
        else:
            return None
    if kind == "thinking":
        has |= ENDS_THINKING
    return _shape("assistant", has, tuple(ids), ())


def _anthropic_user(content: list[Any]) -> Shape | None:
    ids: list[str] = []
    said = False
    for block in content:
        if type(block) is not dict:
            return None
        kind = block.get("type")
        if kind == "tool_result":
            call_id = block.get("tool_use_id")
            if said or type(call_id) is not str or not _takes(block):
                return None
            ids.append(call_id)
        elif kind == "text" and _says(block.get("text")):
            said = True
        else:
            return None
    if said:
        return Shape("user", BODY, (), tuple(ids)) if ids else _USER
    return _shape("tool", 0, (), tuple(ids))


def _takes(result: dict[str, Any]) -> bool:
    """Whether the content of a result is text that the API takes."""
    content, failed = result.get("content"), result.get("is_error", False)
    if type(failed) is not bool:
        return False
    if type(content) is str:
        return not failed or _says(content)
    if type(content) is not list or not content:
        return False
    for block in content:
        if type(block) is not dict or block.get("type") != "text":
            return False
        if not _says(block.get("text")):
            return False
    return True


# --- openai ---


def openai(value: Mapping[str, Any]) -> Shape | None:
    """The shape of an ordinary ``openai`` record."""
    if not _NOT_OPENAI.isdisjoint(value):
        return None
    role, content = value.get("role"), value.get("content")
    if role == "tool":
        call_id = value.get("tool_call_id")
        if type(content) is str and type(call_id) is str:
            return _shape("tool", 0, (), (call_id,))
        return None
    if content is not None and type(content) is not str:
        return None
    if "tool_calls" in value:
        return _openai_calling(role, BODY if content else 0, value["tool_calls"])
    return _plain(role) if content else None


def _openai_calling(role: object, has: int, calls: object) -> Shape | None:
    shape = _calling(role, has, calls, "function") if calls else None
    if shape is None or type(calls) is not list:
        return None
    for call in calls:
        function = call["function"]
        if call.get("type") != "function" or type(function.get("arguments")) is not str:
            return None
        if not _named(function, limits.OPENAI_NAME_CHARS):
            return None
    return shape


# --- responses ---


def responses(value: Mapping[str, Any]) -> Shape | None:
    """The shape of an ordinary item of the ``responses`` format."""
    kind, call_id = value.get("type"), value.get("call_id")
    if kind is None or kind == "message":
        return _message_item(value)
    if kind == "function_call_output":
        if type(value.get("output")) is str and type(call_id) is str:
            return _shape("tool", 0, (), (call_id,))
    elif kind == "function_call":
        sound = type(value.get("arguments")) is str and type(call_id) is str
        if sound and _named(value, limits.OPENAI_NAME_CHARS):
            return _shape("assistant", ITEM, (call_id,), ())
    elif kind == "reasoning" and "content" not in value:
        summary = value.get("summary")
        if type(summary) is list and _all_texts(summary, "summary_text"):
            return _REASONING
    return None


def _message_item(value: Mapping[str, Any]) -> Shape | None:
    if not _NOT_RESPONSES.isdisjoint(value):
        return None
    content, role = value.get("content"), value.get("role")
    if type(content) is list:
        own = _BY_MODEL if role == "assistant" else _TO_MODEL
        said = bool(content) and _all_texts(content, own)
    else:
        said = type(content) is str
    return _ITEMS.get(role) if said and type(role) is str else None


def _all_texts(content: list[Any], kind: str) -> bool:
    for block in content:
        if type(block) is not dict or type(block.get("text")) is not str:
            return False
        if block.get("type") != kind:
            return False
    return True


GLANCES: dict[str, Glance] = {
    "mew": mew,
    "anthropic": anthropic,
    "openai": openai,
    "responses": responses,
}
