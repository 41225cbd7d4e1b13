"""Compaction from end to end: layer 1, the decision, layer 2, and never worse. Pure.

The order is fixed, and the same for the filter and for sessions. State, provider and
scales are arguments. What comes back is a plan: its records may be written out once its
cut is saved.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mewctl.compact import layer2, overflow, policy
from mewctl.compact.cut import Bench, facts_before
from mewctl.compact.layer2 import Case, cannot_fit
from mewctl.compact.look import Look, is_fresh, last_trigger, look
from mewctl.compact.report import Report, first_difference
from mewctl.errors import CannotFit, MewError
from mewctl.streams.jsonvalue import utf8

if TYPE_CHECKING:
    from mewctl.compact.cut import Cut
    from mewctl.compact.layer2 import Result
    from mewctl.compact.options import Options, Records, Scales, State
    from mewctl.compact.report import Outcome
    from mewctl.history.lens import Lens
    from mewctl.providers.protocol import Provider

_NOTHING_NEW = "nothing is new since the last boundary"


@dataclass(frozen=True, slots=True)
class Job:
    """The arguments of a run."""

    records: Records
    lens: Lens
    options: Options
    state: State
    provider: Provider
    scales: Scales


@dataclass(frozen=True, slots=True)
class Run:
    """What a compaction comes to.

    ``cut`` has to be saved before ``records`` are written. ``error`` is why layer 2,
    though due, did not work; ``records`` are then the history after layer 1, which is
    ``before`` in any case.
    """

    records: Records
    report: Report
    before: Records
    cut: Cut | None = None
    error: MewError | None = None

    @property
    def summary(self) -> bytes:
        """The summary as Markdown; empty if there is none."""
        return b"" if self.cut is None else utf8(self.cut.text) + b"\n"

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
        )
        return Run(self.before, report, self.before, None, error)


@dataclass(frozen=True, slots=True)
class _Stage:
    """A history on its way: its records, what was seen of them, the report so far."""

    records: Records
    look: Look
    report: Report


def run(job: Job) -> Run:
    """Compact as ``job.options`` ask. Errors of layer 2 are in the result."""
    if job.options.trigger == "manual":
        return _finished(job, *_second_layer(job, _looked_at(job)))
    if job.options.trigger == "emergency":
        job = _calibrated(job)
    stage = _spilled(job, _looked_at(job))
    if job.options.trigger == "emergency":
        return _finished(job, *_second_layer(job, stage))
    return _finished(job, *_auto(job, stage))


def _calibrated(job: Job) -> Job:
    """The job with scales that agree with what the provider counted."""
    said = overflow.numbers(job.options.error)
    scales = job.scales.scaled(1.0)
    if said.actual:
        seen = look(job.records, job.lens, job.options, scales, job.state)
        scales = job.scales.scaled(said.actual / max(1, seen.size.tokens))
    return replace(job, scales=scales)


def _looked_at(job: Job) -> _Stage:
    seen = look(job.records, job.lens, job.options, job.scales, job.state)
    numbers = job.options.numbers
    threshold = numbers.threshold(job.options.trigger)
    report = Report(
        outcome="unchanged",
        reason="",
        trigger=job.options.trigger,
        window=numbers.window,
        threshold=threshold,
        before=seen.size.tokens,
        unseen=seen.size.unseen,
    )
    return _at(job, job.records, seen, report)


def _at(job: Job, records: Records, seen: Look, report: Report) -> _Stage:
    """The stage with numbers that follow from the look."""
    floor = min(seen.floor, report.threshold)
    target = policy.shares(report.threshold, floor, job.options.numbers).target
    report = replace(
        report,
        after_spill=seen.size.tokens,
        after=seen.size.tokens,
        floor=seen.floor,
        fills=dict(seen.fills),
        target=target,
    )
    return _Stage(records, seen, report)


# --- layer 1 ---


def _spilled(job: Job, stage: _Stage) -> _Stage:
    done = job.state.spill(stage.records, job.lens)
    report = replace(stage.report, spilled=done.ids, warnings=done.warnings)
    if done.records == stage.records:
        return replace(stage, report=report)
    seen = look(done.records, job.lens, job.options, job.scales, job.state)
    return _at(job, done.records, seen, report)


def _aged(job: Job, stage: _Stage) -> _Stage:
    """The stage after age spill, where that frees enough to be worth it."""
    numbers = job.options.numbers
    done = job.state.age_spill(
        stage.records,
        job.lens,
        policy.keep_recent_tokens(numbers),
        policy.age_gain_needed(numbers.window),
    )
    if not done.ids:
        return stage
    seen = look(done.records, job.lens, job.options, job.scales, job.state)
    report = replace(
        stage.report,
        spilled=(*stage.report.spilled, *done.ids),
        warnings=(*stage.report.warnings, *done.warnings),
    )
    return _at(job, done.records, seen, report)


# --- deciding ---


def _auto(job: Job, stage: _Stage) -> tuple[_Stage, Result | None, MewError | None]:
    left: Outcome = "spilled" if stage.report.spilled else "unchanged"
    if not _fresh(job, stage):
        return _with(stage, left, _NOTHING_NEW), None, None
    if stage.look.size.tokens < stage.report.threshold:
        return _with(stage, left, "under the threshold"), None, None
    before = len(stage.report.spilled)
    stage = _aged(job, stage)
    if (
        len(stage.report.spilled) > before
        and stage.look.size.tokens <= stage.report.target
    ):
        return _with(stage, "aged", "age spill reached the target"), None, None
    return _second_layer(job, stage)


def _second_layer(
    job: Job, stage: _Stage
) -> tuple[_Stage, Result | None, MewError | None]:
    """Layer 2, with its result or its error; neither where there is nothing to do."""
    try:
        reason, result = _compacted(job, stage)
    except MewError as error:
        outcome: Outcome = "cannot-fit" if isinstance(error, CannotFit) else "failed"
        return _with(stage, outcome, str(error)), None, error
    if result is None:
        left: Outcome = "spilled" if stage.report.spilled else "unchanged"
        return _with(stage, left, reason), None, None
    return _with(stage, "compacted", reason), result, None


def _compacted(job: Job, stage: _Stage) -> tuple[str, Result | None]:
    """The reason, and the result unless nothing is to be done."""
    options = job.options
    case = Case(_bench(job, stage), stage.look, job.scales)
    if options.emit == "summary":
        return "asked for", layer2.compact(case, len(stage.records))
    fresh = _fresh(job, stage)
    if options.trigger == "emergency":
        if not fresh and _last(job, stage) == "emergency":
            raise cannot_fit(
                stage.look, options.numbers.hard_limit, "nothing new since the last one"
            )
        return "the provider said that it is too long", layer2.rescue(case)
    if not fresh:
        return _NOTHING_NEW, None
    if stage.look.floor >= stage.report.threshold:
        raise cannot_fit(stage.look, stage.report.threshold, "no room to compact")
    start = layer2.tail_start(case)
    if start <= stage.look.seen.body:
        return "all of it belongs to the tail; there is nothing to drop", None
    result = layer2.compact(case, start)
    if result.after.size.tokens >= stage.look.size.tokens:
        return "a summary would not make it smaller", None
    return "asked for" if options.trigger == "manual" else "over the threshold", result


def _bench(job: Job, stage: _Stage) -> Bench:
    meter = job.scales.meter(stage.look.size.ratio)
    seen = stage.look.seen
    return Bench(
        stage.records,
        job.lens,
        seen,
        job.options,
        job.state,
        meter,
        job.provider,
        stage.look.size.overhead,
    )


def _fresh(job: Job, stage: _Stage) -> bool:
    facts = facts_before(stage.look.seen, job.state)
    return is_fresh(stage.look, stage.records, facts)


def _last(job: Job, stage: _Stage) -> str:
    return last_trigger(stage.look, facts_before(stage.look.seen, job.state))


def _with(stage: _Stage, outcome: Outcome, reason: str) -> _Stage:
    report = replace(stage.report, outcome=outcome, reason=reason)
    return replace(stage, report=report)


# --- finishing ---


def _finished(
    job: Job, stage: _Stage, result: Result | None, error: MewError | None
) -> Run:
    """The run, with what only the finished history can tell."""
    records, report = stage.records, stage.report
    cut = None if result is None else result.cut
    after = stage.look if result is None else result.after
    if result is not None and cut is not None:
        records = cut.records
        report = _cut_report(job, stage, result)
    changed = first_difference([r.raw for r in job.records], [r.raw for r in records])
    if changed >= 0:
        rewrite = _tokens_from(records, after, changed)
        report = replace(report, first_changed=changed, rewrite=rewrite)
    return Run(records, report, stage.records, cut, error)


def _cut_report(job: Job, stage: _Stage, result: Result) -> Report:
    seen, cut = stage.look.seen, result.cut
    usage = cut.prose.usage
    return replace(
        stage.report,
        after=result.after.size.tokens,
        kept=seen.messages(cut.span.tail, len(seen.items)),
        dropped=seen.messages(seen.systems, cut.span.tail),
        boundary=cut.span.boundary,
        address=job.state.address(cut.span.boundary),
        facts=job.state.facts_address(cut.span.boundary),
        provider=cut.prose.provider,
        model=cut.prose.model,
        usage={} if usage is None else {"input": usage.input, "output": usage.output},
        reduced=result.reduced,
        repairs=cut.repairs,
    )


def _tokens_from(records: Records, after: Look, offset: int) -> int:
    """The tokens of the records that end behind ``offset``, in bytes."""
    end, first = 0, 0
    for record in records:
        end += len(record.raw) + 1
        if end > offset:
            break
        first += 1
    return after.seen.tokens(first)
