"""Reading for ``tokens timeline``: every message of the input, and a log's markers."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from mewctl.commands.counting import bounds_from, estimator_for, looked_at
from mewctl.commands.reading import Reading, wish_from
from mewctl.commands.timeline_session import about
from mewctl.session.lines import read_marker
from mewctl.tokens.timeline import Timeline
from mewctl.tokens.timeline_events import About

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewctl.streams.records import Record
    from mewctl.tokens.report import Bounds


def timeline_of(options: Mapping[str, Any]) -> tuple[Timeline, Bounds]:
    """The timeline of the input, and what its context is compared with."""
    reading = Reading(
        options["files"], wish_from({**options, "full": True, "every_usage": True})
    )
    entries = iter(reading)
    seen = looked_at(entries, options["model"])
    found = Timeline(
        estimator_for(options["family"], options["model"] or reading.model),
        biggest=options["biggest"],
        redact=not options["no_redact"],
    )
    for record, message in chain(seen, entries):
        if message.marker:
            found.marker(_about(record), message.time)
        else:
            found.add(message, len(record.raw) + 1)
    found.finish()
    model = options["model"] or reading.model or None
    return found, bounds_from(options, model, reading.top_usage)


def _about(record: Record) -> About:
    """What a compact marker says; one of another program says nothing we rely on."""
    marker = read_marker(record.raw)
    return About() if marker is None else about(marker)
