"""What a compaction is given, what it comes to, and the stages between: values.

Must not decide anything; ``engine`` does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mewctl.compact import breaker as breakers

if TYPE_CHECKING:
    from mewctl.compact.breaker import Breaker
    from mewctl.compact.cut import Cut
    from mewctl.compact.layer2 import Result
    from mewctl.compact.look import Look
    from mewctl.compact.options import Options, Records, State
    from mewctl.compact.report import Report
    from mewctl.compact.scales import Weights
    from mewctl.compact.survey import Survey
    from mewctl.errors import MewError
    from mewctl.history.lens import Lens
    from mewctl.providers.protocol import Provider


@dataclass(frozen=True, slots=True)
class Job:
    """The arguments of a run.

    ``seen``: the survey of ``records``; ``offset``: bytes that stand before them.
    ``breaker``: its state, None where there is no session to keep it in.
    """

    records: Records
    seen: Survey
    lens: Lens
    options: Options
    state: State
    provider: Provider
    weights: Weights
    offset: int = 0
    breaker: Breaker | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """What a compaction comes to.

    ``cut`` has to be saved before ``records`` are written. ``error`` is why layer 2,
    though due, did not work; ``records`` are then the history after layer 1, which is
    ``before`` in any case. ``breaker`` is its state from now on, to be kept; None where
    there is none.
    """

    records: Records
    report: Report
    before: Records
    cut: Cut | None = None
    error: MewError | None = None
    breaker: Breaker | None = None

    @property
    def summary(self) -> bytes:
        """The summary as Markdown; empty if there is none."""
        if self.cut is None:
            return b""
        return self.cut.text.encode("utf-8", "backslashreplace") + b"\n"

    def without_cut(self, error: MewError) -> Run:
        """The run where the cut could not be saved: the history after layer 1."""
        report = replace(
            self.report,
            outcome="failed",
            reason=str(error),
            after=self.report.after_spill,
            kept=0,
            dropped=0,
            boundary="",
            address="",
            facts="",
            recall="",
        )
        state = breakers.ended(self.breaker, report, error)
        report = replace(report, breaker=breakers.told(state))
        return Run(self.before, report, self.before, None, error, state)


@dataclass(frozen=True, slots=True)
class Stage:
    """A history on its way: its records, what was seen of them, the report so far."""

    records: Records
    look: Look
    report: Report


@dataclass(frozen=True, slots=True)
class End:
    """How it ended, with a result or an error of layer 2, or neither."""

    stage: Stage
    result: Result | None = None
    error: MewError | None = None
