"""The end of a compaction: the run, with what only the finished history can tell. Pure.

Repairs what was left alone, measures what changed, and takes the breaker along.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING

from mewctl.compact import breaker as breakers
from mewctl.compact.cut import facts_before
from mewctl.compact.job import Run
from mewctl.compact.kept import whole
from mewctl.compact.look import Scene, look
from mewctl.compact.report import first_difference
from mewctl.compact.survey import survey
from mewctl.errors import MewError
from mewctl.history.usage import as_record

if TYPE_CHECKING:
    from mewctl.compact.job import End, Job, Stage
    from mewctl.compact.layer2 import Result
    from mewctl.compact.options import Records
    from mewctl.compact.report import Report


def scene_of(job: Job) -> Scene:
    """By what a history is looked at."""
    facts = facts_before(job.seen, job.state)
    overhead = facts.overhead if facts else 0
    return Scene(job.lens, job.options, job.weights, overhead)


def finished(job: Job, end: End) -> Run:
    """The run, with what only the finished history can tell."""
    result = end.result
    stage = end.stage if result is not None else _mended(job, end.stage)
    records, report, cut = stage.records, stage.report, None
    tokens = tuple(item.tokens for item in stage.look.items)
    if result is not None:
        cut = result.cut
        records, tokens = cut.records, cut.tokens
        report = _cut_report(job, stage, result)
    changed = first_difference([r.raw for r in job.records], [r.raw for r in records])
    if changed >= 0:
        rewrite = _tokens_from(records, tokens, changed)
        report = replace(report, first_changed=job.offset + changed, rewrite=rewrite)
    state = breakers.ended(job.breaker, report, end.error)
    report = replace(
        report,
        breaker=breakers.told(state),
        warnings=(*report.warnings, *breakers.warnings(job.breaker, report)),
    )
    return Run(records, report, stage.records, cut, end.error, state)


def _mended(job: Job, stage: Stage) -> Stage:
    """The stage with a valid history: what is left alone is repaired all the same."""
    try:
        records, repairs = whole(stage.records, job.lens)
    except MewError as error:
        warnings = (*stage.report.warnings, str(error))
        return replace(stage, report=replace(stage.report, warnings=warnings))
    if records is stage.records:
        return stage
    seen = look(records, survey(records, job.lens), scene_of(job))
    outcome = stage.report.outcome
    report = replace(
        stage.report,
        outcome="repaired" if outcome == "unchanged" else outcome,
        after=seen.size.tokens,
        repairs=repairs,
    )
    return replace(stage, records=records, look=seen, report=report)


def _cut_report(job: Job, stage: Stage, result: Result) -> Report:
    seen, span, prose = stage.look, result.cut.span, result.cut.prose
    usage = prose.usage
    return replace(
        stage.report,
        spilled=(*stage.report.spilled, *result.cut.span.spilled),
        after=result.tokens,
        kept=seen.messages(span.tail, seen.end),
        dropped=seen.messages(seen.seen.systems, span.tail),
        boundary=span.boundary,
        address=job.state.address(span.boundary),
        facts=job.state.facts_address(span.boundary),
        recall=job.state.recall_command(span.boundary),
        provider=prose.provider,
        model=prose.model,
        usage={} if usage is None else as_record(usage),
        gate_dropped=prose.dropped,
        gate_marked=prose.marked,
        not_shown=prose.unseen,
        reduced=result.reduced,
        repairs=span.kept.repairs,
    )


def _tokens_from(records: Records, tokens: tuple[int, ...], offset: int) -> int:
    """The tokens of the records that end behind ``offset``, in bytes."""
    ends = list(accumulate(len(record.raw) + 1 for record in records))
    return sum(tokens[bisect_right(ends, offset) :])
