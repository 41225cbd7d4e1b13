"""The ``mew`` format: the format of session logs, and the hub of conversions.

``{"role", "content", "tool_calls", "tool_results", "ts", "model", "usage"}``, where
``content`` is text or a list of blocks; results stand in role ``tool``. Also ``id``
(the provider's id of the message), ``injected`` (text of an agent, not the user's) and
``cwd`` (the directory in which its calls run, where it changes).
Blocks are those of ``formats.blocks``; any other block is kept as it is. Where text or
thinking follows a call, a block ``{"type": "tool_call", "id"}`` keeps the call's place.

Two records are no messages of their own: the compact marker ``{"type": "compact"}``,
and the envelope ``{"format", "ts", "model", "usage", "record"}`` around a message of
another format, which is seen through.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from mewctl.history import formats
from mewctl.history.formats import blocks
from mewctl.history.usage import as_record, normalise
from mewctl.history.view import (
    KINDS,
    Call,
    Kind,
    Message,
    Opaque,
    Part,
    Result,
    Text,
    Usage,
)

if TYPE_CHECKING:
    from mewctl.history.losses import Losses

NAME = "mew"
RESULTS_TOGETHER = True
#: The keys of a record that the view shows.
KEYS = frozenset(
    {
        "role",
        "content",
        "tool_calls",
        "tool_results",
        "ts",
        "model",
        "usage",
        "id",
        "injected",
        "cwd",
    }
)

_ROLES = ("system", "user", "assistant", "tool")
_PLACE = "tool_call"
_ABOUT = frozenset({"model", "usage", "id", "injected", "cwd"})


# --- reading ---


def view(value: Mapping[str, Any]) -> Message:
    """The view of a record; results come first, calls last or at their places.

    A record of an unknown role or type is one opaque part. Raises ``ValueError``.
    """
    role = value.get("role")
    if role not in _ROLES:
        return _view_other(value)
    parts = _parts(value)
    time = blocks.as_time(value["ts"]) if "ts" in value else None
    if _ABOUT.isdisjoint(value):
        return Message(role, parts, time)
    usage = value.get("usage")
    return Message(
        role,
        parts,
        time,
        blocks.as_optional(value.get("model")),
        None if usage is None else normalise(usage),
        blocks.as_optional(value.get("id")),
        value.get("injected") is True,
        cwd=blocks.as_optional(value.get("cwd")),
    )


def _parts(value: Mapping[str, Any]) -> tuple[Part, ...]:
    content = value.get("content")
    calls, results = value.get("tool_calls"), value.get("tool_results")
    if not calls and not results and isinstance(content, str):
        return (Text(content),)
    parts: list[Part] = []
    if results:
        parts += map(_read_result, blocks.as_list(results, "tool_results"))
    own = list(map(_read_call, blocks.as_list(calls, "tool_calls"))) if calls else []
    if isinstance(content, str):
        if content:
            parts.append(Text(content))
    else:
        for item in blocks.as_list(content, "content"):
            block = blocks.as_mapping(item, "content")
            placed = _placed(block, own)
            parts.append(placed or blocks.read_block(block))
    return (*parts, *own)


def _read_call(item: object) -> Call:
    entry = blocks.as_mapping(item, "tool_calls")
    return Call(
        blocks.as_id(entry.get("id")),
        blocks.as_text(entry.get("name")),
        blocks.call_input(entry.get("input")),
        _read_kind(entry["kind"]) if "kind" in entry else "function",
        entry,
    )


def _read_result(item: object) -> Result:
    entry = blocks.as_mapping(item, "tool_results")
    return Result(
        blocks.as_id(entry.get("tool_call_id")),
        blocks.read_content(entry.get("content"), "content of a result"),
        "is_error" in entry and entry["is_error"] is True,
        _read_kind(entry["kind"]) if "kind" in entry else "function",
        entry,
    )


def _read_kind(value: Any) -> Kind:
    """The kind of a call or result; one that nobody knows is a function's."""
    known = isinstance(value, str) and value in KINDS
    return cast("Kind", value) if known else "function"


