"""Counting for ``tokens``: streams the history through a tally and two what-ifs."""

from __future__ import annotations

from collections import deque
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from mewctl import limits
from mewctl.commands.reading import Reading, wish_from
from mewctl.compact.policy import Numbers, age_gain_needed, keep_recent_tokens
from mewctl.history.view import Opaque, Result
from mewctl.streams.inputs import names, opened
from mewctl.streams.shelf import Shelf
from mewctl.tokens.calibrate import Anchor, parse_anchor
from mewctl.tokens.estimator import Estimator
from mewctl.tokens.report import Bounds, Saving, Tally, text_report
from mewctl.tokens.windows import family_for, next_window, window_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mewctl.history.view import Message
    from mewctl.streams.records import Record
    from mewctl.tokens.estimator import PartTokens

#: How far to look for the model that the history itself names.
_LOOK_MESSAGES = 64
_LOOK_BYTES = 4 * 1024 * 1024


def estimator_for(family: str | None, model: str | None) -> Estimator:
    """The estimator of a family that was asked for, else of the model's."""
    return Estimator(family or family_for(model), "both")


def anchor_from(text: str | None) -> Anchor | None:
    """The anchor that was asked for."""
    if not text:
        return None
    try:
        return parse_anchor(text)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--anchor") from None


def window_of(asked: int | None, model: str | None, top_usage: int) -> int:
    """The window: asked for, else the model's, else assumed; as large as a usage."""
    if asked:
        return asked
    window = window_for(model) or limits.WINDOW
    return next_window(top_usage, model) if top_usage > window else window


def count_text(options: Mapping[str, Any]) -> dict[str, Any]:
    """The report on plain text."""
    estimator = estimator_for(options["family"], options["model"])
    blocks: Iterable[bytes] = _blocks(options["files"])
    if not options["exact"]:
        return text_report(blocks, estimator, bounds_from(options, None, 0))
    from mewctl.commands.exact import of_text

    blocks = list(blocks)
    report = text_report(blocks, estimator, bounds_from(options, options["model"], 0))
    return of_text(options, b"".join(blocks), report)


def _blocks(files: tuple[str, ...]) -> Iterator[bytes]:
    for path in names(files):
        with opened(path) as read:
            while block := read(limits.READ_BLOCK):
                yield block


def count_history(options: Mapping[str, Any]) -> dict[str, Any]:
    """The report on a history, which is read once and not kept, unless it is sent."""
    reading = Reading(options["files"], wish_from(options))
    entries = iter(reading)
    seen = looked_at(entries, options["model"])
    estimator = estimator_for(options["family"], options["model"] or reading.model)
    tally = Tally(
        estimator,
        anchor_from(options["anchor"]),
        biggest=options["biggest"],
        each=options["messages"],
        redact=not options["no_redact"],
    )
    from mewctl.spill.savings import Savings  # compact needs none of it

    savings = Savings()
    sent = Shelf() if options["exact"] else None
    for record, message in chain(seen, entries):
        parts = estimator.parts(message)
        tally.add_parts(message, parts, len(record.raw) + 1)
        savings.add(message, _of_results(message, parts, estimator))
        if sent is not None:
            sent.put(record)
    model = options["model"] or reading.model or None
    bounds = bounds_from(options, model, reading.top_usage)
    numbers = Numbers(window=bounds.window or limits.WINDOW)
    by_size = savings.by_size()
    by_age = savings.by_age(
        keep_recent_tokens(numbers), age_gain_needed(numbers.window)
    )
    report = tally.report(bounds, Saving(*by_size), Saving(*by_age))
    if sent is None:
        return report
    from mewctl.commands.exact import of_history

    return of_history(options, reading, sent, report, tally.beside)


def _of_results(
    message: Message, parts: Iterable[PartTokens], estimator: Estimator
) -> list[float]:
    """Tokens of each result's texts: as weighed, or anew where it holds documents."""
    costs = {cost.index: cost.tokens for cost in parts if cost.kind == "tool_results"}
    return [
        estimator.text(part.text)
        if any(isinstance(item, Opaque) for item in part.content)
        else costs[index].shown - limits.BLOCK_TOKENS
        for index, part in enumerate(message.parts)
        if isinstance(part, Result)
    ]


def looked_at(
    entries: Iterator[tuple[Record, Message]], model: str | None
) -> deque[tuple[Record, Message]]:
    """The first entries, up to one that names its model (none if that is given)."""
    seen: deque[tuple[Record, Message]] = deque()
    size = 0
    while model is None and len(seen) < _LOOK_MESSAGES and size < _LOOK_BYTES:
        entry = next(entries, None)
        if entry is None:
            break
        seen.append(entry)
        size += len(entry[0].raw)
        if entry[1].model:
            break
    return seen


def bounds_from(options: Mapping[str, Any], model: str | None, top: int) -> Bounds:
    """What the context is compared with. ``top``: the largest that usage reported."""
    window = window_of(options["window"], model, top)
    return Bounds(
        model=model,
        window=window,
        threshold=Numbers(window=window).threshold(),
        max_bytes=options.get("max_bytes"),
    )
