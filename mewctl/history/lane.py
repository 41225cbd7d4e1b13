"""The fast lane of repair: text, messages with calls and their results, in good order.

That is what most histories are made of. Whatever needs a closer look is refused, and
goes to the watch; a test holds that the lane lets nothing pass that the watch would
not. Must not say what is wrong.
"""

from __future__ import annotations

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


class Lane:
    """Where the lane is. Written for speed: every record of a history comes here."""

    __slots__ = ("_calls", "_open", "_progress", "_rules", "_side", "_turns")

    def __init__(self, rules: Rules, progress: Progress) -> None:
        self._rules = rules
        self._turns = rules.alternates
        self._progress = progress
        self.reset()

    def reset(self) -> None:
        """Begin anew: what was held is held elsewhere."""
        self._side = ""  # whose the last message held is
        self._calls: tuple[str, ...] = ()  # ids of the calls held
        self._open: tuple[str, ...] = ()  # ... that are not answered yet

    def take(self, shape: Shape) -> int:
        """What becomes of one more record. A refusal empties the lane."""
        role, has, calls, results = shape
        progress = self._progress
        step = REFUSE
        if has & _ODD or progress.thinking_broken:
            pass
        elif results:
            step = self._take_results(role, has, results)
        elif not self._open and (calls or has & BODY) and self._may_come(role, calls):
            if self._turns:
                step = self._take_turn(role, calls)
            elif calls:
                self._calls = self._open = calls
                return HOLD
            else:
                progress.started = True
                return DONE
        if step == REFUSE:
            self.reset()
        return step

    def _take_turn(self, role: str, calls: tuple[str, ...]) -> int:
        if self._side == role:
            return REFUSE
        step = HOLD
        if self._side:
            self._leave()
            step = NEXT
        self._side, self._calls, self._open = role, calls, calls
        return step

    def _take_results(self, role: str, has: int, results: tuple[str, ...]) -> int:
        if role not in self._rules.result_roles:
            return REFUSE
        if results == self._open:
            self._open = ()
        elif self._rules.together or has & BODY or results != self._open[:1]:
            return REFUSE
        else:
            self._open = self._open[1:]
            return HOLD
        if self._turns:
            self._side = "user"
            return HOLD
        self._leave()
        return DONE

    def _may_come(self, role: str, calls: tuple[str, ...]) -> bool:
        """Whether a message of ``role`` with ``calls`` can come now."""
        if role != "assistant":
            return role == "user"
        if self._rules.user_first and not (self._progress.started or self._side):
            return False
        for call_id in calls:
            if call_id in self._progress.ids.taken or call_id in self._calls:
                return False
            if not self._rules.call_id.fullmatch(call_id):
                return False
        return len(calls) <= 1 or len(set(calls)) == len(calls)

    def _leave(self) -> None:
        """Note that what is held is complete, and right."""
        self._progress.started = True
        self._progress.ids.taken.update(self._calls)
        self._calls = ()
