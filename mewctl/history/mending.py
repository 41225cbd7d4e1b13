"""The parts of a repaired message, from the pieces its plan names.

Pure. Must not decide what is wrong, nor know how a format writes parts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from mewctl.history.findings import NO_ERROR_TEXT, NO_RESULT, injected
from mewctl.history.shape import is_blank_block, is_legacy, is_null
from mewctl.history.steps import Absent, Answer, Own, Step, Words
from mewctl.history.view import Call, Result, Text, Thinking

if TYPE_CHECKING:
    from collections.abc import Callable

    from mewctl.history.rules import Rules
    from mewctl.history.steps import Piece
    from mewctl.history.view import Message, Part

    View = Callable[[int], Message]

_RESULT_KEYS = ("tool_use_id", "tool_call_id")  # where formats keep a result's id


def parts_of(step: Step, view: View, rules: Rules) -> list[Part]:
    """The parts of the message that ``step`` describes."""
    parts = [part for piece in step.pieces for part in _parts(piece, view, rules)]
    if step.role == "assistant" and len(step.pieces) > 1:
        return _thinking_first(parts)
    return parts


def _parts(piece: Piece, view: View, rules: Rules) -> list[Part]:
    if isinstance(piece, Own):
        return _own(piece, view(piece.item), rules)
    if isinstance(piece, Answer):
        return [_answer(piece, view(piece.result.item), rules)]
    if isinstance(piece, Absent):
        return [_absent(piece, view(piece.call.item))]
    if isinstance(piece, Words):
        return [Text(injected(piece.text))]
    assert_never(piece)


def _own(piece: Own, message: Message, rules: Rules) -> list[Part]:
    """What a message says itself, without what the API would refuse."""
    if piece.reminder:
        return _reminder(message)
    speaks = message.role == "assistant"
    renamed = dict(piece.renamed)
    calls = -1
    parts: list[Part] = []
    for part in message.parts:
        if isinstance(part, Call) and not is_legacy(part):
            calls += 1
            if speaks:
                new = renamed.get(calls)
                parts.append(part if new is None else _rename_call(part, new))
        elif not isinstance(part, Result) and not (
            rules.strict_blocks and _refused(part, speaks and piece.thinking)
        ):
            parts.append(part)
    return parts


def _reminder(message: Message) -> list[Part]:
    """System text as text of the user's side that is not the user's."""
    images = list(message.images)
    texts = [part.text for part in message.parts if isinstance(part, Text)]
    said = "\n".join(text for text in texts if text.strip())
    return [Text(injected(said)), *images] if said else [*images]


def _refused(part: Part, thinks: bool) -> bool:  # noqa: FBT001 - a fact about the message
    if isinstance(part, Thinking):
        return not thinks
    return isinstance(part, Text) and not part.text.strip()


def _thinking_first(parts: list[Part]) -> list[Part]:
    """Parts of two responses, of which one has thinking: its beginning comes first."""
    start = next((i for i, p in enumerate(parts) if isinstance(p, Thinking)), 0)
    end = start
    while end < len(parts) and isinstance(parts[end], Thinking):
        end += 1
    return parts[start:end] + parts[:start] + parts[end:]


def _rename_call(call: Call, new: str) -> Call:
    raw = None if call.raw is None else {**call.raw, "id": new}
    return replace(call, id=new, raw=raw)


def _answer(piece: Answer, message: Message, rules: Rules) -> Result:
    result = message.results[piece.result.nth]
    if piece.call_id:
        raw = result.raw
        if raw is not None:
            raw = {**raw, **{k: piece.call_id for k in _RESULT_KEYS if k in raw}}
        result = replace(result, call_id=piece.call_id, raw=raw)
    if rules.strict_blocks:
        return _with_words(result)
    if is_null(result):
        return replace(result, content=(Text(""),), edited=True)
    return result


def _with_words(result: Result) -> Result:
    content = tuple(part for part in result.content if not is_blank_block(part))
    blank = all(isinstance(part, Text) and not part.text.strip() for part in content)
    if result.is_error and blank:
        content = (Text(NO_ERROR_TEXT),)
    if content == result.content:
        return result
    return replace(result, content=content, edited=True)


def _absent(piece: Absent, message: Message) -> Result:
    calls = [call for call in message.calls if not is_legacy(call)]
    call = calls[piece.call.nth]
    call_id = piece.call_id or call.id
    return Result(call_id, (Text(NO_RESULT),), is_error=True, kind=call.kind)
