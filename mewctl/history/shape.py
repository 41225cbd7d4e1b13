"""The shape of a message: the little that repair must know of it to make its plan.

Small enough to hold one for each message of a long history. Must not hold content.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mewctl.history.formats.blocks import is_unknown
from mewctl.history.view import Call, Opaque, Result, Text, Thinking

if TYPE_CHECKING:
    from mewctl.history.rules import Rules
    from mewctl.history.view import Content, Message, Part

# What a message has; bits of ``Shape.has``.
BODY = 1  # it says something beside calls, results and signed thinking
THINKING = 2  # thinking that must be kept together or not at all
UNSIGNED = 4  # ... of which some cannot be sent
ENDS_THINKING = 8  # ... which is the last word
BLANK = 16  # blank text among other parts, or an error result without text
LATE_RESULTS = 32  # something stands before its results
STRAY = 64  # a part that its role cannot hold
OPAQUE = 128  # a block that no common word exists for
ENVELOPE = 256  # the record is an envelope around a record of another format
ITEM = 512  # the record is one of the items that the assistant's message consists of
DANGLING = 1024  # it ends in thinking that led to nothing, which the API refuses
HOLLOW = 2048  # an item of it says nothing
MALFORMED = 4096  # a part of it lacks what the API asks for (``wellformed``)

#: Outputs that must have content, be it empty text.
_MUST_SAY = ("function_call_output", "custom_tool_call_output")

#: Bits that make a message one to rebuild, whatever stands around it.
UNTIDY = UNSIGNED | BLANK | LATE_RESULTS | STRAY | DANGLING | HOLLOW | MALFORMED


class Shape(NamedTuple):
    """The shape of one message (a named tuple, for one is made of every record).

    ``role`` is "" for what is no message: it keeps its place and takes no part.
    ``calls`` are the ids of its calls, ``results`` those of the calls it answers.
    """

    role: str
    has: int = BODY
    calls: tuple[str, ...] = ()
    results: tuple[str, ...] = ()


FOREIGN = Shape("", 0)
MARKER = Shape("marker", 0)


def shape_of(message: Message, rules: Rules) -> Shape:
    """The shape of ``message`` under ``rules``."""
    if message.marker:
        return MARKER
    if is_unknown(message) or _stands_beside(message):
        return FOREIGN
    has = others = 0
    calls: list[str] = []
    results: list[str] = []
    for part in message.parts:
        if isinstance(part, Result):
            if part.raw is not None and part.raw.get("role") == "function":
                return FOREIGN  # legacy: it has no id to be paired by
            results.append(part.call_id)
            has |= _result_bits(part, rules)
            if rules.strict_blocks and others:
                has |= LATE_RESULTS
            continue
        others += 1
        if isinstance(part, Call) and not is_legacy(part):
            calls.append(part.id)
            has &= ~ENDS_THINKING
        else:
            has = _with_own(has, part, rules, alone=len(message.parts) == 1)
    if message.item and message.role == "assistant":
        has |= ITEM
    elif has & ENDS_THINKING and rules.thinking_leads:
        has |= DANGLING
    return _judged(message.role, has, tuple(calls), tuple(results))


def _stands_beside(message: Message) -> bool:
    """Whether a record is an item that answers, but with no result to pair by."""
    return message.item and message.role == "tool" and not message.results


def is_legacy(call: Call) -> bool:
    """Whether ``call`` is a Chat Completions ``function_call``, which has no id."""
    return call.raw is not None and "function_call" in call.raw


def _with_own(has: int, part: Part, rules: Rules, *, alone: bool) -> int:
    """``has`` with the bits of a part that is no result and no call."""
    if isinstance(part, Text) and not (rules.blank_message or part.text.strip()):
        nothing = alone and part.raw is None and not part.text  # content: ""
        return has if nothing or not rules.strict_blocks else has | BLANK
    if isinstance(part, Thinking) and (rules.strict_blocks or rules.thinking_leads):
        refused = rules.strict_blocks and not part.signature
        return has | THINKING | ENDS_THINKING | (UNSIGNED if refused else 0)
    has = (has & ~ENDS_THINKING) | BODY
    return has | OPAQUE if isinstance(part, Opaque) else has


def _result_bits(result: Result, rules: Rules) -> int:
    """BLANK for content that the API does not take."""
    if rules.strict_blocks:
        silent = result.is_error and not any(map(_says, result.content))
        return BLANK if silent or any(map(is_blank_block, result.content)) else 0
    return BLANK if is_null(result) else 0


def _says(part: Content) -> bool:
    return not isinstance(part, Text) or bool(part.text.strip())


def is_blank_block(part: Part) -> bool:
    """Whether ``part`` is a text block (not a plain string) without words."""
    return isinstance(part, Text) and part.raw is not None and not part.text.strip()


def is_null(result: Result) -> bool:
    """Whether ``result`` is a record of OpenAI's APIs without any content."""
    raw = result.raw
    if raw is None or result.content:
        return False
    if raw.get("role") == "tool":
        return raw.get("content") != ""
    return raw.get("type") in _MUST_SAY and raw.get("output") != ""


def _judged(
    role: str, has: int, calls: tuple[str, ...], results: tuple[str, ...]
) -> Shape:
    """The shape, after a look at what the role may hold."""
    if role == "assistant":
        return Shape(role, has, calls, results)
    if calls or has & THINKING:
        has = (has | STRAY) & ~(THINKING | UNSIGNED | ENDS_THINKING)
    return Shape(role, has, (), results)
