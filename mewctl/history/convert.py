"""Converting histories between formats: a mapping of messages, with its losses.

Gives only what the target's API takes, and counts what it cannot say. Whether calls
and results pair up is not its business: ``history.repair`` makes histories valid.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from mewctl.history import responses
from mewctl.history.formats import anthropic, blocks, load, mew, openai
from mewctl.history.formats import responses as item_format
from mewctl.history.formats.responses_items import TOLD, type_of
from mewctl.history.formats.responses_shell import odd_outcomes
from mewctl.history.items import Found, Kinds, joined, without_others_thinking
from mewctl.history.lens import of_answer
from mewctl.history.view import Call, Image, Message, Part, Result, Text, Thinking
from mewctl.streams.jsonvalue import dumps, loads

if TYPE_CHECKING:
    from mewctl.history.formats import Format
    from mewctl.history.losses import Losses

#: Keys of blocks that the view shows, by what they are shown as.
_BLOCK_KEYS: dict[type, frozenset[str]] = {
    Text: frozenset({"type", "text"}),
    Thinking: frozenset({"type", "thinking", "signature", "data", "reasoning_content"}),
    Image: frozenset({"type", "source", "image_url", "file_id"}),
    Call: frozenset({"type", "id", "name", "input", "kind", "function", "custom"}),
    Result: frozenset(
        {"type", "tool_use_id", "tool_call_id", "content", "is_error", "kind"}
    ),
}
_NOTHING: tuple[object, ...] = (None, "", False, [], {})  # what a key may say


def convert(
    messages: Iterable[Message], source: str, target: Format, losses: Losses
) -> Iterator[dict[str, Any]]:
    """Records of ``target`` that say ``messages``, as these come.

    ``source`` is the format or the reader the messages are of. System text after the
    first other message becomes injected text of the user. Results that answer one
    assistant message come out together where the target has them so.
    """
    return _write(((message, None) for message in messages), source, target, losses)


def convert_records(
    values: Iterable[Mapping[str, Any]], source: Format, target: Format, losses: Losses
) -> Iterator[dict[str, Any]]:
    """Records of ``source`` as records of ``target``, as these come.

    The very records, where both are the same format or an envelope holds a record of
    the target; a provider's response gives its message. Raises ``ValueError`` for a
    value that is no message and ``BadInput`` for a response without one, while the
    last value taken from ``values`` is the one at fault.
    """
    found = (item for value in values for item in _read(value, source, target, losses))
    return _write(found, source.NAME, target, losses)


def request_pieces(lines: Iterable[bytes], target: Format) -> Iterator[bytes]:
    """The JSON of one request body with the records ``lines`` of ``target``.

    ``{"system", "messages"}`` for anthropic, ``{"messages"}`` for openai and
    ``{"instructions", "input"}`` for responses: all a request needs but a model. It
    holds the records as the bytes they are. Raises ``ValueError`` for a format that is
    no API's.
    """
    if target.NAME not in _TALK:
        raise ValueError(f"{target.NAME} is no format of an API's requests")
    key, system = _TALK[target.NAME]
    stream = iter(lines)
    first: list[Any] = []  # contents of leading system text
    talk: list[bytes] = []  # the record behind it
    for line in stream if system else ():
        value = loads(line, exact=True)
        if not _leads(value, target) or (first and key == "input"):
            talk.append(line)
            break
        first.append(value.get("content"))
    told = {system: _system(first)} if first else {}
    opening = dumps({**told, key: []})
    yield opening[:-2]
    comma = b""
    for line in chain(talk, stream):
        yield comma + line
        comma = b","
    yield opening[-2:]


#: By API: the key of the messages in a request, and that of its system text.
_TALK = {
    anthropic.NAME: ("messages", "system"),
    openai.NAME: ("messages", ""),
    item_format.NAME: ("input", "instructions"),
}


def _leads(value: Mapping[str, Any], target: Format) -> bool:
    """Whether a record is system text that has a place of its own in a request.

    In one for the Responses API only plain text has; other text stays an item.
    """
    role = value.get("role")
    if target.NAME == anthropic.NAME:
        return role == "system"
    plain = isinstance(value.get("content"), str)
    return role in ("system", "developer") and plain


def _system(contents: Sequence[Any]) -> Any:
    """The ``system`` of a request: one content as it is, or all blocks of several."""
    if len(contents) == 1:
        return contents[0]
    found: list[Any] = []
    for content in contents:
        if isinstance(content, list):
            found += content
        else:
            found.append({"type": "text", "text": content})
    return found


# --- reading ---


def _read(
    value: Mapping[str, Any], source: Format, target: Format, losses: Losses
) -> list[Found]:
    answer = responses.read(value, "a provider response")
    if answer is not None:
        return _read_answer(answer, target, losses)
    if source.NAME == target.NAME:
        return [(None, value)]
    inner = mew.inner(value) if source.NAME == mew.NAME else None
    message = source.view(value)
    if message.marker or blocks.is_unknown(message):
        return [(message, None)]
    if inner is None:
        _count_keys(value, source.KEYS, losses)
    elif inner.NAME == target.NAME:
        return [(message, value["record"])]
    else:
        _count_keys(value["record"], inner.KEYS, losses)
    return [(message, None)]


def _read_answer(
    answer: responses.Answer, target: Format, losses: Losses
) -> list[Found]:
    losses.add("other choice of a response", answer.left_out)
    message = of_answer(answer)
    if answer.format == target.NAME:
        more: list[Found] = [(None, record) for record in answer.more]
        return [(message, answer.record), *more]
    for record in answer.records:
        _count_keys(record, load(answer.format).KEYS, losses)
    return [(message, None)]


# --- writing ---


def _write(
    items: Iterable[Found], source: str, target: Format, losses: Losses
) -> Iterator[dict[str, Any]]:
    """Records of ``target``; results that answer one message are put together."""
    held: list[Message] = []
    for item in _fit_all(items, source, target, losses):
        if (
            isinstance(item, Message)
            and target.RESULTS_TOGETHER
            and _only_results(item)
        ):
            held.append(item)
            continue
        if held:
            yield from target.make(_joined(held, losses), losses)
            held = []
        if isinstance(item, Message):
            yield from target.make(item, losses)
        else:
            yield dict(item)
    if held:
        yield from target.make(_joined(held, losses), losses)


def _only_results(message: Message) -> bool:
    parts = message.parts
    return bool(parts) and all(isinstance(part, Result) for part in parts)


def _joined(messages: Sequence[Message], losses: Losses) -> Message:
    first = messages[0]
    if len(messages) == 1:
        return first
    losses.add("time", sum(m.time not in (None, first.time) for m in messages))
    return replace(first, parts=tuple(part for m in messages for part in m.parts))


def _fit_all(
    items: Iterable[Found], source: str, target: Format, losses: Losses
) -> Iterator[Message | Mapping[str, Any]]:
    """What the target can take: messages for it to make, or records of its own."""
    hub = target.NAME == mew.NAME  # has a place for what is no part of a message
    kinds = Kinds(source) if target.NAME == item_format.NAME else None
    talk = False  # a message other than system text has been seen
    for message, record in joined(items, losses):
        if message is not None and not hub:
            _count_head(message, losses)
        if record is not None:
            if kinds and message is not None:
                kinds.note(message)
            talk = talk or record.get("role") != "system"
            yield record
            continue
        if message is None or not _taken(message, losses, hub=hub):
            continue
        fitted = _fitted(message, source, target, losses)
        fitted = kinds.paired(fitted, losses) if kinds else fitted
        if fitted.role != "system":
            talk = True
        elif talk and not fitted.marker:
            losses.add("later system text")
            fitted = replace(fitted, role="user", injected=True)
        yield fitted


def _taken(message: Message, losses: Losses, *, hub: bool) -> bool:
    if message.marker and not hub:
        losses.add("compact marker")
        return False
    if blocks.is_unknown(message):
        losses.add("unknown record")
        return False
    return True


def _fitted(message: Message, source: str, target: Format, losses: Losses) -> Message:
    """``message`` without what its parts' own blocks have and nobody else's."""
    for part in message.parts:
        _count_block(part, losses)
    return without_others_thinking(message, source, target.NAME, losses)


# --- counting ---


def _count_head(message: Message, losses: Losses) -> None:
    """Count what an API's message has no place for."""
    losses.add("usage", message.usage is not None)
    losses.add("model", message.model is not None)
    losses.add("time", message.time is not None)
    losses.add("message id", message.id is not None)
    losses.add("injected mark", message.injected)
    losses.add("working directory", message.cwd is not None)


def _count_keys(
    value: Mapping[str, Any], known: frozenset[str], losses: Losses
) -> None:
    """Count the keys of ``value`` that say something and are not ``known``."""
    if not value.keys() <= known:
        for key, item in value.items():
            if key not in known and item not in _NOTHING:
                losses.add(f"key {key}")


def _count_block(part: Part, losses: Losses) -> None:
    known = _BLOCK_KEYS.get(type(part))
    if known is None or part.raw is None or "role" in part.raw:
        return  # an opaque block is kept or lost as a whole; a record is counted as one
    if type_of(part.raw) not in TOLD:  # an item is a record, too
        _count_keys(part.raw, known, losses)
    if isinstance(part, Result):
        if part.kind == "shell":
            losses.add("exit code", odd_outcomes(part.raw.get("output")))
        for item in part.content:
            _count_block(item, losses)
    if isinstance(part, Image):
        image = part.raw.get("image_url")
        if isinstance(image, Mapping):
            _count_keys(image, frozenset({"url"}), losses)