def _placed(block: Mapping[str, Any], calls: list[Call]) -> Call | None:
    """The call whose place ``block`` keeps, taken out of ``calls``."""
    if block.get("type") == _PLACE:
        for i, call in enumerate(calls):
            if call.id == block.get("id"):
                return calls.pop(i)
    return None


def _view_other(value: Mapping[str, Any]) -> Message:
    if is_marker(value):
        time = blocks.as_time(value.get("ts"))
        return Message("system", (), time, marker=True)
    own = inner(value)
    if own is None:
        return blocks.unknown(value)
    message = own.view(value["record"])
    return replace(
        message,
        time=_first(blocks.as_time(value.get("ts")), message.time),
        model=_first(blocks.as_optional(value.get("model")), message.model),
        usage=_first(normalise(value.get("usage")), message.usage),
        id=_first(blocks.as_optional(value.get("id")), message.id),
        injected=value.get("injected") is True or message.injected,
    )


def _first(value: Any, other: Any) -> Any:
    return other if value is None else value


def is_marker(value: Mapping[str, Any]) -> bool:
    """Whether a record is the compact marker of a session log."""
    return value.get("type") == "compact" and "role" not in value


def is_envelope(value: Mapping[str, Any]) -> bool:
    """Whether a record is an envelope around a message of another format."""
    return (
        isinstance(value.get("format"), str)
        and isinstance(value.get("record"), Mapping)
        and "role" not in value
    )


def inner(value: Mapping[str, Any]) -> formats.Format | None:
    """The format inside an envelope; None if it is none, or of an unknown format."""
    if is_envelope(value) and value["format"] != NAME:
        try:
            return formats.load(value["format"])
        except KeyError:
            return None
    return None


# --- changing ---


def rebuild(value: Mapping[str, Any], parts: Sequence[Part]) -> dict[str, Any] | None:
    """``value`` with ``parts`` for its parts; None if nothing is left to say.

    Only what was changed is written anew. A marker stays what it is.
    """
    if value.get("role") not in _ROLES:
        return _rebuild_other(value, parts)
    if not parts:
        return None
    before = _parts(value)
    record = dict(value)
    results = [part for part in parts if isinstance(part, Result)]
    if results != [part for part in before if isinstance(part, Result)]:
        _put(record, "tool_results", [_keep_result(part) for part in results])
    rest = [part for part in parts if not isinstance(part, Result)]
    old = [part for part in before if not isinstance(part, Result)]
    if rest != old:
        calls = [part for part in rest if isinstance(part, Call)]
        _put(record, "tool_calls", [_keep_call(part) for part in calls])
        if not _same_places(rest, old):
            texts = [part for part in rest if isinstance(part, Text)]
            listed = isinstance(value.get("content"), list) or any(
                text.raw is not None for text in texts
            )
            record["content"] = _content(rest, blocks.keep_block, listed=listed)
    return record


def _rebuild_other(
    value: Mapping[str, Any], parts: Sequence[Part]
) -> dict[str, Any] | None:
    if is_marker(value):
        return dict(value)
    own = inner(value)
    if own is None:
        return dict(value) if parts else None
    record = own.rebuild(value["record"], parts)
    return None if record is None else {**value, "record": record}


def _put(record: dict[str, Any], key: str, entries: list[dict[str, Any]]) -> None:
    if entries:
        record[key] = entries
    else:
        record.pop(key, None)


def _same_places(new: Sequence[Part], old: Sequence[Part]) -> bool:
    """Whether only the inputs of calls differ: the content needs no change."""
    return len(new) == len(old) and all(
        a == b or (isinstance(a, Call) and isinstance(b, Call) and a.id == b.id)
        for a, b in zip(new, old, strict=True)
    )


def _keep_call(call: Call) -> dict[str, Any]:
    if call.raw is None:
        return _write_call(call)
    return {**call.raw, "input": call.input} if call.edited else dict(call.raw)


def _keep_result(result: Result) -> dict[str, Any]:
    raw = result.raw
    if raw is None or "tool_call_id" not in raw or "role" in raw:
        return _write_result(result)
    if not result.edited:
        return dict(raw)
    content = blocks.keep_content(raw.get("content"), result.content)
    return {**raw, "content": content}


