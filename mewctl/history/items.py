"""What a conversion has to know of the Responses API: one answer is several items.

Items become one message of another format; a result gets the kind of its call; and
thinking goes only to the API whose model thought it. Must not write records.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from mewctl.history.formats import anthropic, mew, openai
from mewctl.history.formats import responses as items
from mewctl.history.view import Call, Message, Part, Result, Thinking

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mewctl.history.losses import Losses
    from mewctl.history.view import Kind

#: A message to convert, or a record that is of the target's format already.
Found: TypeAlias = tuple[Message | None, Mapping[str, Any] | None]

#: Sources whose thinking an API takes back, by its format.
_OWN_SOURCES = {
    anthropic.NAME: ("anthropic", "claude-code"),
    items.NAME: ("responses", "codex"),
}
_OWN_MODELS = {
    anthropic.NAME: re.compile(r"claude"),
    items.NAME: re.compile(r"gpt|codex|(?:^|[/.])o\d"),
}
#: How OpenAI's encrypted reasoning begins: a Fernet token, whose first byte is 128.
_FERNET = "gAAAA"


def joined(found: Iterable[Found], losses: Losses) -> Iterator[Found]:
    """The same, with items of the assistant in a row as one message."""
    held: list[Message] = []
    for message, record in found:
        if record is not None or message is None or not message.item:
            yield from _one(held, losses)
            yield message, record
            continue
        if not message.continues(held[-1] if held else None):
            yield from _one(held, losses)
        held.append(message)
    yield from _one(held, losses)


def _one(held: list[Message], losses: Losses) -> Iterator[Found]:
    """The items held as one message; none are held after that."""
    if held:
        yield _joined(held, losses), None
        held.clear()


def _joined(messages: Sequence[Message], losses: Losses) -> Message:
    first = messages[0]
    if len(messages) == 1:
        return first
    times = [m.time for m in messages if m.time is not None]
    models = [m.model for m in messages if m.model is not None]
    usages = [m.usage for m in messages if m.usage is not None]
    ids = [m.id for m in messages if m.id is not None]
    losses.add("time", sum(time != times[0] for time in times))
    losses.add("model", sum(model != models[-1] for model in models))
    losses.add("usage", len(usages) - 1)
    losses.add("message id", len(ids) - 1)
    return replace(
        first,
        parts=tuple(part for m in messages for part in m.parts),
        time=times[0] if times else None,
        model=models[-1] if models else None,
        usage=usages[-1] if usages else None,
        id=ids[0] if ids else None,
        cwd=next((m.cwd for m in messages if m.cwd is not None), None),
    )


class Kinds:
    """The kinds of the calls so far. A result of another kind would answer nothing."""

    def __init__(self, source: str) -> None:
        self._tells = source != openai.NAME  # whose results do not say their kind
        self._kinds: dict[str, Kind] = {}

    def note(self, message: Message) -> None:
        """Take in a message that stays as it is."""
        self._kinds.update((call.id, call.kind) for call in message.calls)

    def paired(self, message: Message, losses: Losses) -> Message:
        """``message`` with results of the kinds of their calls."""
        parts: list[Part] = []
        for part in message.parts:
            if isinstance(part, Call):
                self._kinds[part.id] = part.kind
            elif isinstance(part, Result):
                kind = self._kinds.get(part.call_id, part.kind)
                if kind != part.kind:
                    losses.add(f"kind of a {part.kind} result", self._tells)
                    parts.append(replace(part, kind=kind))
                    continue
            parts.append(part)
        return replace(message, parts=tuple(parts))


def without_others_thinking(
    message: Message, source: str, target: str, losses: Losses
) -> Message:
    """``message`` without thinking that the API behind ``target`` would refuse.

    Signed or encrypted thinking is a provider's own. Where neither the source nor the
    model says whose it is, the form of the signature does.
    """
    if target not in _OWN_SOURCES:
        return message
    parts = tuple(
        part
        for part in message.parts
        if not isinstance(part, Thinking) or _is_own(part, message, source, target)
    )
    losses.add("thinking of another model", len(message.parts) - len(parts))
    return replace(message, parts=parts)


def _is_own(part: Thinking, message: Message, source: str, target: str) -> bool:
    if source in _OWN_SOURCES[target]:
        return True
    if message.model is not None:
        return _OWN_MODELS[target].search(message.model.lower()) is not None
    encrypted = part.signature.startswith(_FERNET)
    return source == mew.NAME and encrypted is (target == items.NAME)
