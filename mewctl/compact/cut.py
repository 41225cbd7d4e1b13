"""One compaction of a history at one place: facts, addresses, the records. Pure.

``engine`` decides whether and where to cut. What a cut drops is in its span, to be
saved before anything is written out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

from mewctl.compact import recovery, summary, texts
from mewctl.compact.look import TAIL, TRIGGER, digest
from mewctl.compact.summary_read import read as read_summary
from mewctl.history import boundary as boundaries
from mewctl.history.boundary import Boundary
from mewctl.history.collect import Collector
from mewctl.history.facts import Facts, to_json
from mewctl.history.losses import Losses
from mewctl.history.repair import repair_records
from mewctl.history.view import Message, Text
from mewctl.providers.protocol import Limits, SummaryRequest
from mewctl.streams.jsonvalue import dumps
from mewctl.streams.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mewctl.compact.options import Meter, Options, Records, State
    from mewctl.compact.policy import Shares
    from mewctl.compact.survey import Survey
    from mewctl.compact.texts import Lang
    from mewctl.history.facts import FileRead
    from mewctl.history.lens import Lens
    from mewctl.providers.protocol import Prose, Provider


@dataclass(frozen=True, slots=True)
class Bench:
    """All that a cut works with: a history, what was seen of it, and the wishes."""

    records: Records
    lens: Lens
    seen: Survey
    options: Options
    state: State
    meter: Meter
    provider: Provider
    overhead: int = 0

    @property
    def lang(self) -> Lang:
        """The language of what is put in."""
        return self.seen.lang if self.options.lang == "auto" else self.options.lang

    def messages(self, start: int, end: int | None = None) -> Iterator[Message]:
        """The views of a range of records, one at a time."""
        for record in self.records[start:end]:
            yield self.lens.view(record.mapping())


@dataclass(frozen=True, slots=True)
class Span:
    """What goes: the records before ``tail``, and all that code knows of them.

    ``boundary`` is the new boundary's id, ``dropped`` its records byte for byte.
    ``shown`` are the facts as the summary tells them: with what the tail adds on todos
    and on the files that were read.
    """

    tail: int
    boundary: str
    dropped: bytes
    facts: Facts
    shown: Facts


@dataclass(frozen=True, slots=True)
class Cut:
    """A compacted history: its records, the summary message's text, the facts file."""

    span: Span
    records: Records
    text: str
    facts: bytes
    prose: Prose
    repairs: int


def take(bench: Bench, tail: int) -> Span:
    """Collect the facts of the records before ``tail``, and give them an address."""
    seen = bench.seen
    dropped = b"".join(r.raw + b"\n" for r in bench.records[seen.systems : tail])
    boundary = _identify(seen, bench.options, dropped)
    collector = Collector(
        facts_before(seen, bench.state),
        estimate=lambda text: int(bench.meter.text(text)),
    )
    for message in bench.messages(seen.body, tail):
        collector.add(message)
    facts = collector.facts()
    facts = replace(
        facts,
        users=tuple(
            user if user.boundary else replace(user, boundary=boundary)
            for user in facts.users
        ),
        boundaries=(*facts.boundaries, boundary),
        language=bench.lang,
    )
    for message in bench.messages(tail):
        collector.add(message)
    after = collector.facts()
    shown = replace(facts, todos=after.todos, reads=after.reads)
    return Span(tail, boundary, dropped, facts, shown)


def _identify(seen: Survey, options: Options, dropped: bytes) -> str:
    """12 hex digits of sha256(previous id + dropped bytes + options)."""
    previous = seen.boundary.id if seen.boundary else ""
    digest = sha256(previous.encode())
    digest.update(dropped)
    digest.update(options.key().encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:12]


def facts_before(seen: Survey, state: State) -> Facts | None:
    """The facts of the last compaction: its file, else what its summary says."""
    if seen.boundary is None:
        return None
    facts = state.facts(seen.boundary.id)
    if facts is not None:
        return facts
    facts = read_summary(seen.summary_text)
    reads = recovery.parse(seen.summary_text)
    known = tuple(b for b in facts.boundaries if b != seen.boundary.id)
    return replace(facts, reads=reads, boundaries=(*known, seen.boundary.id))


def write_prose(bench: Bench, span: Span, room: Shares) -> Prose:
    """Ask the provider for prose about the dropped messages."""
    return bench.provider.write(
        SummaryRequest(
            facts=span.shown,
            lang=bench.lang,
            limits=Limits(room.prose, bench.options.numbers.reserve_tokens),
            estimate=bench.meter.text,
            messages=bench.messages(bench.seen.body, span.tail),
            previous=span.facts.prose,
            focus=bench.options.focus,
        )
    )


def compose(bench: Bench, span: Span, prose: Prose, room: Shares) -> Cut:
    """The records of the compacted history, valid for the format's API."""
    text = _text(bench, span, prose, room)
    made = tuple(_made(bench, span, text))
    records, repairs = _repaired(bench, (*made, *bench.records[span.tail :]))
    extra = dict(span.facts.extra)
    extra |= {TRIGGER: bench.options.trigger, TAIL: digest(records[len(made) :])}
    facts = replace(
        span.facts, prose=dict(prose.sections), overhead=bench.overhead, extra=extra
    )
    systems = bench.records[: bench.seen.systems]
    return Cut(span, (*systems, *records), text, dumps(to_json(facts)), prose, repairs)


def _text(bench: Bench, span: Span, prose: Prose, room: Shares) -> str:
    state, meter = bench.state, bench.meter
    follows = span.tail < len(bench.records)
    attachment = recovery.render(
        _reads(bench, span),
        list(bench.options.tool_list) or None,
        recovery.Origin(state.recall_command(span.boundary), bench.options.origin),
        bench.lang,
        budget=room.attachment,
        estimate=lambda text: int(meter.text(text)),
    )
    spare = max(0.0, room.attachment - meter.text(attachment))
    body = summary.render(
        span.shown,
        prose,
        summary.Budgets(room.users + spare, room.facts, room.prose),
        bench.lang,
        meter.text,
        summary.Pointers(
            recall=state.recall_command,
            facts_file=state.facts_address(span.boundary),
            follows=follows,
        ),
    )
    tag = boundaries.make(Boundary(span.boundary, bench.seen.assistants(span.tail)))
    return f"{body.text}\n{attachment}\n{tag}"


def _reads(bench: Bench, span: Span) -> tuple[FileRead, ...]:
    """The files that were read; of those the tail shows, only where they are."""
    return tuple(
        replace(read, content="", part=texts.IN_TAIL[bench.lang])
        if read.n > span.facts.messages
        else read
        for read in span.shown.reads
    )


def _made(bench: Bench, span: Span, text: str) -> Iterator[Record]:
    """The summary message, and the placeholder if the tail begins with the user."""
    made = [
        Message("user", (Text(text),), time=bench.seen.time, injected=True),
    ]
    items = bench.seen.items
    if span.tail == len(items) or items[span.tail].role != "assistant":
        words = (Text(texts.PLACEHOLDER[bench.lang]),)
        made.append(Message("assistant", words, time=bench.seen.time))
    losses = Losses()  # the marks of our own messages; nothing of the history
    for message in made:
        for value in bench.lens.format.make(message, losses):
            yield Record(dumps(value))


def _repaired(bench: Bench, records: Records) -> tuple[Records, int]:
    found: list[object] = []
    pairs = ((record, record.mapping()) for record in records)
    raws = repair_records(pairs, bench.lens.format, found.append)
    return tuple(Record(raw) for raw in raws), len(found)
