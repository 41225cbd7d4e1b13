"""What a history cannot keep: thinking that parts from its tool loop, and its end.

Works on shapes and their pairing. Must not lay anything out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mewctl.history.shape import (
    BODY,
    DANGLING,
    ENDS_THINKING,
    OPAQUE,
    THINKING,
    UNSIGNED,
    Shape,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mewctl.history.pairing import Pairing
    from mewctl.history.rules import Rules
    from mewctl.history.steps import Progress

NONE = -1
_EMPTY = Shape("assistant", 0)


@dataclass(slots=True)
class Verdict:
    """What goes, by the numbers of the messages in their stretch (``NONE``: none).

    ``lost``: messages that lose their thinking. ``cut``: the last message, if none of
    its calls is answered. ``blank_end``: the one empty message that the API allows.
    """

    shapes: Sequence[Shape]
    lost: set[int] = field(default_factory=set)
    cut: int = NONE
    blank_end: int = NONE

    def says(self, i: int) -> bool:
        """Whether a message says anything beside its results."""
        shape = self.shapes[i]
        if shape.role != "assistant":
            return bool(shape.has & BODY) and shape.role != "tool"
        if i in (self.cut, self.blank_end):
            return i == self.blank_end
        thinks = shape.has & THINKING and i not in self.lost
        return bool(shape.has & BODY or shape.calls or thinks)


def judge(
    shapes: Sequence[Shape],
    pairing: Pairing,
    progress: Progress,
    rules: Rules,
    *,
    end: bool,
) -> Verdict:
    """The verdict on a stretch of a history; ``end``: nothing comes after it."""
    verdict = Verdict(shapes)
    if rules.strict_blocks:
        _judge_thinking(verdict, progress)
    if rules.thinking_leads:
        verdict.lost |= {i for i, shape in enumerate(shapes) if shape.has & DANGLING}
    if end:
        _judge_end(verdict, pairing, rules)
    return verdict


def _judge_thinking(verdict: Verdict, progress: Progress) -> None:
    """Thinking that cannot be sent takes with it what follows in its tool loop.

    What precedes it may stay: a model need not think before each of its calls, but
    where the API looks for thinking it looks at the beginning of the loop.
    """
    for i, shape in enumerate(verdict.shapes):
        if shape.role == "user" and shape.has & BODY and not shape.results:
            progress.thinking_broken = False  # a new turn
        elif shape.has & THINKING and (
            progress.thinking_broken or shape.has & UNSIGNED
        ):
            verdict.lost.add(i)
            if shape.has & BODY or shape.calls:
                progress.thinking_broken = True


def _takes_part(shape: Shape, rules: Rules) -> bool:
    """Whether a message has its turn; others stay where they are."""
    if shape.role == "system" and shape.has & OPAQUE:
        return not rules.strict_blocks
    return bool(shape.role)


def _judge_end(verdict: Verdict, pairing: Pairing, rules: Rules) -> None:
    """Cut what a history cannot end with, from the last message backward."""
    shapes = verdict.shapes
    turns = [i for i, shape in enumerate(shapes) if _takes_part(shape, rules)]
    if turns and rules.strict_blocks and shapes[turns[-1]] == _EMPTY:
        verdict.blank_end = turns.pop()
    for i in reversed(turns):
        shape = shapes[i]
        if not verdict.says(i):
            continue
        if shape.role != "assistant" or i in pairing.answers:
            return
        verdict.blank_end = NONE  # it would be one message with this one
        if shape.calls and verdict.cut == NONE:
            verdict.cut = i
            continue
        if shape.calls or not shape.has & ENDS_THINKING:
            return
        verdict.lost.add(i)
        if verdict.says(i):
            return
