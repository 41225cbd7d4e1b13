"""The verbatim tail of a compacted history, made valid behind a summary. Pure.

A record that nothing is wrong with comes out as the very bytes it was. Must not choose
where the tail begins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

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
    """A tail: its records, and the tokens of each.

    ``assistants`` and ``users`` count its messages. ``placeholder``: the assistant has
    to speak between the summary and it. ``changed``: numbers of the history's records
    that repair did not leave as they were; ``repairs``: how many things it found.
    """

    records: Records
    tokens: tuple[int, ...]
    assistants: int
    users: int
    placeholder: bool
    changed: tuple[int, ...] = ()
    repairs: int = 0


def keep(records: Records, start: int, lens: Lens, found: Look, meter: Meter) -> Kept:
    """The tail of ``records`` from ``start`` on.

    Raises ``CannotFit`` for one that no repair can put behind a summary.
    """
    tail, seen = records[start:], found.seen
    speaks = _needs_placeholder(seen, start)
    made, repairs = _repaired(tail, lens, speaks=speaks)
    if made is None:  # the assistant's message that it began with had to go
        speaks = True
        made, repairs = _repaired(tail, lens, speaks=True)
    if made is None:
        raise CannotFit(
            what="the newest messages cannot stand behind a summary",
            remedy="run mewctl repair on the history",
        )
    if [record.raw for record in made] == [record.raw for record in tail]:
        tokens = tuple(item.tokens for item in found.items[start:])
        assistants, users = seen.assistants(start), seen.spoken(start)
        return Kept(tail, tokens, assistants, users, speaks)
    again = survey(made, lens)
    verbatim = {record.raw for record in made}
    return Kept(
        made,
        tuple(meter.message(lens.view(record.mapping())) for record in made),
        again.assistants(0),
        again.spoken(0),
        speaks and bool(made),
        tuple(n for n, old in enumerate(tail, start) if old.raw not in verbatim),
        repairs,
    )


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


def _repaired(tail: Records, lens: Lens, *, speaks: bool) -> tuple[Records | None, int]:
    """The tail as it may follow a summary, None if it cannot, and repairs made."""
    lead = [Message("user", (Text("summary"),))]
    if speaks:
        lead.append(placeholder("en", None))
    before = records_of(lead, lens)
    findings: list[Finding] = []
    pairs = ((record, record.mapping()) for record in (*before, *tail))
    raws = list(repair_records(pairs, lens.format, findings.append))
    if raws[: len(before)] != [record.raw for record in before]:
        return None, 0
    repairs = sum(finding.kind not in LAYOUT for finding in findings)
    return tuple(map(Record, raws[len(before) :])), repairs