def _content(
    parts: Sequence[Part], write: Any, *, listed: bool
) -> str | list[dict[str, Any]]:
    """The content: text if it is one text (unless ``listed``), or blocks."""
    own = [part for part in parts if not isinstance(part, Call)]
    if not own:
        return ""
    first = own[0]
    if len(own) == 1 and isinstance(first, Text) and not listed:
        plain = first.text or len(parts) == 1
        if plain and not blocks.misplaced(parts):
            return first.text
    return _with_places(parts, write)


def _with_places(parts: Sequence[Part], write: Any) -> list[dict[str, Any]]:
    """Content blocks; calls that something follows leave a block at their place."""
    last = max(
        (i for i, part in enumerate(parts) if not isinstance(part, Call)), default=0
    )
    return [
        {"type": _PLACE, "id": part.id} if isinstance(part, Call) else write(part)
        for part in parts[: last + 1]
    ]


# --- making ---


def make(message: Message, losses: Losses) -> list[dict[str, Any]]:
    """Records that say ``message``; nothing that a view can show is lost.

    Results become records of role ``tool`` of their own. The one loss there is: an
    opaque block that could be taken for the place of a call.
    """
    if message.marker:
        return [_with_head({"type": "compact"}, message)]
    records: list[dict[str, Any]] = []
    for are_results, parts in blocks.runs(message.parts):
        if are_results:
            results = [part for part in parts if isinstance(part, Result)]
            record = _result_record([_write_result(part) for part in results])
        else:
            record = _own_record(message, parts, losses)
        records.append(_with_head(record, message, first=not records))
    return records


def results_records(results: Sequence[Result]) -> list[dict[str, Any]]:
    """One record of role ``tool`` with ``results``; none for no results."""
    return [_result_record([_keep_result(part) for part in results])] if results else []


def envelope(
    name: str,
    record: Mapping[str, Any],
    *,
    time: float | None = None,
    model: str | None = None,
    usage: Usage | None = None,
) -> dict[str, Any]:
    """A message of the format ``name`` as a session log holds it."""
    value: dict[str, Any] = {"format": name}
    if time is not None:
        value["ts"] = _seconds(time)
    if model is not None:
        value["model"] = model
    if usage is not None:
        value["usage"] = as_record(usage)
    value["record"] = record
    return value


def _result_record(entries: list[dict[str, Any]]) -> dict[str, Any]:
    return {"role": "tool", "content": "", "tool_results": entries}


def _own_record(message: Message, parts: list[Part], losses: Losses) -> dict[str, Any]:
    kept: list[Part] = []
    for part in parts:
        if isinstance(part, Opaque) and part.raw.get("type") == _PLACE:
            losses.add(f"unknown block {_PLACE}")
        else:
            kept.append(part)
    from_tool = message.role == "tool"
    record: dict[str, Any] = {
        "role": "user" if from_tool else message.role,
        "content": _content(kept, blocks.write_block, listed=False),
    }
    if message.injected or from_tool:
        record["injected"] = True
    calls = [_write_call(part) for part in kept if isinstance(part, Call)]
    if calls:
        record["tool_calls"] = calls
    return record


def _write_call(call: Call) -> dict[str, Any]:
    entry: dict[str, Any] = {"id": call.id, "name": call.name, "input": call.input}
    if call.kind != "function":
        entry["kind"] = call.kind
    return entry


def _write_result(result: Result) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "tool_call_id": result.call_id,
        "content": blocks.write_content(result.content),
        "is_error": result.is_error,
    }
    if result.kind != "function":
        entry["kind"] = result.kind
    return entry


def _with_head(
    record: dict[str, Any], message: Message, *, first: bool = True
) -> dict[str, Any]:
    if message.time is not None:
        record["ts"] = _seconds(message.time)
    if first and message.cwd is not None:
        record["cwd"] = message.cwd
    if first and message.model is not None:
        record["model"] = message.model
    if first and message.usage is not None:
        record["usage"] = as_record(message.usage)
    if first and message.id is not None:
        record["id"] = message.id
    return record


def _seconds(time: float) -> float:
    """Unix seconds, as a whole number where they are one."""
    return int(time) if float(time).is_integer() else time
