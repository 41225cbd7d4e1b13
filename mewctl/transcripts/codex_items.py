"""The items of a Codex rollout, once parsed, as parts of messages.

An item is one of OpenAI's Responses API, as Codex keeps it in its history. Parts carry
no raw block (the messages are made anew in whatever format is asked for); opaque parts
do. Items may hold values of any type in any place. Must not decide which are live.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from mewctl.history.formats.blocks import (
    as_id,
    as_text,
    call_input,
    json_text,
    opaque,
)
from mewctl.history.view import (
    Call,
    Content,
    Image,
    Opaque,
    Part,
    Result,
    Text,
    Thinking,
)
from mewctl.history.words import own_words
from mewctl.streams.jsonvalue import BadJSON, loads, utf8
from mewctl.transcripts.telling import care, listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mewctl.history.view import Kind as CallKind

#: What an item is in a conversation. ``context``: text of a user's message that Codex
#: put there. ``agent``: another agent speaks. ``answer``: the model does. "": nothing.
Kind: TypeAlias = Literal["user", "context", "agent", "system", "answer", "result", ""]

#: Items that stand for a history; only OpenAI's servers can read them.
_COMPACTIONS = ("compaction", "compaction_summary", "context_compaction")
#: The types of items that the first releases wrote without an envelope.
BARE = frozenset(
    {
        "message",
        "reasoning",
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "local_shell_call",
        "web_search_call",
    }
)
_SILENT = ("ghost_snapshot", "compaction_trigger", "additional_tools", "other")
_IMAGE_TAG = re.compile(r"<image(?: name=[^>]*)?>|</image>")
_DATA = re.compile(r"data:([^;,]*)(?:;[^,]*)?;base64,")
# How Codex says that it did not run a call, or not to its end.
_NOT_RUN = re.compile(
    r"(?:Wall time: [\d.]+ seconds\n)?(?:exec_command failed|write_stdin failed"
    r"|exec command rejected by user|patch rejected|apply_patch verification failed"
    r"|aborted by user|failed to parse function arguments|unsupported call: "
    r"|execution error: |This action was rejected)"
)
# What developers' messages say about the old agent's own equipment.
_EQUIPMENT = re.compile(
    r"\s*<(?:permissions instructions|model_switch|collaboration_mode|multi_agent_mode"
    r"|realtime_conversation|apps_instructions|plugins_instructions"
    r"|skills_instructions|personality_spec|token_budget|token_budget_reminder"
    r"|rollout_budget|context_window|context_window_guidance)>",
    re.IGNORECASE,
)


def kind_of(item: Mapping[str, Any]) -> Kind:
    """What an item is; "" for one that says nothing to a model."""
    kind = item.get("type")
    if kind == "message":
        return _speaker(item)
    if kind == "agent_message":
        return "agent"
    if not isinstance(kind, str) or kind in _SILENT:
        return ""
    if kind.endswith("_output") and as_id(item.get("call_id")):
        return "result"
    return "answer"


def _speaker(item: Mapping[str, Any]) -> Kind:
    role, texts = item.get("role"), texts_of(item)
    if role == "assistant":
        return "agent" if _is_letter(texts) else "answer"
    if role in ("developer", "system"):
        return "system"
    own = any(text is None or own_words(text) for text in texts)
    return "user" if role == "user" and own else "context"


def texts_of(item: Mapping[str, Any]) -> list[str | None]:
    """The texts in the content of a message; None for an image or anything else."""
    return [_text(part) for part in _untagged(listed(item.get("content")))]


def _text(part: Any) -> str | None:
    if not isinstance(part, dict):
        return part if isinstance(part, str) else None
    said = part.get("refusal" if part.get("type") == "refusal" else "text")
    return said if isinstance(said, str) else None


def _untagged(content: list[Any]) -> list[Any]:
    """``content`` without the tags that Codex puts around images."""
    pictures = any(
        isinstance(part, dict) and part.get("type") == "input_image" for part in content
    )
    if not pictures:
        return content
    return [p for p in content if not _IMAGE_TAG.fullmatch(_text(p) or "")]


def _is_letter(texts: list[str | None]) -> bool:
    """Whether a message of the assistant is a letter from another agent, in JSON."""
    text = (texts[0] if texts else None) or ""
    if not text.startswith("{") or '"recipient"' not in text:
        return False
    try:
        letter = loads(utf8(text))
    except BadJSON:
        return False
    parts = {"author", "recipient", "content"}
    return isinstance(letter, dict) and parts <= letter.keys()


def is_equipment(text: str) -> bool:
    """Whether a developer's text is about what the old agent could and might do."""
    return _EQUIPMENT.match(text) is not None


