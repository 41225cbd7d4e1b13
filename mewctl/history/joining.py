"""Putting the steps of a plan in a row: what must come first, and what becomes one.

Must not look at results and calls: they are in their places already.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

from mewctl.history.findings import NO_BEGINNING
from mewctl.history.shape import BODY, THINKING
from mewctl.history.steps import Absent, Answer, Own, Step, Words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mewctl.history.rules import Rules
    from mewctl.history.shape import Shape
    from mewctl.history.steps import Piece, Progress

    Find = Callable[..., None]


@dataclass(slots=True)
class _Joint:
    """Several messages on their way to becoming one step."""

    role: str
    base: int | None
    results: list[Piece] = field(default_factory=list)
    rest: list[Piece] = field(default_factory=list)
    said: bool = False  # an assistant message among them has said something
    thinking: list[int] = field(default_factory=list)  # where in ``rest`` it thinks
    thinking_first: bool = False

    def step(self) -> Step:
        pieces = (*self.results, *self.rest)
        return Step(self.role, pieces, self.base, thinking_first=self.thinking_first)


@dataclass(slots=True)
class Row:
    """The steps so far. ``find`` reports; ``same_response`` compares two messages."""

    shapes: Sequence[Shape]
    progress: Progress
    rules: Rules
    find: Find
    same_response: Callable[[int, int], bool]
    _steps: list[Step | _Joint] = field(default_factory=list)
    _last: int = -1  # the last step that is a message of this stretch
    _moved: bool = False  # ... whose record stood elsewhere

    def ready(self) -> list[Step]:
        """The steps that nothing can be joined to any more; each is given once."""
        done = max(self._last, 0) if self.rules.alternates else len(self._steps)
        steps = [_finished(step) for step in self._steps[:done]]
        del self._steps[:done]
        self._last -= done
        return steps

    def rest(self) -> list[Step]:
        """The steps that are left at the end."""
        return [_finished(step) for step in self._steps]

    def add(self, step: Step, *, moved: bool = False) -> None:
        """Append ``step``, or join it to the step before it.

        ``moved``: its record stood elsewhere, so a message that now follows it did not.
        """
        if step.role == "system":
            self._append(step)
            return
        if not self.progress.started:
            self.progress.started = True
            if self.rules.user_first and step.role != "user":
                self._begin(step)
        before = self._steps[self._last] if self._last >= 0 else None
        was_moved, self._moved = self._moved, moved
        if not self.rules.alternates or before is None or before.role != step.role:
            self._append(step)
            return
        if not was_moved and before.base is not None and step.base is not None:
            self._report_joined(step.base, step.role)
        if step.role == "user":
            self._steps[self._last] = _joined_users(before, step)
        else:  # at the later place, for its results follow
            del self._steps[self._last]
            self._append(self._joined_responses(before, step))

    def keep(self, item: int, *, whole: bool = True) -> None:
        """Append what takes no part and stays where it is."""
        self._steps.append(Step("", (Own(item),), item, whole))

    def _append(self, step: Step | _Joint) -> None:
        self._last = len(self._steps)
        self._steps.append(step)

    def _begin(self, step: Step) -> None:
        """Put a user message first that says that the beginning is not there."""
        self.find(
            cast("int", step.base),  # only what is made up is built upon nothing
            "leading-message",
            f"the history begins with a message of the {step.role}",
            "a user message that says so put before it",
        )
        self._append(Step("user", (Words(NO_BEGINNING),), None))

    def _report_joined(self, item: int, role: str) -> None:
        self.find(
            item,
            "consecutive-messages",
            f"two messages of the {role} in a row",
            "joined into one",
        )

    def _joined_responses(self, before: Step | _Joint, step: Step) -> _Joint:
        """The words of two assistant messages; the thinking of at most one response.

        The API refuses thinking of two responses in one message. It needs only that
        which led to calls; only the later of the two can have calls.
        """
        joint = before if isinstance(before, _Joint) else _Joint("assistant", None)
        if isinstance(before, Step):
            self._put(joint, _own(before))
        first, second = joint.rest[-1], _own(step)
        one_response = not joint.said or (
            isinstance(first, Own) and self.same_response(first.item, second.item)
        )
        if not one_response:
            for place in joint.thinking:
                own = cast("Own", joint.rest[place])
                joint.rest[place] = self._without_thinking(own)
            joint.thinking, joint.thinking_first = [], True
            if not self.shapes[second.item].calls:
                second = self._without_thinking(second)
        self._put(joint, second)
        joint.base = step.base
        return joint

    def _put(self, joint: _Joint, own: Own) -> None:
        has = self.shapes[own.item].has
        if own.thinking and has & THINKING:
            joint.thinking.append(len(joint.rest))
        joint.said = joint.said or bool(has & BODY)
        joint.rest.append(own)

    def _without_thinking(self, own: Own) -> Own:
        if not (own.thinking and self.shapes[own.item].has & THINKING):
            return own
        self.find(
            own.item,
            "parted-thinking",
            "thinking of two responses would stand in one message",
            "left out",
        )
        return replace(own, thinking=False)


def _finished(step: Step | _Joint) -> Step:
    return step.step() if isinstance(step, _Joint) else step


def _own(step: Step) -> Own:
    """The words of an assistant message, which is all that its step consists of."""
    return cast("Own", step.pieces[0])


def _joined_users(before: Step | _Joint, step: Step) -> _Joint:
    joint = before if isinstance(before, _Joint) else _Joint("user", before.base)
    pieces = (*before.pieces, *step.pieces) if isinstance(before, Step) else step.pieces
    for piece in pieces:
        is_result = isinstance(piece, (Answer, Absent))
        (joint.results if is_result else joint.rest).append(piece)
    if joint.base is None:
        joint.base = step.base
    return joint
