"""The parts of a repaired message, from the pieces its plan names.

Pure. Must not decide what is wrong, nor know how a format writes parts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mewctl.history.findings import NO_ERROR_TEXT, NO_RESULT, injected
from mewctl.history.formats.responses_items import CALLS, type_of
from mewctl.history.shape import is_blank_block, is_legacy, is_null
from mewctl.history.steps import Absent, Answer, Own
from mewctl.history.view import Call, Result, Text, Thinking

if TYPE_CHECKING:
    from collections.abc import Callable

    from mewctl.history.pairing import Place
    from mewctl.history.rules import Rules
    from mewctl.history.steps import Piece, Step
    from mewctl.history.view import Message, Part

    View = Callable[[int], Message]

# where formats keep a result's id
_RESULT_KEYS = ("tool_use_id", "tool_call_id", "call_id")


class Bench:
    """Where repaired messages are put together. ``view`` shows a message of the plan.

    Remembers the results and the calls looked at last: one message may have many.
    """

    def __init__(self, view: View, rules: Rules) -> None:
        self._view = view
        self._rules = rules
        self._results: tuple[int, tuple[Result, ...]] = (-1, ())
        self._calls: tuple[int, tuple[Call, ...]] = (-1, ())

    def parts(self, step: Step) -> list[Part]:
        """The parts of the message that ``step`` describes."""
        parts = [part for piece in step.pieces for part in self._parts(piece)]
        return _thinking_first(parts) if step.thinking_first else parts

    def _parts(self, piece: Piece) -> list[Part]:
        if isinstance(piece, Own):
            return _own(piece, self._view(piece.item), self._rules)
        if isinstance(piece, Answer):
            return [_answer(piece, self._result(piece.result), self._rules)]
        if isinstance(piece, Absent):
            return [_absent(piece, self._call(piece.call))]
        return [Text(injected(piece.text))]

    def _result(self, place: Place) -> Result:
        if self._results[0] != place.item:
            self._results = (place.item, self._view(place.item).results)
        return self._results[1][place.nth]

    def _call(self, place: Place) -> Call:
        if self._calls[0] != place.item:
            calls = self._view(place.item).calls
            paired = tuple(call for call in calls if not is_legacy(call))
            self._calls = (place.item, paired)
        return self._calls[1][place.nth]


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
    while rules.thinking_leads and not piece.thinking and _thinks(parts[-1:]):
        del parts[-1]  # only what nothing follows is refused
    return parts


def _thinks(parts: list[Part]) -> bool:
    return any(isinstance(part, Thinking) for part in parts)


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
    if call.raw is None:
        return replace(call, id=new)
    key = "call_id" if type_of(call.raw) in CALLS else "id"
    return replace(call, id=new, raw={**call.raw, key: new})


def _answer(piece: Answer, result: Result, rules: Rules) -> Result:
    if piece.call_id:
        raw = result.raw or {}
        key = next((key for key in _RESULT_KEYS if key in raw), None)
        renamed = None if key is None else {**raw, key: piece.call_id}
        result = replace(result, call_id=piece.call_id, raw=renamed)
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


def _absent(piece: Absent, call: Call) -> Result:
    call_id = piece.call_id or call.id
    return Result(call_id, (Text(NO_RESULT),), is_error=True, kind=call.kind)
