"""Entries of a pi session, once parsed, as messages.

Parts carry no raw block; opaque parts do. Entries may hold values of any type in any
place: what cannot be read as a part is kept as an opaque part or as the JSON it is.
Must not decide which entries are live.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mewctl.history.formats.blocks import (
    as_id,
    as_optional,
    as_text,
    call_input,
)
from mewctl.history.usage import normalise
from mewctl.history.view import (
    Call,
    Image,
    Message,
    Part,
    Result,
    Text,
    Thinking,
)
from mewctl.history.words import own_words
from mewctl.transcripts.telling import (
    as_object,
    in_result,
    listed,
    loose,
    seconds,
    spoken,
    told_block,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from mewctl.history.view import Usage

# How a response ended that pi does not send again; it ran none of its calls.
_BROKEN_OFF = ("aborted", "error")
#: What pi writes around its summaries for the model.
COMPACTED = (
    "The conversation history before this point was compacted into the following "
    "summary:\n\n<summary>\n"
)
_BRANCHED = (
    "The following is a summary of a branch that this conversation came back from:"
    "\n\n<summary>\n"
)
END = "\n</summary>"


def told_of(entry: Mapping[str, Any]) -> list[Any]:
    """What may be told of an entry."""
    message = as_object(entry.get("message"))
    return [message.get("content"), entry.get("content")]


def _message(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    return as_object(entry.get("message"))


def _time(entry: Mapping[str, Any]) -> float | None:
    time = seconds(entry.get("timestamp"))
    return seconds(_message(entry).get("timestamp")) if time is None else time


# --- the model ---


def cut_off(entry: Mapping[str, Any], answered: Collection[str]) -> int:
    """How many calls of a response were never run, as it was broken off."""
    message = _message(entry)
    if message.get("stopReason") not in _BROKEN_OFF:
        return 0
    calls = (p for p in _parts(message.get("content")) if isinstance(p, Call))
    return sum(call.id not in answered for call in calls)


def assistant_message(
    entry: Mapping[str, Any], answered: Collection[str], cwd: str | None
) -> Message | None:
    """The message of a response; None if there is nothing in it.

    Of one that was broken off without the calls that are not ``answered``: they were
    not run. Its usage is left out, as it counts no whole response.
    """
    message = _message(entry)
    parts = _parts(message.get("content"))
    broken_off = message.get("stopReason") in _BROKEN_OFF
    if broken_off:
        parts = [p for p in parts if not isinstance(p, Call) or p.id in answered]
    if not parts:
        return None
    return Message(
        "assistant",
        tuple(parts),
        _time(entry),
        as_optional(message.get("model")),
        None if broken_off else _usage(message.get("usage")),
        as_optional(message.get("responseId")),
        cwd=cwd,
    )


def _usage(value: object) -> Usage | None:
    about = as_object(value)
    return normalise(
        {
            "input": about.get("input"),
            "output": about.get("output"),
            "cache_read": about.get("cacheRead"),
            "cache_write": about.get("cacheWrite"),
        }
    )


# --- tools ---


def _result(entry: Mapping[str, Any]) -> Result:
    """The result that an entry of role ``toolResult`` holds."""
    message = _message(entry)
    content = tuple(
        in_result(_part(item), item) for item in listed(message.get("content"))
    )
    kept = tuple(p for p in content if not isinstance(p, Text) or p.text)
    failed = message.get("isError") is True
    return Result(as_id(message.get("toolCallId")), kept, failed)


def results_message(entries: Sequence[Mapping[str, Any]]) -> Message | None:
    """One message of role ``tool`` with the results of all ``entries``."""
    if not entries:
        return None
    return Message("tool", tuple(map(_result, entries)), _time(entries[0]))


# --- the user, and what pi says in the user's place ---


def other_messages(entry: Mapping[str, Any]) -> Iterator[Message]:
    """What any other entry says; nothing for one that the model does not see."""
    time = _time(entry)
    message = _message(entry)
    if message.get("role") == "user":
        parts = _parts(message.get("content"))
        yield from spoken(((_injected(part), part) for part in parts), time)
        return
    told = _injected_parts(entry, message)
    if told:
        yield Message("user", tuple(told), time, injected=True)


def _injected(part: Part) -> bool:
    return isinstance(part, Text) and not own_words(part.text)


def _injected_parts(
    entry: Mapping[str, Any], message: Mapping[str, Any]
) -> Sequence[Part]:
    kind, role = entry.get("type"), message.get("role")
    if kind == "compaction" or role == "compactionSummary":
        return _summary(COMPACTED, entry, message)
    if kind == "branch_summary" or role == "branchSummary":
        return _summary(_BRANCHED, entry, message)
    if role == "bashExecution":
        return _shell(message)
    return _parts(entry.get("content") if kind == "custom_message" else None) or (
        _parts(message.get("content"))
    )


def _summary(
    before: str, entry: Mapping[str, Any], message: Mapping[str, Any]
) -> Sequence[Part]:
    summary = as_text(entry.get("summary")) or as_text(message.get("summary"))
    return [Text(f"{before}{summary}{END}")] if summary else []


def _shell(message: Mapping[str, Any]) -> Sequence[Part]:
    """A command that the user ran, as pi shows it to the model."""
    if message.get("excludeFromContext") is True:
        return []
    output, code = as_text(message.get("output")), message.get("exitCode")
    lines = [f"Ran `{as_text(message.get('command'))}`"]
    lines.append(f"```\n{output}\n```" if output else "(no output)")
    if message.get("cancelled") is True:
        lines.append("\n(command cancelled)")
    elif isinstance(code, int) and code:
        lines.append(f"\nCommand exited with code {code}")
    path = as_text(message.get("fullOutputPath"))
    if message.get("truncated") is True and path:
        lines.append(f"\n[Output truncated. Full output: {path}]")
    return [Text("\n".join(lines))]


# --- parts ---


def _parts(content: object) -> list[Part]:
    parts = [_part(item) for item in listed(content)]
    return [part for part in parts if not isinstance(part, Text) or part.text]


def _part(item: Any) -> Part:
    if not isinstance(item, dict):
        return loose(item)
    kind = item.get("type")
    if kind == "toolCall":
        given = call_input(item.get("arguments"))
        return Call(as_id(item.get("id")), as_text(item.get("name")), given)
    if kind == "image" and as_text(item.get("data")):
        return Image(as_text(item.get("mimeType")), item["data"])
    if kind == "thinking" and isinstance(item.get("thinking"), str):
        seal = as_text(item.get("thinkingSignature"))
        sealed = item.get("redacted") is True and bool(seal)
        return Thinking("" if sealed else item["thinking"], seal, redacted=sealed)
    return told_block(item)
