"""Reading for ``tokens timeline -s``: a session's whole log as a model was sent it.

Chapter by chapter, with the previews that the session's ledger knows in the place of
the bodies, which the log holds. Writes nothing.
"""

from __future__ import annotations

import os
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from click.core import ParameterSource

from mewctl.commands.counting import bounds_from, estimator_for
from mewctl.commands.looks import Heard
from mewctl.commands.notes import note
from mewctl.commands.places import store_from
from mewctl.errors import BadInput, MewError
from mewctl.history.formats import mew
from mewctl.history.view import Result
from mewctl.session import glimpse
from mewctl.session.layout import sessions_in
from mewctl.session.reading import LogReader
from mewctl.session.references import find
from mewctl.spill.ledger import Ledger
from mewctl.store.names import safe_name
from mewctl.streams.jsonvalue import utf8
from mewctl.streams.stdio import stdin_is_terminal
from mewctl.tokens.timeline import Timeline
from mewctl.tokens.timeline_events import About
from mewctl.transcripts import Report

if TYPE_CHECKING:
    from collections.abc import Mapping

    import click

    from mewctl.history.view import Message, Part
    from mewctl.session.layout import Layout
    from mewctl.session.lines import Marker
    from mewctl.tokens.report import Bounds


def named(ctx: click.Context) -> bool:
    """Whether a session is to be read, and not files or what is piped in.

    Only the command line asks for it against those: a variable or a setting names the
    session that one works on, not what a pipeline is about.
    """
    if not ctx.params["session"]:
        return False
    if ctx.get_parameter_source("session") is ParameterSource.COMMANDLINE:
        return True
    return not ctx.params["files"] and stdin_is_terminal()


def timeline_of_session(options: Mapping[str, Any]) -> tuple[Timeline, Bounds]:
    """The timeline of a session, and what its context is compared with."""
    name = str(options["session"])
    layout = find("" if os.sep in name else sessions_in(store_from(options)), name)
    heard, report, ledger = Heard(), Report(), _ledger(layout)
    with LogReader(layout.log) as reader:
        model = options["model"] or glimpse.ending(reader.read, reader.size).model
        found = Timeline(
            estimator_for(options["family"], model),
            biggest=options["biggest"],
            redact=not options["no_redact"],
        )
        for chapter in reader.chapters():
            if chapter.mark is not None:
                marker = chapter.mark.marker
                found.marker(about(marker), marker.time)
            for record, value in reader.whole(chapter, report):
                message = mew.view(value)
                heard.note(message)
                found.add(_as_sent(message, ledger), len(record.raw) + 1)
    found.finish()
    _tell(layout, report, options)
    return found, bounds_from(options, model or heard.model or None, heard.top_usage)


def about(marker: Marker) -> About:
    """What a compact marker says, for a timeline."""
    return About(marker.id, marker.reason, marker.provider, marker.messages or 0)


def _tell(layout: Layout, report: Report, options: Mapping[str, Any]) -> None:
    """Say what could not be read; with ``--strict`` that is an error."""
    for damage in report.notes:
        place = f"{layout.log}:{damage.line}"
        if options["strict"]:
            remedy = "see mewctl session repair, or read it without --strict"
            what = f"{damage.kind}: {damage.text}"
            raise BadInput(place=place, what=what, remedy=remedy)
        note(f"{place}: {damage.kind}: {damage.text}")


def _ledger(layout: Layout) -> Ledger | None:
    ledger = Ledger(layout.spill)
    try:
        ledger.refresh()
    except MewError as error:
        note(f"{error}; spills are not shown")
        return None
    return ledger


def _as_sent(message: Message, ledger: Ledger | None) -> Message:
    """The message with previews for what was spilled of its results."""
    if ledger is None or not message.results:
        return message
    parts = tuple(_preview(part, ledger) for part in message.parts)
    return replace(message, parts=parts)


def _preview(part: Part, ledger: Ledger) -> Part:
    places = ledger.of_name(safe_name(part.call_id)) if isinstance(part, Result) else ()
    if not isinstance(part, Result) or not places:
        return part
    digest = sha256(utf8(part.text)).hexdigest()
    for place in places:
        entry = place.entry
        if entry.replaced and entry.of == "result" and entry.digest == digest:
            text = ledger.preview(place)
            return part if text is None else part.with_text(text)
    return part