# --- content ---


def content_parts(content: list[Any]) -> Iterator[Content]:
    """The parts of a message's or a result's content, without Codex's image tags."""
    for item in _untagged(content):
        part = _content(item)
        if not isinstance(part, Text) or part.text:
            yield part


def _content(item: Any) -> Content:
    said = _text(item)
    if said is not None:
        return Text(said)
    if not isinstance(item, dict):
        return Text(json_text(item))
    return _image(item) if item.get("type") == "input_image" else opaque(item)


def _image(item: Mapping[str, Any]) -> Image | Opaque:
    url, file_id = as_text(item.get("image_url")), as_text(item.get("file_id"))
    found = _DATA.match(url)
    if found:
        data = url[found.end() :]
        return Image(found.group(1), data) if data else opaque(item)
    if url:
        return Image(url=url)
    return Image(file_id=file_id) if file_id else opaque(item)


# --- what the model said ---


def answer_parts(item: Mapping[str, Any], *, sealed: bool) -> list[Part]:
    """The parts of an item of the model; none where there is nothing in it.

    ``sealed``: thinking keeps its encrypted form.
    """
    kind = item.get("type")
    if kind == "message":
        return list(content_parts(listed(item.get("content"))))
    if kind == "reasoning":
        return _thinking(item, sealed=sealed)
    call = _call(item)
    return [opaque(item) if call is None else call]


def _call(item: Mapping[str, Any]) -> Call | None:
    """The call that an item is; None for one that the API answered itself."""
    kind, call_id = item.get("type"), as_id(item.get("call_id"))
    name = as_text(item.get("name"))
    if kind == "function_call":
        return Call(call_id, _full_name(item, name), _arguments(item))
    if kind == "custom_tool_call":
        return Call(call_id, name, call_input(item.get("input")), "custom")
    if kind == "local_shell_call":
        named = call_id or as_id(item.get("id"))
        given = call_input(item.get("action"))
        return Call(named, "local_shell", given, "local_shell")
    if kind == "tool_search_call" and call_id:
        return Call(call_id, "tool_search", _arguments(item))
    return None


def is_sealed(item: Mapping[str, Any]) -> bool:
    """Whether an item is the encrypted summary of a compaction."""
    return item.get("type") in _COMPACTIONS and bool(seal_of(item))


def seal_of(item: Mapping[str, Any]) -> str:
    """The encrypted form of an item; empty if it has none."""
    return as_text(item.get("encrypted_content"))


def _thinking(item: Mapping[str, Any], *, sealed: bool) -> list[Part]:
    shown = [*listed(item.get("summary")), *listed(item.get("content"))]
    text = "\n\n".join(said for part in shown if (said := _text(part)))
    seal = seal_of(item) if sealed else ""
    return [Thinking(text, seal, redacted=not text)] if text or seal else []


def _full_name(item: Mapping[str, Any], name: str) -> str:
    space = as_text(item.get("namespace"))
    if not space or space.endswith(("_", ".", "/")) or name.startswith("_"):
        return space + name
    return f"{space}__{name}"


def _arguments(item: Mapping[str, Any]) -> Mapping[str, Any] | str:
    """The arguments of a call, which stand there as JSON text."""
    text = item.get("arguments")
    if not isinstance(text, str):
        return call_input(text)
    try:
        value = loads(utf8(text))
        needed = care([value])
        if needed == "exact":
            value = loads(utf8(text), exact=True)
    except BadJSON:
        return text
    return value if isinstance(value, dict) and needed != "deep" else text


# --- what tools answered ---


def result_of(item: Mapping[str, Any], kinds: Mapping[str, CallKind]) -> Result:
    """The result that an item holds; failed only if it says so in so many words.

    ``kinds`` of the calls that may be meant, by their ids. What a program answered with
    its exit code is no failure to Codex.
    """
    call_id, output = as_id(item.get("call_id")), item.get("output")
    custom = item.get("type") == "custom_tool_call_output"
    kind = kinds.get(call_id, "custom" if custom else "function")
    if item.get("type") == "tool_search_output":
        output = json_text(item.get("tools"))
    failed = isinstance(output, str) and _NOT_RUN.match(output) is not None
    if isinstance(output, dict) and "content" in output:
        failed = output.get("success") is False
        output = output["content"]
    content = tuple(content_parts(listed(output)))
    return Result(call_id, content, failed, kind)
