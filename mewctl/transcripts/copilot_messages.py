"""Events of a Copilot CLI session, once parsed, as messages.

Parts carry no raw block; opaque parts do. Events may hold values of any type in any
place. Must not decide which events are live.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mewctl.history.formats.blocks import (
    as_id,
    as_optional,
    as_text,
    json_text,
    opaque,
)
from mewctl.history.formats.openai_make import read_arguments
from mewctl.history.view import (
    Call,
    Content,
    Image,
    Message,
    Part,
    Result,
    Text,
    Thinking,
)
from mewctl.history.words import own_words
from mewctl.transcripts.earlier import compacted
from mewctl.transcripts.telling import as_object, listed, seconds

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from mewctl.history.view import Kind

# The sources of a user.message that the user typed; any other names who put it there.
_TYPED = ("", "user")


def told_of(event: Mapping[str, Any]) -> list[Any]:
    """What may be told of an event."""
    return [event.get("data")]


def _data(event: Mapping[str, Any]) -> Mapping[str, Any]:
    return as_object(event.get("data"))


def _time(event: Mapping[str, Any]) -> float | None:
    return seconds(event.get("timestamp"))


# --- the model ---


def assistant_message(
    answers: Sequence[Mapping[str, Any]],
    starts: Sequence[Mapping[str, Any]],
    model: str | None,
    cwd: str | None,
) -> Message | None:
    """The message of a response; None if there is nothing in it.

    ``answers`` may be executions that began without one. ``starts`` are those that
    began after it: they have the arguments that a request may lack. What is sealed for
    the provider is left out.
    """
    parts: list[Part] = []
    begun = {as_id(_data(event).get("toolCallId")): _data(event) for event in starts}
    for event in answers:
        data = _data(event)
        if event.get("type") == "tool.execution_start":
            parts.append(_call(data, {}))
            continue
        reasoning = as_text(data.get("reasoningText"))
        parts += [Thinking(reasoning)] if reasoning.strip() else []
        said = data.get("content")
        words = said if isinstance(said, str) or said is None else json_text(said)
        parts += [Text(words)] if words else []
        requests = map(as_object, listed(data.get("toolRequests")))
        parts += [
            _call(item, begun.get(as_id(item.get("toolCallId")), {}))
            for item in requests
        ]
        model = as_optional(data.get("model")) or model
    parts = [p for p in parts if not isinstance(p, Call) or p.id or p.name]
    if not parts:
        return None
    name = as_optional(_data(answers[0]).get("messageId"))
    return Message(
        "assistant", tuple(parts), _time(answers[0]), model, id=name, cwd=cwd
    )


def is_sealed(event: Mapping[str, Any]) -> bool:
    """Whether a response has reasoning that only its provider can read."""
    data = _data(event)
    sealed = data.get("reasoningOpaque") or data.get("encryptedContent")
    return bool(sealed) and not data.get("reasoningText")


def _call(about: Mapping[str, Any], start: Mapping[str, Any]) -> Call:
    """The call that a request or the start of an execution tells of."""
    asked = about.get("arguments")
    given = read_arguments(start.get("arguments") if asked is None else asked)
    custom = about.get("type") == "custom" and isinstance(given, str)
    kind: Kind = "custom" if custom else "function"
    name = as_text(about.get("name")) or as_text(about.get("toolName"))
    return Call(as_id(about.get("toolCallId")), name, given, kind)


# --- tools ---


def results_message(
    events: Sequence[Mapping[str, Any]], custom: Collection[str] = ()
) -> Message | None:
    """One message of role ``tool`` with the results of all ``events``.

    ``custom``: the ids of calls that take free text.
    """
    if not events:
        return None
    results = tuple(_result(_data(event), custom) for event in events)
    return Message("tool", results, _time(events[0]))


def _result(data: Mapping[str, Any], custom: Collection[str]) -> Result:
    name = as_id(data.get("toolCallId"))
    kind: Kind = "custom" if name in custom else "function"
    return Result(name, tuple(_content(data)), data.get("success") is False, kind)


def _content(data: Mapping[str, Any]) -> Iterator[Content]:
    """What the model got: the concise text, images, and why it failed."""
    result = data.get("result")
    about = as_object(result)
    said = about.get("content") if "content" in about else result
    if said is not None and said != "":
        yield Text(said if isinstance(said, str) else json_text(said))
    for item in listed(about.get("contents")):
        if as_object(item).get("type") == "image" and as_text(item.get("data")):
            yield Image(as_text(item.get("mimeType")), item["data"])
    error = data.get("error")
    why = as_object(error).get("message") or error
    if why and why != said:
        yield Text(why if isinstance(why, str) else json_text(why))


# --- the user, and what is said in the user's place ---


def other_messages(event: Mapping[str, Any], *, first: bool) -> Iterator[Message]:
    """What any other event says. ``first``: nothing was said before it."""
    kind, data, time = event.get("type"), _data(event), _time(event)
    if kind == "user.message":
        yield from _users(data, time)
        return
    words = as_text(data.get("content"))
    if kind == "session.compaction_complete":
        yield compacted(as_text(data.get("summaryContent")), time)
    elif kind == "system.message" and words and first:
        yield Message("system", (Text(words),), time)
    elif kind in ("system.message", "system.notification") and words:
        yield Message("user", (Text(words),), time, injected=True)


def _users(data: Mapping[str, Any], time: float | None) -> Iterator[Message]:
    """The words that were typed; then what was sent around them, as injected text."""
    said = data.get("content")
    words = said if isinstance(said, str) else "" if said is None else json_text(said)
    sent = as_text(data.get("transformedContent"))
    attached = [as_object(item) for item in listed(data.get("attachments"))]
    images = [_image(item) for item in attached]
    source = as_text(data.get("source"))
    injected = source not in _TYPED or not (own_words(words) or not words)
    parts: list[Part] = [Text(words)] if words else []
    parts += [image for image in images if image]
    if parts:
        yield Message("user", tuple(parts), time, injected=injected)
    around = sent.replace(words, "", 1) if words else sent
    beside: list[Part] = [Text(around)] if around.strip() else []
    if not sent:  # else it tells of them
        pairs = zip(attached, images, strict=True)
        beside += [opaque(item) for item, image in pairs if item and not image]
    if beside:
        yield Message("user", tuple(beside), time, injected=True)


def _image(item: Mapping[str, Any]) -> Image | None:
    kind, data = as_text(item.get("mimeType")), as_text(item.get("data"))
    return Image(kind, data) if kind.startswith("image/") and data else None


def users_tool(event: Mapping[str, Any]) -> Iterator[Message]:
    """A tool that the user ran, or what it gave, as injected text."""
    data = _data(event)
    parts: tuple[Part, ...] = ()
    if event.get("type") == "tool.user_requested":
        call = _call(data, {})
        given = call.input if isinstance(call.input, str) else json_text(call.input)
        parts = (Text(f"The user ran {call.name}: {given}"),)
    elif event.get("type") == "tool.execution_complete":
        parts = tuple(_content(data))
    if parts:
        yield Message("user", parts, _time(event), injected=True)
