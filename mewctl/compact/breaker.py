"""The breaker: stops automatic compaction after outcomes that did not help. Pure.

A state and what an outcome makes of it. The shell keeps the state beside a session;
without a session there is none. Must not decide whether a compaction is due.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mewctl import limits

if TYPE_CHECKING:
    from mewctl.compact.report import Report
    from mewctl.errors import MewError

#: What a report says where there is nothing to keep the state in.
NO_SESSION = "none: there is no session to keep its state in"


@dataclass(frozen=True, slots=True)
class Breaker:
    """Automatic compactions in a row that did not help, and why the last did not."""

    failures: int = 0
    reason: str = ""

    @property
    def is_open(self) -> bool:
        """Whether automatic compaction is stopped."""
        return self.failures >= limits.BREAKER_AFTER

    def told(self) -> str:
        """The state in words."""
        if not self.failures:
            return "closed"
        count = f"{self.failures} in a row did not help, the last: {self.reason}"
        return f"{'open' if self.is_open else 'closed'}: {count}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one compaction ended. ``error`` is "" where a history was written.

    Sizes are tokens: before, after, and the threshold that the history must be under.
    """

    error: str = ""
    before: int = 0
    after: int = 0
    threshold: int = 0

    @property
    def why_no_help(self) -> str:
        """Why it did not help; "" if it did."""
        if self.error:
            return self.error
        if self.after >= self.before:
            return f"{self.before} tokens became {self.after}"
        if self.after > self.before * (1 - limits.BREAKER_GAIN):
            least = f"{limits.BREAKER_GAIN:.0%}"
            return f"{self.before} -> {self.after} tokens is less than {least} smaller"
        if self.after >= self.threshold:
            return f"{self.after} tokens are still over the threshold {self.threshold}"
        return ""


def after(state: Breaker, outcome: Outcome, *, automatic: bool) -> Breaker:
    """The state after an outcome. Success resets; only automatic failures count."""
    why = outcome.why_no_help
    if not why:
        return Breaker()
    if not automatic:
        return state
    return replace(state, failures=state.failures + 1, reason=why)


def ended(
    state: Breaker | None, report: Report, error: MewError | None
) -> Breaker | None:
    """The state after a run with this report; age spill that was enough is a success.

    ``error``: why layer 2 did not work. None where there is no breaker.
    """
    if state is None:
        return None
    if error is not None:
        outcome = Outcome(error=str(error))
    elif report.outcome in ("compacted", "aged"):
        before = report.before if report.outcome == "aged" else report.after_spill
        outcome = Outcome("", before, report.after, report.threshold)
    else:
        return state
    return after(state, outcome, automatic=report.trigger == "auto")


def told(state: Breaker | None) -> str:
    """What a report says of it."""
    return NO_SESSION if state is None else state.told()


def warnings(state: Breaker | None, report: Report) -> tuple[str, ...]:
    """What every automatic run says while it is open."""
    if state is None or not state.is_open or report.trigger != "auto":
        return ()
    words = f"automatic compaction is stopped: the breaker is {state.told()}"
    return (f"{words}; --reset-breaker starts it again",)


def to_json(state: Breaker) -> dict[str, Any]:
    """The state as a JSON object."""
    return {"failures": state.failures, "reason": state.reason}


def from_json(value: Any) -> Breaker:
    """A state from its JSON object. Raises ``ValueError`` if it is not one."""
    if not isinstance(value, dict):
        raise ValueError("a breaker's state is a JSON object")
    failures, reason = value.get("failures"), value.get("reason", "")
    if not isinstance(failures, int) or isinstance(failures, bool) or failures < 0:
        raise ValueError("failures is no count")
    if not isinstance(reason, str):
        raise ValueError("reason is no text")
    return Breaker(failures, reason)
