"""``tokens --exact``: what the count endpoint of a Messages API says.

The one part of ``tokens`` that sends anything, and only where it was asked to. Where a
server does not count, the report stays the estimate and says why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.notes import note
from mewctl.commands.providing import model_for
from mewctl.commands.reading import exact
from mewctl.errors import BadInput
from mewctl.history.convert import convert_records, request_pieces
from mewctl.history.formats import load
from mewctl.history.losses import Losses
from mewctl.history.repair import repair_records
from mewctl.providers.failures import NoEndpoint
from mewctl.streams.jsonvalue import dumps, loads
from mewctl.streams.records import Record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewctl.commands.reading import Reading
    from mewctl.streams.shelf import Shelf

_API = "anthropic"


def of_text(
    options: Mapping[str, Any], text: bytes, report: dict[str, Any]
) -> dict[str, Any]:
    """The ``report`` on a text with the count of a message that says it."""
    try:
        words = text.decode()
    except UnicodeDecodeError as error:
        raise BadInput(
            place=f"byte {error.start}",
            what="not UTF-8, so that no API takes it",
            remedy="count it without --exact",
        ) from None
    talk = [{"role": "user", "content": words}] if words.strip() else []
    return _counted(options, report, {"messages": talk})


def of_history(
    options: Mapping[str, Any],
    reading: Reading,
    records: Shelf,
    report: dict[str, Any],
    beside: int,
) -> dict[str, Any]:
    """The ``report`` on a history with the count of the request that it makes.

    ``beside``: tokens that its own usage shows, but no message.
    """
    form, api, losses = load(reading.format or _API), load(_API), Losses()
    values = exact(reading, records.drain())
    made = convert_records(values, form, api, losses)
    pairs = ((Record(dumps(value)), value) for value in made)
    lines = repair_records(pairs, api, lambda _: None)
    body = loads(b"".join(request_pieces(lines, api)), exact=True)
    return _counted(options, report, body, beside)


def _counted(
    options: Mapping[str, Any],
    report: dict[str, Any],
    body: dict[str, Any],
    beside: int = 0,
) -> dict[str, Any]:
    """``report`` with the tokens of a request ``body``, system text included.

    ``cautious`` adds ``beside``.
    """
    if not body["messages"]:
        return _estimated(report, "there is no message to count")
    model = model_for(report.get("model") or "")
    if not model:
        raise click.UsageError("--exact needs --model NAME: the history names none")
    from mewctl.providers.anthropic import Anthropic, Settings

    settings = Settings(
        model, options["base_url"] or "", options["timeout"], options["retries"]
    )
    try:
        tokens, asked = Anthropic(settings).count(**body)
    except NoEndpoint as error:
        note(f"{error.fields['what']}; the number is an estimate")
        return _estimated(report, str(error.fields["what"]))
    known = {"tokens": tokens, "cautious": tokens + beside, "method": "exact"}
    estimate = {"tokens": report["tokens"], "cautious": report["cautious"]}
    left = {"to_threshold": report["threshold"] - known["cautious"]}
    return {**report, **known, **left, "counted_as": asked, "estimate": estimate}


def _estimated(report: dict[str, Any], why: str) -> dict[str, Any]:
    return {**report, "fallback": why}
