"""The dropped span as plain text, which a model is given as data. Pure.

``role: text``, ``[call NAME id=ID] ARGUMENTS``, ``[result id=ID isError=BOOL] TEXT``.
Thinking is left out, images and documents are a note, no character of the text is
hidden. Owns no wording of the prompt around it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.compact.quote import clip, ends, escape
from mewctl.history.view import Call, Image, Opaque, Result, Text
from mewctl.streams.jsonvalue import dumps

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mewctl.history.view import Content, Message, Part

#: The role of text that an agent put into a user's message.
INJECTED = "injected"


def turns(messages: Iterable[Message], most: int) -> list[tuple[str, ...]]:
    """The messages as flattened texts, grouped by turn.

    ``most``: characters of one call's arguments or one result's text; what is longer
    keeps its beginning and end.
    """
    found: list[tuple[str, ...]] = []
    turn: list[str] = []
    for message in messages:
        starts = message.role == "user" and not message.injected
        if starts and turn:
            found.append(tuple(turn))
            turn = []
        text = "\n".join(lines(message, most))
        if text:
            turn.append(text)
    return [*found, tuple(turn)] if turn else found


def shorter(flat: str, most: int) -> str:
    """A flattened message with each call and result cut to ``most`` characters."""
    return "\n".join(
        cut(line, most) if line.startswith(("[call ", "[result ")) else line
        for line in _entries(flat)
    )


def _entries(flat: str) -> Iterator[str]:
    """The parts of a flattened message: those of calls and results whole."""
    held: list[str] = []
    for line in flat.split("\n"):
        if line.startswith(("[call ", "[result ", "user: ", "assistant: ")) and held:
            yield "\n".join(held)
            held = []
        held.append(line)
    yield "\n".join(held)


def lines(message: Message, most: int = 0) -> Iterator[str]:
    """The parts of a message, one text each. ``most`` 0: nothing is cut."""
    role = INJECTED if message.injected else message.role
    for part in message.parts:
        text = _part(part, role, most)
        if text:
            yield text


def _part(part: Part, role: str, most: int) -> str:
    if isinstance(part, Call):
        return (
            f"[call {_word(part.name)} id={_word(part.id)}] {cut(_input(part), most)}"
        )
    if isinstance(part, Result):
        error = "true" if part.is_error else "false"
        body = "\n".join(filter(None, map(_content, part.content)))
        return f"[result id={_word(part.call_id)} isError={error}] {cut(body, most)}"
    if isinstance(part, (Text, Image, Opaque)):
        text = _content(part)
        return f"{role}: {text}" if text else ""
    return ""  # thinking


def _content(part: Content) -> str:
    if isinstance(part, Text):
        return escape(part.text)
    return "[image]" if isinstance(part, Image) else f"[{_word(part.kind)}]"


def _input(call: Call) -> str:
    if isinstance(call.input, Mapping):
        return escape(dumps(dict(call.input)).decode("utf-8", "backslashreplace"))
    return escape(call.input)


def _word(text: str) -> str:
    return clip("".join(escape(text).split()), limits.FLAT_NAME)


def cut(text: str, most: int) -> str:
    """``text`` with about ``most`` characters: two thirds beginning, one third end."""
    if not most or len(text) <= most:
        return text
    head, left_out, tail = ends(text, most * 2 // 3, most - most * 2 // 3)
    return f"{head}\n[... {left_out} characters left out ...]\n{tail}"
