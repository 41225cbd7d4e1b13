"""Putting the steps of a plan in a row: what must come first, and what becomes one.

Must not look at results and calls: they are in their places already.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

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
class Row:
    """The steps so far. ``find`` reports; ``same_response`` compares two messages."""

    shapes: Sequence[Shape]
    progress: Progress
    rules: Rules
    find: Find
    same_response: Callable[[int, int], bool]
    steps: list[Step] = field(default_factory=list)
    _last: int = -1  # the last step that is a message of this stretch
    _moved: bool = False  # ... whose record stood elsewhere

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
        before = self.steps[self._last] if self._last >= 0 else None
        was_moved, self._moved = self._moved, moved
        if not self.rules.alternates or before is None or before.role != step.role:
            self._append(step)
            return
        if not was_moved and before.base is not None and step.base is not None:
            self._report_joined(step.base, step.role)
        if step.role == "user":
            self.steps[self._last] = self._join_users(before, step)
        else:  # at the later place, for its results follow
            del self.steps[self._last]
            self._append(self._join_assistants(before, step))

    def keep(self, item: int, *, whole: bool = True) -> None:
        """Append what takes no part and stays where it is."""
        self.steps.append(Step("", (Own(item),), item, whole))

    def _append(self, step: Step) -> None:
        self._last = len(self.steps)
        self.steps.append(step)

    def _begin(self, step: Step) -> None:
        """Put a user message first that says that the beginning is not there."""
        if step.base is not None:
            self.find(
                step.base,
                "leading-message",
                f"the history begins with a message of the {step.role}",
                "a user message that says so put before it",
            )
        self._append(Step("user", (Words(NO_BEGINNING),), None))

    def _join_users(self, before: Step, step: Step) -> Step:
        pieces = before.pieces + step.pieces
        base = before.base if before.base is not None else step.base
        return Step("user", tuple(sorted(pieces, key=_behind_results)), base)

    def _join_assistants(self, before: Step, step: Step) -> Step:
        pieces = self._join_responses(before.pieces, step.pieces)
        return Step("assistant", pieces, step.base)

    def _report_joined(self, item: int, role: str) -> None:
        self.find(
            item,
            "consecutive-messages",
            f"two messages of the {role} in a row",
            "joined into one",
        )

    def _join_responses(
        self, before: tuple[Piece, ...], after: tuple[Piece, ...]
    ) -> tuple[Piece, ...]:
        """The words of two assistant messages; the thinking of at most one response.

        The API refuses thinking of two responses in one message. It needs only that
        which led to calls; only the later of the two can have calls.
        """
        first = [piece for piece in before if isinstance(piece, Own)]
        (second,) = (piece for piece in after if isinstance(piece, Own))
        one = not any(
            self.shapes[own.item].has & BODY for own in first
        ) or self.same_response(first[-1].item, second.item)
        if one:
            return before + after
        kept = [self._without_thinking(own) for own in first]
        if not self.shapes[second.item].calls:
            second = self._without_thinking(second)
        return (*kept, second)

    def _without_thinking(self, own: Own) -> Own:
        if own.thinking and self.shapes[own.item].has & THINKING:
            self.find(
                own.item,
                "parted-thinking",
                "thinking of two responses would stand in one message",
                "left out",
            )
            return replace(own, thinking=False)
        return own


def _behind_results(piece: Piece) -> bool:
    return not isinstance(piece, (Answer, Absent))
