"""The fast lane of repair: text, messages with calls and their results, in good order.

That is what most histories are made of. Whatever needs a closer look is refused, and
goes to the watch; a test holds that the lane lets nothing pass that the watch would
not. Must not say what is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mewctl.history.shape import BODY, ENVELOPE, UNTIDY

if TYPE_CHECKING:
    from mewctl.history.rules import Rules
    from mewctl.history.shape import Shape
    from mewctl.history.steps import Progress

#: What becomes of a record: it is not for the lane; it is held; it is held and all that
#: is held is complete; all that was held is complete and it is held.
REFUSE, HOLD, DONE, NEXT = range(4)

_ODD = UNTIDY | ENVELOPE


@dataclass(slots=True)
class Lane:
    """Where the lane is.

    ``side``: whose the last message held is. ``calls``: the ids of the calls held,
    ``open``: of those that are not answered yet.
    """

    rules: Rules
    progress: Progress
    side: str = ""
    calls: tuple[str, ...] = ()
    open: tuple[str, ...] = ()

    def take(self, shape: Shape) -> int:
        """What becomes of one more record. A refusal empties the lane."""
        step = self._step(shape)
        if step == REFUSE:
            self.reset()
        return step

    def reset(self) -> None:
        """Begin anew: what was held is held elsewhere."""
        self.side, self.calls, self.open = "", (), ()

    def _step(self, shape: Shape) -> int:
        role, has, calls, results = shape
        if has & _ODD or self.progress.thinking_broken:
            return REFUSE
        if results:
            return self._take_results(role, has, results)
        if self.open or not (calls or has & BODY) or not self._may_come(role, calls):
            return REFUSE
        if self.rules.alternates:
            return self._take_turn(role, calls)
        self.calls = self.open = calls
        if calls:
            return HOLD
        self.progress.started = True
        return DONE

    def _take_turn(self, role: str, calls: tuple[str, ...]) -> int:
        if self.side == role:
            return REFUSE
        step = HOLD
        if self.side:
            self._leave()
            step = NEXT
        self.side, self.calls, self.open = role, calls, calls
        return step

    def _take_results(self, role: str, has: int, results: tuple[str, ...]) -> int:
        if role not in self.rules.result_roles:
            return REFUSE
        if results == self.open:
            self.open = ()
        elif self.rules.together or has & BODY or results != self.open[:1]:
            return REFUSE
        else:
            self.open = self.open[1:]
            return HOLD
        if self.rules.alternates:
            self.side = "user"
            return HOLD
        self._leave()
        return DONE

    def _may_come(self, role: str, calls: tuple[str, ...]) -> bool:
        """Whether a message of ``role`` with ``calls`` can come now."""
        if role != "assistant":
            return role == "user"
        if self.rules.user_first and not (self.progress.started or self.side):
            return False
        taken, fits = self.progress.ids.taken, self.rules.call_id.fullmatch
        for call_id in calls:
            if call_id in taken or call_id in self.calls or not fits(call_id):
                return False
        return len(calls) == 1 or len(set(calls)) == len(calls)

    def _leave(self) -> None:
        """Note that what is held is complete, and right."""
        self.progress.started = True
        self.progress.ids.taken.update(self.calls)
        self.calls = ()
