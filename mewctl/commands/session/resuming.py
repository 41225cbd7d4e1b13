"""What ``session resume`` does: compact if due, print, tell of a pause."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from mewctl.commands.breaking import keep_breaker
from mewctl.commands.notes import note
from mewctl.commands.places import place_of
from mewctl.commands.session.compacting import PAUSED, commit, job_of, load
from mewctl.commands.session.finding import session_of
from mewctl.commands.session.like_compact import completed
from mewctl.commands.session.loading import refuse_log, tell_damage, write_history
from mewctl.compact.engine import run
from mewctl.compact.report import line
from mewctl.errors import Exit, Locked, MewError
from mewctl.history.formats import mew
from mewctl.history.losses import Losses
from mewctl.session import gap, render
from mewctl.streams.jsonvalue import dumps
from mewctl.streams.records import Record
from mewctl.transcripts import Report

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mewctl.commands.session.compacting import Loaded
    from mewctl.compact.job import Run
    from mewctl.session.layout import Layout
    from mewctl.session.reading import Pair

_TRIES = 3  # a history that is written anew meanwhile is read again


def resume(options: Mapping[str, Any]) -> int:
    """Print the history for the next turn; the exit code."""
    options = completed(options)
    layout = session_of(options)
    refuse_log(layout, options["output"])
    now = time.time()
    loaded, records, code = _compacted(layout, options, now)
    form = options["to"] or render.one_format(loaded.records)
    pairs = _with_notice(records, loaded, options, now)
    write_history(pairs, form, options, layout, Report())
    return code


def _compacted(
    layout: Layout, options: Mapping[str, Any], now: float
) -> tuple[Loaded, Sequence[Record], int]:
    """The session after an automatic compaction, if one was due; the exit code."""
    for attempt in range(_TRIES):
        notes = Report()
        loaded = load(layout, notes)
        tell_damage(notes, options)
        job = job_of(loaded, options)
        if loaded.paused:
            note(PAUSED)
            spilled = job.state.spill(loaded.records, loaded.lens)
            return loaded, spilled.records, Exit.DONE
        done = run(job)
        for warning in done.report.warnings:
            note(f"{warning}")
        error = done.error
        if done.cut is not None:
            try:
                commit(loaded, job, done, now)
            except Locked as changed:
                if attempt + 1 < _TRIES:
                    continue
                error = changed
            except MewError as failed:
                error = failed
            else:
                keep_breaker(place_of(layout), done.breaker)
                _say(line(done.report), options)
                return _again(layout, options)
            done = done.without_cut(error)
        if not isinstance(error, Locked):
            keep_breaker(place_of(layout), done.breaker)
        return loaded, done.records, _told(done, error, options)
    raise AssertionError  # the last try returns


def _told(done: Run, error: MewError | None, options: Mapping[str, Any]) -> int:
    """Say how it ended, an error in any case; the exit code."""
    if error is None:
        _say(line(done.report), options)
        return Exit.DONE
    note(line(done.report))
    return error.code if options["strict"] else Exit.DONE


def _again(
    layout: Layout, options: Mapping[str, Any]
) -> tuple[Loaded, Sequence[Record], int]:
    """The session as it reads after the commit, so that the next turn sees the same."""
    loaded = load(layout, Report())
    state = job_of(loaded, options).state
    spilled = state.spill(loaded.records, loaded.lens)
    return loaded, spilled.records, Exit.DONE


def _say(words: str, options: Mapping[str, Any]) -> None:
    if words and not options["quiet"]:
        note(words)


def _with_notice(
    records: Sequence[Record], loaded: Loaded, options: Mapping[str, Any], now: float
) -> Iterator[Pair]:
    """The records with their values, and a notice if the session was paused long."""
    for record in records:
        yield record, record.mapping()
    pause = 0.0 if loaded.said is None else now - loaded.said
    if pause > options["remind_after"]:
        lang = loaded.seen.lang if options["lang"] == "auto" else options["lang"]
        for value in mew.make(gap.notice(pause, lang), Losses()):
            yield Record(dumps(value)), value
