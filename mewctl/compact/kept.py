"""What stays of a history: system text and tail, valid around a summary. Pure.

A record that nothing is wrong with comes out as the very bytes it was. Must not choose
where the tail begins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from mewctl.compact.survey import survey
from mewctl.errors import CannotFit
from mewctl.history.boundary import PLACEHOLDER
from mewctl.history.findings import LAYOUT
from mewctl.history.losses import Losses
from mewctl.history.repair import repair_records
from mewctl.history.view import Message, Text
from mewctl.streams.jsonvalue import dumps
from mewctl.streams.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mewctl.compact.look import Look
    from mewctl.compact.options import Records
    from mewctl.compact.scales import Meter
    from mewctl.compact.survey import Survey
    from mewctl.compact.texts import Lang
    from mewctl.history.findings import Finding
    from mewctl.history.lens import Lens


@dataclass(frozen=True, slots=True)
class Kept:
    """System messages and a tail: their records, and the tokens of each.

    ``assistants`` and ``users`` count the tail's messages. ``placeholder``: the
    assistant has to speak between the summary and it. ``changed``: numbers of the
    history's records that repair did not leave as they were; ``repairs``: how many
    things it found.
    """

    systems: Records
    records: Records
    system_tokens: tuple[int, ...]
    tokens: tuple[int, ...]
    assistants: int
    users: int
    placeholder: bool
    changed: tuple[int, ...] = ()
    repairs: int = 0


def keep(records: Records, start: int, lens: Lens, found: Look, meter: Meter) -> Kept:
    """What stays of ``records`` if the tail begins at ``start``.

    Raises ``CannotFit`` for a tail that no repair can put behind a summary.
    """
    seen = found.seen
    systems, tail = records[: seen.systems], records[start:]
    speaks = _needs_placeholder(seen, start)
    made = _repaired(systems, tail, lens, speaks=speaks)
    if made is None:  # the assistant's message that it began with had to go
        speaks = True
        made = _repaired(systems, tail, lens, speaks=True)
    if made is None:
        raise CannotFit(
            what="the newest messages cannot stand behind a summary",
            remedy="run mewctl repair on the history",
        )
    if _raws(made.systems) == _raws(systems) and _raws(made.tail) == _raws(tail):
        return Kept(
            systems,
            tail,
            tuple(item.tokens for item in found.items[: seen.systems]),
            tuple(item.tokens for item in found.items[start:]),
            seen.assistants(start),
            seen.spoken(start),
            speaks,
        )
    again = survey(made.tail, lens)
    verbatim = {record.raw for record in (*made.systems, *made.tail)}
    places = (*range(seen.systems), *range(start, len(records)))
    return Kept(
        made.systems,
        made.tail,
        _tokens(made.systems, lens, meter),
        _tokens(made.tail, lens, meter),
        again.assistants(0),
        again.spoken(0),
        speaks and bool(made.tail),
        tuple(at for at in places if records[at].raw not in verbatim),
        made.repairs,
    )


def whole(records: Records, lens: Lens) -> tuple[Records, int]:
    """A history that is left alone, valid; and how many things were wrong with it.

    Raises ``BadInput`` where a record that must change is nested too deep.
    """
    findings: list[Finding] = []
    pairs = ((record, record.mapping()) for record in records)
    raws = list(repair_records(pairs, lens.format, findings.append))
    if raws == _raws(records):
        return records, 0
    return tuple(map(Record, raws)), len(findings)


def _raws(records: Records) -> list[bytes]:
    return [record.raw for record in records]


def _tokens(records: Records, lens: Lens, meter: Meter) -> tuple[int, ...]:
    return tuple(meter.message(lens.view(record.mapping())) for record in records)


def placeholder(lang: Lang, time: float | None) -> Message:
    """What the assistant says between a summary and a tail of the user's."""
    return Message("assistant", (Text(PLACEHOLDER[lang]),), time=time)


def records_of(messages: Iterable[Message], lens: Lens) -> Records:
    """Messages that we made, as records of a history's format."""
    losses = Losses()  # the marks of our own messages; nothing of the history
    return tuple(
        Record(dumps(value))
        for message in messages
        for value in lens.format.make(message, losses)
    )


def _needs_placeholder(seen: Survey, start: int) -> bool:
    roles = (entry.role for entry in seen.entries[start:])
    return next((role for role in roles if role is not None), "assistant") != (
        "assistant"
    )


class _Made(NamedTuple):
    systems: Records
    tail: Records
    repairs: int


def _repaired(
    systems: Records, tail: Records, lens: Lens, *, speaks: bool
) -> _Made | None:
    """Both as they may stand around a summary; None if they cannot."""
    lead = [Message("user", (Text("summary"),))]
    if speaks:
        lead.append(placeholder("en", None))
    between = records_of(lead, lens)
    findings: list[Finding] = []
    pairs = ((record, record.mapping()) for record in (*systems, *between, *tail))
    made = tuple(map(Record, repair_records(pairs, lens.format, findings.append)))
    repairs = sum(finding.kind not in LAYOUT for finding in findings)
    for at in range(min(len(systems), len(made)) + 1):
        after = at + len(between)
        if _raws(made[at:after]) == _raws(between):
            return _Made(made[:at], made[after:], repairs)
    return None
