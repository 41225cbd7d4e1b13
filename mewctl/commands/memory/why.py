"""``mewctl memory why``: what a note rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.memory.options import note_argument, place_options, redact_option
from mewctl.commands.options import format_option, quiet_option

if TYPE_CHECKING:
    from collections.abc import Mapping


@click.command("why", short_help="Tell what a note rests on.")
@note_argument
@place_options
@format_option
@redact_option
@quiet_option
def why(**options: Any) -> None:
    r"""Tell what a note rests on.

    Who said it, in which words, in which session, what became of it since, and how far
    it can be relied on: that follows from the source and the evidence alone.

    \b
    Example:
      mewctl memory why package-manager
    """
    _run(options)


def _run(options: Mapping[str, Any]) -> None:
    import time

    from mewctl.commands.memory.places import chosen, gathered, store_of
    from mewctl.commands.memory.records import masked, record
    from mewctl.commands.session.table import show
    from mewctl.memory.confidence import confidence
    from mewctl.memory.value import expired

    notes, found = gathered(options)
    note = chosen(notes, options["name"], options)
    level, reason = confidence(note)
    events = [e for e in store_of(found, note).events() if e.get("id") == note.id]
    value = record(note) | {
        "confidence": level,
        "reason": reason,
        "expired": expired(note, time.time()),
    }
    value = masked(value, no_redact=options["no_redact"])
    rows = [(key, _words(item)) for key, item in value.items()]
    rows += [(str(e.get("time", "")), _event(e)) for e in events]
    show(options["format_"], [value | {"events": events}], ("what", ""), rows)


def _words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, list) else str(value)


def _event(event: Mapping[str, Any]) -> str:
    words = f"{event.get('event', '')} by {event.get('by', '')}"
    return f"{words}: {event['why']}" if event.get("why") else words
