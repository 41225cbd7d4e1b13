"""What ``compact`` works with, gathered from its options: window, scales, state."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from mewctl import limits
from mewctl.commands.breaking import breaker_of
from mewctl.commands.counting import anchor_from, estimator_for
from mewctl.commands.notes import note
from mewctl.commands.places import absolute, place_from
from mewctl.commands.providing import provider_from
from mewctl.commands.reading import History, Reading, converted, wish_from
from mewctl.commands.state import DiskState, DryState
from mewctl.compact import overflow
from mewctl.compact.breaker import Breaker
from mewctl.compact.job import Job
from mewctl.compact.options import Options
from mewctl.compact.policy import Numbers
from mewctl.compact.scales import Weights
from mewctl.compact.survey import Surveyor, survey
from mewctl.errors import BadInput
from mewctl.history.lens import lens
from mewctl.streams.inputs import read_whole
from mewctl.streams.jsonvalue import BadJSON, loads
from mewctl.tokens.windows import next_window, window_for

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mewctl.commands.looks import Heard
    from mewctl.commands.places import Place
    from mewctl.compact.options import State
    from mewctl.compact.survey import Survey
    from mewctl.history.lens import Lens
    from mewctl.streams.records import Record
    from mewctl.tokens.estimator import Estimator

#: Objects between two looks for cycles: nearly nothing here is cyclic, and looking
#: costs a fifth of the time.
_CALM = 1_000_000


@dataclass(frozen=True, slots=True)
class Plan:
    """A compaction that is ready to run.

    ``before``: records up to the last compact marker of a session log. They are no part
    of the history, and pass as they are.
    """

    before: tuple[Record, ...]
    job: Job
    place: Place


@dataclass(frozen=True, slots=True)
class Material:
    """A history that is to be compacted, and what was seen of it while it was read.

    ``offset``: bytes that stand before it.
    """

    records: tuple[Record, ...]
    seen: Survey
    lens: Lens
    heard: Heard
    offset: int = 0


def prepare(options: Mapping[str, Any]) -> Plan:
    """Read everything the options name. Raises what reading raises."""
    gc.set_threshold(_CALM)
    history = _history(options)
    before = sum(len(record.raw) + 1 for record in history.before)
    material = Material(
        history.records, history.seen, history.lens, history.reading.look.heard, before
    )
    origin = options["origin"] or _origin(options, history.reading)
    place = place_from(options)
    job = job_for(options, material, lambda w: _state(options, place, w), place, origin)
    return Plan(history.before, job, place)


def job_for(
    options: Mapping[str, Any],
    material: Material,
    state: Callable[[Weights], State],
    place: Place,
    origin: str,
) -> Job:
    """The compaction of ``material`` that the options ask for.

    ``state`` makes what keeps things in ``place``, ``origin`` names the transcript.
    """
    heard = material.heard
    error = (
        read_whole(options["error"]).decode("utf-8", "replace")
        if options["error"]
        else ""
    )
    estimator = estimator_for(options["family"], _model(options, heard))
    system, tools, tool_list = _beside(options, estimator)
    weights = Weights(
        estimator,
        anchor_from(options["anchor"]),
        system + tools,
        _overhead(options["overhead"]),
    )
    summary = options["emit"] == "summary"
    wishes = Options(
        trigger="manual" if summary else options["trigger"],
        numbers=_numbers(options, _window(options, heard, error)),
        lang=options["lang"],
        focus=options["focus"],
        emit=options["emit"],
        system=system,
        tools=tools,
        tool_list=tool_list,
        error=error,
        origin=origin,
    )
    return Job(
        material.records,
        material.seen,
        material.lens,
        wishes,
        state(weights),
        provider_from(options, _model(options, heard)),
        weights,
        material.offset,
        Breaker() if options["reset_breaker"] else breaker_of(place),
    )


@dataclass(frozen=True, slots=True)
class _History:
    """A history that was surveyed while it was read."""

    before: tuple[Record, ...]
    records: tuple[Record, ...]
    seen: Survey
    lens: Lens
    reading: Reading


def _history(options: Mapping[str, Any]) -> _History:
    whole = options["full"] or options["emit"] == "summary"
    reading = Reading(options["files"], wish_from({**options, "full": whole}))
    before: list[Record] = []
    records: list[Record] = []
    surveyor = Surveyor()
    for record, message in reading:
        records.append(record)
        if message.marker:
            before += records
            records.clear()
            surveyor = Surveyor()
        else:
            surveyor.add(message, len(record.raw))
    found = History(tuple(records), lens(reading.format), reading)
    if options["to"] in (None, reading.format):
        seen = surveyor.result()
        return _History(tuple(before), tuple(records), seen, found.lens, reading)
    made = converted(found, options["to"])
    kept = tuple(made.records)
    return _History((), kept, survey(kept, made.lens), made.lens, reading)


def _model(options: Mapping[str, Any], heard: Heard) -> str:
    return str(options["model"] or heard.model)


def _numbers(options: Mapping[str, Any], window: int) -> Numbers:
    return Numbers(
        window=window,
        reserve=options["reserve"],
        margin=options["margin"],
        manual_margin=options["manual_margin"],
        threshold_share=options["threshold_share"],
        target_share=options["target_share"],
        tail_tokens=options["tail_tokens"],
        tail_messages=options["tail_messages"],
        keep_recent=options["keep_recent"],
    )


def _state(options: Mapping[str, Any], place: Place, weights: Weights) -> DiskState:
    lang = None if options["lang"] == "auto" else options["lang"]
    kind = DryState if options["dry_run"] or options["check"] else DiskState
    return kind(place, lang, weights.meter(1.0).text)


def _window(options: Mapping[str, Any], heard: Heard, error: str) -> int:
    """The window: asked for, refused at, the model's, else assumed and said."""
    if options["window"]:
        return int(options["window"])
    said = overflow.numbers(error).limit if error else 0
    if said:
        return said
    model = _model(options, heard)
    known = window_for(model)
    window = known or limits.WINDOW
    words = f"window: {window} tokens assumed; name it with --window or --model"
    if heard.top_usage > window:
        window = next_window(heard.top_usage, model)
        words = (
            f"window: {window} tokens, for a usage of {heard.top_usage} was reported"
        )
    elif known is not None:
        words = ""
    if words and not options["quiet"]:
        note(f"{words}")
    return window


def _beside(
    options: Mapping[str, Any], estimator: Estimator
) -> tuple[int, int, tuple[Mapping[str, Any], ...]]:
    """Tokens of ``--system`` and of ``--tools``, and the list of tools."""
    system = 0
    if options["system"]:
        system = round(estimator.tokens(read_whole(options["system"])).cautious)
    if not options["tools"]:
        return system, 0, ()
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
    return system, round(estimator.tokens(raw).cautious), tuple(tools)


def _overhead(text: str) -> int | None:
    if text == "auto":
        return None
    if not text.isascii() or not text.isdigit():
        raise click.BadParameter(
            f"{text!r} is neither auto nor a number", param_hint="--overhead"
        )
    return int(text)


def _origin(options: Mapping[str, Any], reading: Reading) -> str:
    """The transcript's own path, where it was read from one file."""
    files = options["files"]
    if reading.is_transcript and len(files) == 1 and files[0] != "-":
        return absolute(str(files[0]))
    return ""
