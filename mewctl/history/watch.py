"""Watching a stretch of a history: is it complete, and is anything wrong with it?

Must not say what is wrong: that is for the plan. A clean stretch is one for which the
plan would keep every record and find nothing; where that is not sure it is not clean.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mewctl.history.shape import (
    BODY,
    ENDS_THINKING,
    ENVELOPE,
    OPAQUE,
    THINKING,
    UNTIDY,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mewctl.history.rules import Rules
    from mewctl.history.shape import Shape
    from mewctl.history.steps import Progress

    Held = Iterable[tuple[Shape, object]]


@dataclass(slots=True)
class Watch:
    """What is known of the stretch that is being held, while the watch is ``on``.

    ``side``: whose its last message is, "user" or "assistant". ``solid``: nothing can
    make that message go. ``unsettled``: how many ids have more calls than results, or
    fewer. ``balance``: calls less results, by id. ``early``: a result came first.
    """

    rules: Rules
    progress: Progress
    on: bool = False
    clean: bool = True
    side: str = ""
    solid: bool = False
    ends_thinking: bool = False
    new_turn: bool = False
    may_answer: bool = False
    early: bool = False
    enveloped: bool = False
    sources: int = 0
    unsettled: int = 0
    balance: dict[str, int] = field(default_factory=dict)

    def ends_before(self, shape: Shape) -> bool:
        """Whether the stretch is complete now that ``shape`` comes."""
        if self.unsettled or not _solid(shape):
            return False
        if self.rules.alternates:
            return (self.clean or self.solid) and self.side not in ("", shape.role)
        return True

    def ends_now(self) -> bool:
        """Whether the stretch is complete, whatever comes."""
        if self.rules.alternates:
            return self.clean and not self.side
        return not (self.unsettled or self.early)

    def finish(self, held: Held, *, end: bool) -> bool:
        """End the watch over what is held; whether that is clean.

        ``end``: nothing follows.
        """
        self._begin(held)
        clean = self.clean and not self.unsettled and not (end and self.ends_thinking)
        if clean:
            self.progress.ids.taken.update(self.balance)
            self.progress.started = self.progress.started or bool(self.side)
            if self.new_turn:
                self.progress.thinking_broken = False
        self.on, self.clean, self.side, self.solid = False, True, "", False
        self.ends_thinking = self.new_turn = self.may_answer = self.early = False
        self.unsettled, self.balance = 0, {}
        return clean

    def add(self, shape: Shape, held: Held) -> None:
        """Take one more record into the stretch of all that is held already."""
        self._begin(held)
        self._add(shape)

    def _begin(self, held: Held) -> None:
        if not self.on:
            self.on = True
            for shape, _ in held:
                self._add(shape)

    def _add(self, shape: Shape) -> None:
        role, has = shape.role, shape.has
        late = role == "system" and self._late()
        stays = late and bool(has & OPAQUE)  # what only a system message can hold
        if not role:
            return
        if stays and not (self.unsettled or shape.results or has & UNTIDY):
            return
        if self.clean:
            self.clean = not late and self._fits(shape)
        for call_id in shape.calls:
            self._count(call_id, 1)
        for call_id in shape.results:
            self._count(call_id, -1)
        if role == "system" and (stays or not late):
            return
        self.side = "assistant" if role == "assistant" else "user"
        # results that came before their calls will stand after them
        self.solid = _solid(shape) and not shape.calls
        self.ends_thinking = bool(has & ENDS_THINKING) and not shape.calls
        if role == "user" and has & BODY and not shape.results:
            self.new_turn = True
        if shape.calls:
            self.may_answer, self.sources = True, 0
            self.enveloped = bool(has & ENVELOPE)
        else:
            self.may_answer = bool(shape.results) and not has & BODY
            self.sources += 1

    def _late(self) -> bool:
        return self.rules.strict_blocks and bool(self.progress.started or self.side)

    def _count(self, call_id: str, step: int) -> None:
        before = self.balance.get(call_id, 0)
        self.balance[call_id] = before + step
        if before == 0:
            self.unsettled += 1
            self.early = self.early or step < 0
        elif before + step == 0:
            self.unsettled -= 1

    def _fits(self, shape: Shape) -> bool:
        """Whether ``shape`` can follow what is there, as it is."""
        if shape.has & UNTIDY:
            return False
        if shape.role == "assistant":
            return self._fits_assistant(shape)
        if shape.results:
            return self._fits_results(shape)
        if self.unsettled or shape.role == "tool" or not shape.has & BODY:
            return False
        return not (self.rules.alternates and self.side == "user")

    def _fits_assistant(self, shape: Shape) -> bool:
        if self.unsettled or shape.results:
            return False
        if self.rules.alternates and self.side == "assistant":
            return False
        if self.rules.user_first and not (self.progress.started or self.side):
            return False
        if shape.has & THINKING and self.progress.thinking_broken:
            return False
        if not shape.calls:
            return bool(shape.has & (BODY | THINKING))
        return self._fresh(shape.calls)

    def _fresh(self, calls: tuple[str, ...]) -> bool:
        fits = self.rules.call_id.fullmatch
        for call_id in calls:
            used = call_id in self.progress.ids.taken or call_id in self.balance
            if used or not fits(call_id):
                return False
        return len(set(calls)) == len(calls)

    def _fits_results(self, shape: Shape) -> bool:
        results = shape.results
        if not self.may_answer or shape.role not in self.rules.result_roles:
            return False
        if any(self.balance.get(call_id) != 1 for call_id in results):
            return False
        if len(set(results)) != len(results):
            return False
        if shape.has & BODY or (self.rules.together and not self.enveloped):
            return not self.sources and len(results) == self.unsettled
        return True


def _solid(shape: Shape) -> bool:
    """Whether a message of the user or the assistant stays, whatever happens."""
    return (
        shape.role in ("user", "assistant")
        and not shape.has & UNTIDY
        and not shape.results
        and bool(shape.has & BODY or shape.calls)
    )
