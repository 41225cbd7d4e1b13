"""Compaction from end to end: layer 1, the decision, layer 2, and never worse. Pure.

The order is fixed, and the same for the filter and for sessions. State, provider and
weights are arguments. What comes back is a plan: its records may be written out once
its cut is saved.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mewctl.compact import layer2, overflow, policy
from mewctl.compact.cut import Bench
from mewctl.compact.finish import finished, scene_of
from mewctl.compact.job import End, Job, Run, Stage
from mewctl.compact.layer2 import Case, cannot_fit
from mewctl.compact.look import Look, look, look_again, weigh_again
from mewctl.compact.report import Report
from mewctl.errors import BadInput, CannotFit, MewError

if TYPE_CHECKING:
    from mewctl.compact.layer2 import Result
    from mewctl.compact.options import Records, Spilled
    from mewctl.compact.report import Outcome

_NOTHING_NEW = "nothing is new since the last boundary"
_NOT_SMALLER = "a summary would not be smaller than what it replaces"


def run(job: Job) -> Run:
    """Compact as ``job.options`` ask. Errors of layer 2 are in the result."""
    if job.options.trigger == "auto":
        stage, reason = _decided(job)
        end = End(stage) if reason is None else _second_layer(job, stage, reason)
    elif job.options.trigger == "manual":
        end = _second_layer(job, _looked_at(job), "asked for")
    else:
        job, stage = _calibrated(job)
        stage = _spilled(job, stage)
        end = _second_layer(job, stage, "the provider said that it is too long")
    return finished(job, end)


def check(job: Job) -> tuple[bool, Report]:
    """Whether an automatic run would summarise, and why. Asks no provider."""
    stage, reason = _decided(job)
    if reason is None:
        return False, stage.report
    try:
        case = _case(job, stage)
        _start(case)
    except MewError as error:
        return False, _failed(stage, error).report
    return True, _with(stage, "unchanged", reason).report


# --- looking ---


def _looked_at(job: Job) -> Stage:
    return _first(job, look(job.records, job.seen, scene_of(job)))


def _calibrated(job: Job) -> tuple[Job, Stage]:
    """The look without anchor, by weights that agree with what the provider counted."""
    job = replace(job, weights=job.weights.anew())
    seen = look(job.records, job.seen, scene_of(job))
    said = overflow.numbers(job.options.error)
    if said.actual:
        job = replace(job, weights=job.weights.calibrated(seen.size, said.actual))
        seen = weigh_again(seen, scene_of(job))
    return job, _first(job, seen)


def _first(job: Job, seen: Look) -> Stage:
    """The stage before anything has been done."""
    numbers = job.options.numbers
    report = Report(
        outcome="unchanged",
        reason="",
        trigger=job.options.trigger,
        window=numbers.window,
        threshold=numbers.threshold(job.options.trigger),
        before=seen.size.tokens,
        unseen=seen.size.unseen,
    )
    return _at(job, job.records, seen, report)


def _at(job: Job, records: Records, seen: Look, report: Report) -> Stage:
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
    return Stage(records, seen, report)


# --- layer 1 ---


def _spilled(job: Job, stage: Stage) -> Stage:
    return _after_spill(job, stage, job.state.spill(stage.records, job.lens))


def _after_spill(job: Job, stage: Stage, done: Spilled) -> Stage:
    report = replace(
        stage.report,
        spilled=(*stage.report.spilled, *done.ids),
        warnings=(*stage.report.warnings, *done.warnings),
    )
    if done.records == stage.records:
        return replace(stage, report=report)
    seen = look_again(
        stage.look, stage.records, done.records, done.fresh, scene_of(job)
    )
    return _at(job, done.records, seen, report)


def _aged(job: Job, stage: Stage) -> Stage:
    """The stage after age spill, where that reaches the target.

    Where it cannot, it would only hide from the facts what is dropped a moment later.
    """
    numbers = job.options.numbers
    size = stage.look.size
    needed = (size.tokens - stage.report.target) / size.ratio
    keep = policy.keep_recent_tokens(numbers)
    if needed > _old_output(stage.look, keep) / size.scale:
        return stage
    least = max(policy.age_gain_needed(numbers.window), int(needed))
    done = job.state.age_spill(stage.records, job.lens, keep, least)
    return _after_spill(job, stage, done)


def _old_output(seen: Look, keep: int) -> int:
    """The tokens of results but for the newest ``keep``, at most."""
    whole = sum(item.tokens for item in seen.items if item.results)
    return max(0, whole - keep)


# --- deciding ---


def _decided(job: Job) -> tuple[Stage, str | None]:
    """Layer 1 of an automatic run, and why layer 2 is due; None if it is not."""
    stage = _spilled(job, _looked_at(job))
    left: Outcome = "spilled" if stage.report.spilled else "unchanged"
    if not job.seen.is_fresh:
        return _with(stage, left, _NOTHING_NEW), None
    if stage.look.size.tokens < stage.report.threshold:
        return _with(stage, left, "under the threshold"), None
    if job.breaker is not None and job.breaker.is_open:
        return _with(stage, left, f"the breaker is {job.breaker.told()}"), None
    aged = _aged(job, stage)
    if aged is not stage and aged.look.size.tokens <= aged.report.target:
        return _with(aged, "aged", "age spill reached the target"), None
    return aged, "over the threshold"


def _second_layer(job: Job, stage: Stage, reason: str) -> End:
    """Layer 2, with its result or its error; neither where there is nothing to do."""
    try:
        if job.options.trigger == "emergency":
            result = _rescued(job, stage)
        elif job.options.emit == "summary":
            if stage.look.end == job.seen.systems:
                raise BadInput(
                    place="the history",
                    what="there is nothing to sum up",
                    remedy="give it messages",
                )
            result = layer2.hand_over(_bare_case(job, stage))
            return End(_with(stage, "summed up", reason), result)
        elif job.options.trigger == "manual" and not job.seen.is_fresh:
            return End(_with(stage, "unchanged", _NOTHING_NEW))
        else:
            return _compacted(job, stage, reason)
    except MewError as error:
        return End(_failed(stage, error), None, error)
    return End(_with(stage, "compacted", reason), result)


def _compacted(job: Job, stage: Stage, reason: str) -> End:
    case = _case(job, stage)
    start = _start(case)
    result = None if start is None else layer2.compact(case, start)
    if result is not None:
        return End(_with(stage, "compacted", reason), result)
    why = _NOT_SMALLER if start is not None else "all of it belongs to the tail"
    if job.options.trigger == "auto":
        raise cannot_fit(case.look, stage.report.threshold, why)
    return End(_with(stage, "kept", why))


def _rescued(job: Job, stage: Stage) -> Result:
    if not job.seen.is_fresh and job.seen.ending.emergency:
        limit = job.options.numbers.hard_limit
        raise cannot_fit(stage.look, limit, "nothing is new since the last emergency")
    return layer2.rescue(_bare_case(job, stage))


def _start(case: Case) -> int | None:
    """Where to cut; None if nothing stands before the tail. Raises ``CannotFit``."""
    if case.look.floor >= case.top:
        raise cannot_fit(case.look, case.top, "no room to compact")
    start = layer2.tail_start(case)
    return start if start > case.look.seen.body else None


def _case(job: Job, stage: Stage) -> Case:
    """The case; the results of the last message are spilled if need be."""
    case = _bare_case(job, stage)
    if case.look.floor < case.top:
        return case
    return layer2.last_unit_spilled(case) or case


def _bare_case(job: Job, stage: Stage) -> Case:
    meter = job.weights.meter(stage.look.size.scale)
    bench = Bench(
        job.records,
        stage.records,
        job.lens,
        stage.look,
        job.options,
        job.state,
        meter,
        job.provider,
    )
    return Case(bench, job.weights)


def _failed(stage: Stage, error: MewError) -> Stage:
    return _with(
        stage, "cannot-fit" if isinstance(error, CannotFit) else "failed", str(error)
    )


def _with(stage: Stage, outcome: Outcome, reason: str) -> Stage:
    report = replace(stage.report, outcome=outcome, reason=reason)
    return replace(stage, report=report)
