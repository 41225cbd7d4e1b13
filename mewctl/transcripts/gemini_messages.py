"""Messages of a Gemini CLI session, once parsed, as messages.

A message of the model holds its calls and their results; they become an assistant
message and one of role ``tool``. Parts carry no raw block; opaque parts do. Records may
hold values of any type in any place. Must not decide which messages are live.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mewctl.history.formats.blocks import (
    as_id,
    as_optional,
    as_text,
    call_input,
    json_text,
    opaque,
)
from mewctl.history.usage import normalise
from mewctl.history.view import (
    Call,
    Content,
    Image,
    Message,
    Opaque,
    Part,
    Result,
    Text,
    Thinking,
)
from mewctl.history.words import own_words
from mewctl.transcripts.telling import as_object, listed, loose, seconds, spoken

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mewctl.history.view import Usage

_FAILED = ("error", "cancelled")
# What Gemini CLI carries out itself; nothing of it goes to the model.
_SWITCH = re.compile(r"\s*(?:/[\w:-]*|\?)\s*")


def told_of(record: Mapping[str, Any]) -> list[Any]:
    """What may be told of a message."""
    keys = ("content", "displayContent", "thoughts", "toolCalls")
    return [record.get(key) for key in keys]


# --- the user ---


def user_messages(record: Mapping[str, Any], answered: set[str]) -> Iterator[Message]:
    """What a record of the user says; nothing for a command the model never got.

    Where Gemini CLI shows other words than it sent (a command's prompt, files that
    were named), the shown ones are the user's and the rest is injected. Results of
    calls that are ``answered`` are copies; those of other calls are told, and added.
    """
    time = seconds(record.get("timestamp"))
    parts = list(_parts(record.get("content")))
    results = [p for p in parts if isinstance(p, Result) and p.call_id not in answered]
    if results:
        answered.update(result.call_id for result in results)
        yield Message("tool", tuple(results), time)
    told = [part for part in parts if not isinstance(part, Result)]
    shown = _plain(record.get("displayContent"))
    sent = _plain(record.get("content"))
    if shown.strip() and shown != sent:
        yield from spoken(_shown_first(shown, told), time)
    elif not _SWITCH.fullmatch(sent) or len(told) != 1:
        yield from spoken(((_injected(part), part) for part in told), time)


def _shown_first(shown: str, parts: Sequence[Part]) -> Iterator[tuple[bool, Part]]:
    """The words that were shown, then what else was sent."""
    yield False, Text(shown)
    for number, part in enumerate(parts):
        if not isinstance(part, Text):
            yield number > 0, part
            continue
        rest = part.text.removeprefix(shown) if number == 0 else part.text
        if rest:
            yield True, Text(rest)


def _injected(part: Part) -> bool:
    return isinstance(part, Text) and not own_words(part.text)


def _plain(content: object) -> str:
    return "".join(p.text for p in _parts(content) if isinstance(p, Text))


# --- the model ---


def model_messages(record: Mapping[str, Any], answered: set[str]) -> Iterator[Message]:
    """A message of the model, and the results of its calls."""
    time = seconds(record.get("timestamp"))
    calls = [as_object(call) for call in listed(record.get("toolCalls"))]
    said = list(_parts(record.get("content")))
    results = [part for part in said if isinstance(part, Result)]
    parts: list[Part] = [*_thoughts(record.get("thoughts"))]
    parts += [part for part in said if not isinstance(part, Result)]
    parts += _other_calls(parts, calls)
    if parts:
        yield Message(
            "assistant",
            tuple(parts),
            time,
            as_optional(record.get("model")),
            _usage(record.get("tokens")),
        )
    results += [r for call in calls if (r := _result(call)) is not None]
    if results:
        answered.update(result.call_id for result in results)
        times = [seconds(call.get("timestamp")) for call in calls]
        yield Message("tool", tuple(results), next(iter(times), time) or time)


def _thoughts(thoughts: object) -> Iterator[Thinking]:
    for thought in listed(thoughts):
        about = as_object(thought)
        said = (as_text(about.get("subject")), as_text(about.get("description")))
        text = "\n".join(part for part in said if part)
        if text:
            yield Thinking(text)


def _other_calls(
    parts: Sequence[Part], calls: Sequence[Mapping[str, Any]]
) -> Iterator[Call]:
    """The calls that do not stand among ``parts`` already."""
    there = [part for part in parts if isinstance(part, Call)]
    ids = {call.id for call in there if call.id}
    unnamed = [(call.name, call.input) for call in there if not call.id]
    for call in calls:
        made = Call(
            as_id(call.get("id")),
            as_text(call.get("name")),
            call_input(call.get("args")),
        )
        if made.id in ids or not (made.id or made.name):
            continue
        if (made.name, made.input) in unnamed:
            unnamed.remove((made.name, made.input))
        else:
            yield made


def _usage(tokens: object) -> Usage | None:
    """Gemini's counts: cached tokens are part of the input, thoughts are output."""
    about = as_object(tokens)

    def total(*keys: str) -> int:
        counts = (about.get(key) for key in keys)
        return sum(c for c in counts if isinstance(c, int) and c > 0)

    return normalise(
        {
            "prompt_tokens": total("input", "tool"),
            "prompt_tokens_details": {"cached_tokens": total("cached")},
            "completion_tokens": total("output", "thoughts"),
        }
    )


