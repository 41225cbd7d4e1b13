"""Previews that a session's ledger knows, turned back into what they stand for.

A log holds originals: the ledger replays the previews whenever it is read.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mewctl.history.formats import load
from mewctl.history.offloaded import BEGIN
from mewctl.history.view import Result
from mewctl.spill.recall import Archive
from mewctl.streams.jsonvalue import dumps, loads
from mewctl.streams.records import Record

if TYPE_CHECKING:
    from mewctl.commands.session.incoming import Arrival
    from mewctl.history.view import Part
    from mewctl.session.layout import Layout

_PREVIEW = BEGIN.encode()


class Originals:
    """The bodies of one session, by the previews that stand for them."""

    def __init__(self, layout: Layout) -> None:
        self._archive = Archive(layout.spill, layout.boundaries)

    def of(self, arrival: Arrival) -> Arrival:
        """The arrival with original texts for known previews; else itself.

        Raises ``BadInput`` where a body is no longer what was spilled.
        """
        raw = self.line(arrival.record.raw, arrival.format)
        if raw is arrival.record.raw:
            return arrival
        record = Record(raw, arrival.record.line, arrival.record.offset)
        return replace(arrival, record=record, value=loads(raw))

    def line(self, raw: bytes, form: str) -> bytes:
        """The same for the bytes of a record of the format ``form``."""
        if _PREVIEW not in raw:
            return raw
        lens = load(form)
        value = loads(raw, exact=True)
        parts = lens.view(value).parts
        made = tuple(map(self._part, parts))
        if all(new is old for new, old in zip(made, parts, strict=True)):
            return raw
        rebuilt = lens.rebuild(value, made)
        return raw if rebuilt is None else dumps(rebuilt)

    def _part(self, part: Part) -> Part:
        if not isinstance(part, Result) or not part.text.startswith(BEGIN):
            return part
        body = self._archive.original(part.text)
        if body is None:
            return part
        return part.with_text(body.decode("utf-8", "surrogatepass"))
