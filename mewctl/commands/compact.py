"""``mewctl compact``: layer 1 and layer 2 as a filter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl import limits
from mewctl.commands.options import (
    MESSAGE_FORMATS,
    Count,
    InputFile,
    OutputFile,
    Share,
    chain,
    files_argument,
    input_options,
    lang_option,
    model_options,
    output_option,
    quiet_option,
    state_options,
    transcript_options,
)
from mewctl.commands.providing import provider_options

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mewctl.commands.compacting import Plan
    from mewctl.compact.job import Run
    from mewctl.compact.report import Report
    from mewctl.errors import MewError


def _number(flag: str, default: int, what: str) -> Callable[[Any], Any]:
    return click.option(
        flag,
        metavar="TOKENS",
        type=Count(0),
        default=default,
        show_default=True,
        show_envvar=True,
        help=what,
    )


number_options = chain(
    _number(
        "--reserve",
        limits.RESERVE,
        "Room for the answer, at most 10 % of the window.",
    ),
    _number(
        "--margin",
        limits.MARGIN,
        "How far below window and reserve auto begins, at most 6.5 % of the window.",
    ),
    _number(
        "--manual-margin",
        limits.MARGIN_MANUAL,
        "The same for manual and emergency.",
    ),
    _number(
        "--tail-tokens", limits.TAIL_MIN_TOKENS, "Tokens that the tail keeps at least."
    ),
    click.option(
        "--tail-messages",
        metavar="N",
        type=click.IntRange(1),
        default=limits.TAIL_MIN_MESSAGES,
        show_default=True,
        show_envvar=True,
        help="Messages that the tail keeps at least.",
    ),
    _number(
        "--keep-recent",
        limits.KEEP_RECENT,
        "Newest tool output that age spill spares; at most 20 % of the threshold.",
    ),
    click.option(
        "--threshold-share",
        metavar="PART",
        type=Share(0.1, 1.0),
        default=limits.THRESHOLD_SHARE,
        show_default=True,
        show_envvar=True,
        help="The threshold is never above this part of the window.",
    ),
    click.option(
        "--target-share",
        metavar="PART",
        type=Share(0.05, 0.95),
        default=limits.TARGET_SHARE,
        show_default=True,
        show_envvar=True,
        help="Part of the room between floor and threshold to use after compaction.",
    ),
)


@click.command(
    "compact", short_help="Replace old history by a summary and a verbatim tail."
)
@files_argument
@click.option(
    "--trigger",
    metavar="auto|manual|emergency",
    type=click.Choice(("auto", "manual", "emergency")),
    default="auto",
    show_default=True,
    show_envvar=True,
    help="auto: only if it is due. manual: now. emergency: the prompt was refused.",
)
@click.option(
    "--error",
    metavar="FILE",
    type=InputFile(),
    show_envvar=True,
    help="The provider's message that the prompt is too long (emergency).",
)
@click.option(
    "--emit",
    metavar="history|summary",
    type=click.Choice(("history", "summary")),
    default="history",
    show_default=True,
    show_envvar=True,
    help="summary: print a hand-over in Markdown instead of a history.",
)
@click.option(
    "--focus",
    metavar="TEXT",
    default="",
    show_envvar=True,
    help="What the summary is to keep in sight.",
)
@click.option(
    "--origin",
    metavar="PATH",
    default="",
    show_envvar=True,
    help="Where the full transcript is, for the summary to say.",
)
@click.option(
    "--dry-run", is_flag=True, help="Print the report, write and change nothing."
)
@click.option(
    "--check", is_flag=True, help="Exit 1 if auto would summarise; change nothing."
)
@click.option(
    "--report",
    metavar="FILE",
    type=OutputFile(),
    show_envvar=True,
    help="Write the report to FILE, as one JSON object.",
)
@click.option(
    "--to",
    metavar="FORMAT",
    type=click.Choice(MESSAGE_FORMATS),
    show_envvar=True,
    help="The format to write (default: the input's; mew for a transcript).",
)
@click.option(
    "--system",
    metavar="FILE",
    type=InputFile(),
    show_envvar=True,
    help="The system text that each request has besides the history.",
)
@click.option(
    "--tools",
    metavar="FILE",
    type=InputFile(),
    show_envvar=True,
    help="The tool list of the next request, as JSON.",
)
@click.option(
    "--anchor",
    metavar="TOKENS:MESSAGES",
    show_envvar=True,
    help="What a provider counted for how many first messages, such as 48000:120.",
)
@click.option(
    "--overhead",
    metavar="auto|TOKENS",
    default="auto",
    show_default=True,
    show_envvar=True,
    help="What the agent sends besides, unseen here; auto: from the history's usage.",
)
@click.option(
    "--reset-breaker",
    is_flag=True,
    help="Let a session's automatic compaction run again.",
)
@provider_options
@model_options
@number_options
@state_options
@input_options
@transcript_options
@lang_option
@output_option
@quiet_option
def compact(**options: Any) -> int:
    r"""Replace old history by a summary and a verbatim tail.

    Reads a history and writes a valid one of the same format. With the auto trigger
    oversized results are spilled first, and a summary is made only if the history
    reaches the threshold. Where none can be made, the history goes on without one, with
    a warning; --strict adds the error's exit code. Dropped records stay on this
    machine: see mewctl recall.

    \b
    Examples:
      mewctl compact --window 200000 < history.jsonl > next.jsonl
      mewctl compact --trigger manual --report report.json < history.jsonl
      mewctl compact --emit summary < transcript.jsonl > handover.md
    """
    return _run(options)


def _run(options: Mapping[str, Any]) -> int:
    _refuse(options)
    from mewctl.commands.compacting import prepare
    from mewctl.compact.engine import run

    plan = prepare(options)
    if options["check"]:
        return _answer(options, plan)
    done = run(plan.job)
    if options["dry_run"]:
        return _dry(options, plan, done)
    return _finish(options, plan, done)


def _refuse(options: Mapping[str, Any]) -> None:
    """Options that contradict each other."""
    trigger = options["trigger"]
    if options["check"] and trigger != "auto":
        raise click.UsageError("--check asks what an automatic run would do")
    if options["emit"] == "summary" and (options["check"] or trigger == "emergency"):
        raise click.UsageError("--emit summary is a manual run")
    if options["reset_breaker"] and not options["session"]:
        raise click.UsageError("--reset-breaker needs -s SESSION, whose breaker it is")
    if options["error"] and trigger != "emergency":
        raise click.UsageError("--error needs --trigger emergency")


def _answer(options: Mapping[str, Any], plan: Plan) -> int:
    """``--check``: 1 if auto would summarise."""
    from mewctl.commands.notes import note
    from mewctl.compact.engine import check
    from mewctl.errors import Exit

    due, report = check(plan.job)
    _write_report(options, report)
    if not options["quiet"]:
        words = "is due" if due else "is not due"
        tokens = f"{report.after} tokens, the threshold is {report.threshold}"
        note(f"compaction {words}: {report.reason} ({tokens})")
    return Exit.NO if due else Exit.DONE


def _dry(options: Mapping[str, Any], plan: Plan, done: Run) -> int:
    """``--dry-run``: the report, and nothing else."""
    from mewctl.compact.report import as_json
    from mewctl.streams.jsonvalue import dumps
    from mewctl.streams.stdio import Output

    _write_report(options, done.report)
    with Output(options["output"], options["files"]) as out:
        out.write(dumps(as_json(done.report)) + b"\n")
    return _ending(options, plan, done.error)


def _finish(options: Mapping[str, Any], plan: Plan, done: Run) -> int:
    """Save what is dropped, then write what is left; an auto failure still writes."""
    from mewctl.commands.breaking import keep_breaker
    from mewctl.commands.notes import note
    from mewctl.compact.report import line
    from mewctl.errors import MewError

    if done.cut is not None:
        span = done.cut.span
        lines = (record.raw for record in span.dropped)
        try:
            plan.job.state.save(span.boundary, lines, done.cut.facts)
        except MewError as failure:
            done = done.without_cut(failure)
    keep_breaker(plan.place, done.breaker)
    for warning in done.report.warnings:
        note(f"{warning}")
    _write_report(options, done.report)
    code = _ending(options, plan, done.error)
    _write(options, plan, done)
    words = line(done.report)
    if words and (done.error is not None or not options["quiet"]):
        note(f"{words}")
    return code


def _ending(options: Mapping[str, Any], plan: Plan, error: MewError | None) -> int:
    """The exit code for ``error``; raises it where nothing may be written.

    An emergency repeats what the provider said.
    """
    from mewctl.errors import Exit

    if error is None:
        return Exit.DONE
    wishes = plan.job.options
    if wishes.trigger == "auto":
        return error.code if options["strict"] else Exit.DONE
    said = " ".join(wishes.error.split())
    if said:
        what = f"{error.fields.get('what', error)}; the provider said: {said}"
        raise type(error)(**{**error.fields, "what": what})
    raise error


def _write(options: Mapping[str, Any], plan: Plan, done: Run) -> None:
    from mewctl.streams.stdio import Output

    with Output(options["output"], options["files"]) as out:
        if options["emit"] == "summary":
            out.write(done.summary)
            return
        for record in (*plan.before, *done.records):
            out.write(record.raw + b"\n")


def _write_report(options: Mapping[str, Any], report: Report) -> None:
    from mewctl.compact.report import as_json
    from mewctl.streams.jsonvalue import dumps
    from mewctl.streams.stdio import Output

    if options["report"]:
        with Output(options["report"], options["files"]) as out:
            out.write(dumps(as_json(report)) + b"\n")