# --- results ---


def _result(call: Mapping[str, Any]) -> Result | None:
    """The result of a call; None if it has none.

    Gemini CLI may write the results of all calls of a message into each of them: what
    follows the response to another call is that one's.
    """
    items = listed(call.get("result"))
    if not items:
        return None
    named = as_id(call.get("id"))
    answers = [_answers(item) for item in items]
    known = named in answers or "" in answers
    content: list[Content] = []
    failed = call.get("status") in _FAILED
    own = True
    for item, answer in zip(items, answers, strict=True):
        if answer is None:
            content += _contents([item]) if own else ()
            continue
        own = not known or answer in (named, "")
        if own:
            result = _response(item["functionResponse"])
            content += result.content
            failed = failed or result.is_error
    return Result(named, tuple(content), failed)


def _answers(item: object) -> str | None:
    """The id of the call that a part answers; None if it answers none."""
    response = as_object(item).get("functionResponse")
    return as_id(response.get("id")) if isinstance(response, dict) else None


def _response(about: Mapping[str, Any]) -> Result:
    """What a ``functionResponse`` says."""
    given = about.get("response")
    response = as_object(given)
    said = [
        response[key] for key in ("output", "error") if response.get(key) is not None
    ]
    if not said and given not in (None, {}):
        said = [given]
    texts = [item if isinstance(item, str) else json_text(item) for item in said]
    content: list[Content] = [Text(text) for text in texts if text]
    content += _contents(listed(about.get("parts")))
    failed = response.get("error") is not None and response.get("output") is None
    return Result(as_id(about.get("id")), tuple(content), failed)


def _contents(items: Sequence[Any]) -> Iterator[Content]:
    for item in items:
        part = _part(item)
        if isinstance(part, Text):
            if part.text:
                yield part
        elif isinstance(part, (Image, Opaque)):
            yield part
        else:
            yield opaque(item, next(iter(item)))


# --- parts ---


def _parts(content: object) -> Iterator[Part]:
    """The parts of a content: text, one part, or a list of them."""
    for item in listed(content):
        part = _part(item)
        if not isinstance(part, (Text, Thinking)) or part.text:
            yield part


def _part(item: Any) -> Part:
    if not isinstance(item, dict):
        return loose(item)
    call, response = item.get("functionCall"), item.get("functionResponse")
    if isinstance(call, dict):
        name = as_text(call.get("name"))
        return Call(as_id(call.get("id")), name, call_input(call.get("args")))
    if isinstance(response, dict):
        return _response(response)
    text = item.get("text")
    if isinstance(text, str):
        if item.get("thought") is True:
            return Thinking(text, as_text(item.get("thoughtSignature")))
        return Text(text)
    return _image(item) or opaque(item, next(iter(item), ""))


def _image(item: Mapping[str, Any]) -> Image | None:
    inline, file = as_object(item.get("inlineData")), as_object(item.get("fileData"))
    kind = as_text(inline.get("mimeType") or file.get("mimeType"))
    data, url = as_text(inline.get("data")), as_text(file.get("fileUri"))
    if not kind.startswith("image/") or not (data or url):
        return None
    return Image(kind, data) if data else Image(kind, url=url)
