"""What ``compact`` works with, gathered from its options: window, scales, state."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from mewctl import limits
from mewctl.commands.counting import anchor_from, estimator_for
from mewctl.commands.places import place_from
from mewctl.commands.reading import converted, load_history, wish_from
from mewctl.commands.state import DiskState, DryState
from mewctl.compact import overflow
from mewctl.compact.engine import Job, Run, run
from mewctl.compact.options import Options
from mewctl.compact.policy import Numbers
from mewctl.compact.scales import Weights
from mewctl.errors import BadInput
from mewctl.providers.offline import Offline
from mewctl.streams.inputs import read_whole
from mewctl.streams.jsonvalue import BadJSON, loads
from mewctl.streams.stdio import say
from mewctl.tokens.windows import next_window, window_for

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewctl.commands.reading import History
    from mewctl.tokens.estimator import Estimator


@dataclass(frozen=True, slots=True)
class Plan:
    """A compaction that is ready to run."""

    history: History
    job: Job

    def run(self) -> Run:
        """Compact; nothing is written but what is spilled."""
        return run(self.job)


def prepare(options: Mapping[str, Any]) -> Plan:
    """Read everything the options name. Raises what reading raises."""
    summary = options["emit"] == "summary"
    wish = wish_from({**options, "full": options["full"] or summary})
    history = load_history(options["files"], wish)
    if options["to"]:
        history = converted(history, options["to"])
    error = (
        read_whole(options["error"]).decode("utf-8", "replace")
        if options["error"]
        else ""
    )
    model = options["model"] or history.reading.model
    estimator = estimator_for(options["family"], model)
    system, tools = _beside(options, estimator)
    window = _window(options, history, error)
    wishes = Options(
        trigger="manual"
        if summary and options["trigger"] == "auto"
        else options["trigger"],
        numbers=Numbers(
            window=window,
            reserve=options["reserve"],
            margin=options["margin"],
            manual_margin=options["manual_margin"],
            threshold_share=options["threshold_share"],
            target_share=options["target_share"],
            tail_tokens=options["tail_tokens"],
            tail_messages=options["tail_messages"],
            keep_recent=options["keep_recent"],
        ),
        lang=options["lang"],
        focus=options["focus"],
        emit=options["emit"],
        system=system,
        tools=tools[0],
        tool_list=tools[1],
        error=error,
        origin=options["origin"] or _origin(options, history),
    )
    scales = Weights(
        estimator,
        anchor_from(options["anchor"]),
        system + tools[0],
        _overhead(options["overhead"]),
    )
    lang = None if options["lang"] == "auto" else options["lang"]
    kind = DryState if options["dry_run"] or options["check"] else DiskState
    estimate = scales.meter(1.0).text
    state = kind(place_from(options), lang, estimate)
    job = Job(history.records, history.lens, wishes, state, Offline(), scales)
    return Plan(history, job)


def _window(options: Mapping[str, Any], history: History, error: str) -> int:
    """The window: asked for, refused at, the model's, else assumed and said."""
    if options["window"]:
        return int(options["window"])
    said = overflow.numbers(error).limit if error else 0
    if said:
        return said
    model = options["model"] or history.reading.model
    known = window_for(model)
    window = known or limits.WINDOW
    if known is None and not options["quiet"]:
        say(f"window: {window} tokens assumed; name it with --window or --model")
    top = history.reading.top_usage
    if top > window:
        window = next_window(top, model)
        say(f"window: {window} tokens, because a usage of {top} was reported")
    return window


def _beside(
    options: Mapping[str, Any], estimator: Estimator
) -> tuple[int, tuple[int, tuple[Mapping[str, Any], ...]]]:
    """Tokens of ``--system``; tokens and list of ``--tools``."""
    system = 0
    if options["system"]:
        system = round(estimator.tokens(read_whole(options["system"])).cautious)
    if not options["tools"]:
        return system, (0, ())
    raw = read_whole(options["tools"])
    try:
        value = loads(raw)
    except BadJSON as error:
        raise BadInput(
            place=options["tools"], what=str(error), remedy="give a JSON list of tools"
        ) from None
    tools = value.get("tools") if isinstance(value, dict) else value
    if not isinstance(tools, list) or not all(isinstance(t, dict) for t in tools):
        raise BadInput(
            place=options["tools"],
            what="not a list of tools",
            remedy="give a JSON list of tools",
        )
    return system, (round(estimator.tokens(raw).cautious), tuple(tools))


def _overhead(text: str) -> int | None:
    if text == "auto":
        return None
    if not text.isascii() or not text.isdigit():
        raise click.BadParameter(
            f"{text!r} is neither auto nor a number", param_hint="--overhead"
        )
    return int(text)


def _origin(options: Mapping[str, Any], history: History) -> str:
    """The transcript's own path, where it was read from one file."""
    files = options["files"]
    if history.reading.is_transcript and len(files) == 1 and files[0] != "-":
        return os.path.abspath(str(files[0]))
    return ""
