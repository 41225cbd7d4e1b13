"""``mewctl session compact``: a compaction, committed to the session's log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.session.like_compact import act_options
from mewctl.commands.session.options import place_options, session_argument

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewctl.compact.job import Job, Run
    from mewctl.compact.report import Report
    from mewctl.errors import MewError


@click.command("compact", short_help="Compact a session's history in its log.")
@session_argument
@place_options
@click.option(
    "--strict",
    is_flag=True,
    show_envvar=True,
    help="Fail on damage in the log, and where an automatic run did not work.",
)
@act_options
def compact(**options: Any) -> int:
    r"""Compact a session's history in its log.

    Adds a marker and the compacted history to the log, in one write; what was dropped
    stays in the log and can be recalled. Without --trigger it is done now.

    \b
    Examples:
      mewctl session compact latest
      mewctl session compact $S --dry-run
      mewctl session compact $S --trigger emergency --error answer.json
    """
    _refuse(options)
    return _run(options)


def _refuse(options: Mapping[str, Any]) -> None:
    if options["check"] and options["trigger"] not in ("auto", "manual"):
        raise click.UsageError("--check asks what an automatic run would do")
    if options["error"] and options["trigger"] != "emergency":
        raise click.UsageError("--error needs --trigger emergency")
    if options["report"] == "-":
        raise click.UsageError("--report needs a file of its own")


def _run(options: Mapping[str, Any]) -> int:
    import time

    from mewctl.commands.breaking import keep_breaker
    from mewctl.commands.notes import note
    from mewctl.commands.places import place_of
    from mewctl.commands.session.compacting import PAUSED, commit, job_of, load
    from mewctl.commands.session.finding import session_of
    from mewctl.commands.session.like_compact import completed
    from mewctl.commands.session.loading import refuse_log, tell_damage
    from mewctl.compact.engine import check, run
    from mewctl.errors import Exit
    from mewctl.transcripts import Report as Notes

    options = completed(options)
    if options["check"]:
        options["trigger"] = "auto"
    layout = session_of(options)
    refuse_log(layout, options["report"])
    notes = Notes()
    loaded = load(layout, notes)
    tell_damage(notes, options)
    if options["trigger"] == "auto" and loaded.paused:
        note(PAUSED)
        return Exit.DONE
    job = job_of(loaded, options)
    if options["check"]:
        return _answer(options, *check(job))
    done = run(job)
    if not options["dry_run"]:
        if done.cut is not None:
            commit(loaded, job, done, time.time())
        keep_breaker(place_of(layout), done.breaker)
    return _finish(options, job, done)


def _answer(options: Mapping[str, Any], due: bool, report: Report) -> int:
    from mewctl.commands.notes import note
    from mewctl.errors import Exit

    _write_report(options, report)
    if not options["quiet"]:
        words = "is due" if due else "is not due"
        tokens = f"{report.after} tokens, the threshold is {report.threshold}"
        note(f"compaction {words}: {report.reason} ({tokens})")
    return Exit.NO if due else Exit.DONE


def _finish(options: Mapping[str, Any], job: Job, done: Run) -> int:
    """Say what was done; the exit code."""
    from mewctl.commands.notes import note
    from mewctl.compact.report import as_json, line
    from mewctl.errors import Exit
    from mewctl.streams.jsonvalue import dumps
    from mewctl.streams.stdio import Output

    for warning in done.report.warnings:
        note(f"{warning}")
    _write_report(options, done.report)
    if options["dry_run"]:
        with Output() as out:
            out.write(dumps(as_json(done.report)) + b"\n")
    words = line(done.report)
    if words and (done.error is not None or not options["quiet"]):
        note(f"would be {words}" if options["dry_run"] else words)
    if done.error is None:
        return Exit.DONE
    if job.options.trigger == "auto":
        return done.error.code if options["strict"] else Exit.DONE
    raise _with_answer(done.error, job.options.error)


def _with_answer(error: MewError, said: str) -> MewError:
    """The error, with what the provider said repeated."""
    words = " ".join(said.split())
    if not words:
        return error
    what = f"{error.fields.get('what', error)}; the provider said: {words}"
    return type(error)(**{**error.fields, "what": what})


def _write_report(options: Mapping[str, Any], report: Report) -> None:
    from mewctl.compact.report import as_json
    from mewctl.streams.jsonvalue import dumps
    from mewctl.streams.stdio import Output

    if options["report"]:
        with Output(options["report"]) as out:
            out.write(dumps(as_json(report)) + b"\n")
