"""One compaction of a history at one place: facts, addresses, the records. Pure.

``engine`` decides whether and where to cut. What a cut drops is in its span, to be
saved before anything is written out. Facts are read from the records as they came, so
that a preview made a moment ago hides nothing from them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.compact import recovery, summary, texts
from mewctl.compact.kept import keep, placeholder, records_of
from mewctl.compact.summary_read import read as read_summary
from mewctl.compact.texts import Ending
from mewctl.errors import CannotFit
from mewctl.history import boundary as boundaries
from mewctl.history import excerpt
from mewctl.history.boundary import Boundary
from mewctl.history.collect import Collector
from mewctl.history.facts import to_json
from mewctl.history.view import Message, Text
from mewctl.providers.protocol import Limits, Prose, SummaryRequest
from mewctl.streams.jsonvalue import dumps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mewctl.compact.ahead import Ahead
    from mewctl.compact.kept import Kept
    from mewctl.compact.look import Look
    from mewctl.compact.options import Options, Records, State
    from mewctl.compact.policy import Shares
    from mewctl.compact.scales import Meter
    from mewctl.compact.survey import Survey
    from mewctl.compact.texts import Lang
    from mewctl.history.facts import Facts, FileRead
    from mewctl.history.lens import Lens
    from mewctl.providers.protocol import Provider


@dataclass(frozen=True, slots=True)
class Bench:
    """All that a cut works with: a history, what was seen of it, and the wishes.

    ``origin``: the records as they came; ``records``: the same after layer 1.
    ``spilled``: calls whose results left because the tail had to be small.
    ``ahead``: facts of ``origin`` that were collected while it was read.
    """

    origin: Records
    records: Records
    lens: Lens
    look: Look
    options: Options
    state: State
    meter: Meter
    provider: Provider
    spilled: tuple[str, ...] = ()
    ahead: Ahead | None = None

    @property
    def seen(self) -> Survey:
        """What stands where."""
        return self.look.seen

    def messages(
        self, records: Records, start: int, end: int | None = None
    ) -> Iterator[Message]:
        """The views of a range of records, one at a time."""
        for record in records[start:end]:
            yield self.lens.view(record.mapping())


@dataclass(frozen=True, slots=True)
class Span:
    """What goes: the records before ``tail``, and all that code knows of them.

    ``boundary`` is the new boundary's id, ``dropped`` its records as they came.
    ``shown`` are the facts as the summary tells them: with what the tail adds on todos
    and on the files that were read.
    """

    tail: int
    kept: Kept
    spilled: tuple[str, ...]
    boundary: str
    dropped: Records
    facts: Facts
    shown: Facts
    lang: Lang


@dataclass(frozen=True, slots=True)
class Cut:
    """A compacted history: its records, the summary message's text, the facts file.

    ``tokens`` are those of each record.
    """

    span: Span
    records: Records
    tokens: tuple[int, ...]
    text: str
    facts: bytes
    prose: Prose


def take(bench: Bench, tail: int) -> Span:
    """Collect the facts of the records before ``tail``, and give them an address."""
    seen = bench.seen
    kept = keep(bench.records, tail, bench.lens, bench.look, bench.meter)
    gone = sorted({*range(seen.systems, tail), *kept.changed})
    dropped = tuple(bench.origin[at] for at in gone)
    boundary = _identify(bench, dropped)
    collector = _collected(bench, tail)
    facts = collector.facts()
    for message in bench.messages(bench.origin, tail):
        collector.add(message)
    after = collector.facts()
    lang = _language(bench.options, after.language or seen.lang)
    facts = replace(
        facts,
        users=tuple(
            user if user.boundary else replace(user, boundary=boundary)
            for user in facts.users
        ),
        boundaries=(*facts.boundaries, boundary),
        language=lang,
    )
    shown = replace(facts, todos=after.todos, reads=after.reads)
    return Span(tail, kept, bench.spilled, boundary, dropped, facts, shown, lang)


def _collected(bench: Bench, tail: int) -> Collector:
    """What is known of the records before ``tail``, those of ``ahead`` included."""
    seen, ahead = bench.seen, bench.ahead
    collector = ahead.collector(seen.body, tail) if ahead else None
    start = ahead.end if ahead and collector else seen.body
    if collector is None:
        collector = Collector(facts_before(seen, bench.state))
        if seen.summary >= 0:  # for words of the user that stand beside it
            beside = bench.messages(bench.origin, seen.summary, seen.summary + 1)
            collector.add(*beside)
    collector.weigh_with(lambda text: int(bench.meter.text(text)))
    for message in bench.messages(bench.origin, start, tail):
        collector.add(message)
    return collector


def _language(options: Options, found: str) -> Lang:
    if options.lang != "auto":
        return options.lang
    return "zh" if found == "zh" else "en"


def _identify(bench: Bench, dropped: Records) -> str:
    """12 hex digits of sha256(previous id + dropped bytes + options)."""
    previous = bench.seen.boundary
    digest = sha256(previous.id.encode() if previous else b"")
    for record in dropped:
        digest.update(record.raw)
        digest.update(b"\n")
    wishes = f"{bench.options.key()}|{bench.provider.name}"
    digest.update(wishes.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:12]


def facts_before(seen: Survey, state: State) -> Facts | None:
    """The facts of the last compaction: its file, else what its summary says."""
    if seen.summary < 0:
        return None
    tag = seen.boundary
    facts = state.facts(tag.id) if tag else None
    if facts is not None:
        return facts
    text = seen.summary_text
    facts = replace(read_summary(text), reads=recovery.parse(text))
    if not facts.messages and not facts.earlier:  # not of our making
        facts = replace(facts, earlier=excerpt.lines(text, limits.FACT_EARLIER))
    if tag is None:
        return facts
    known = tuple(b for b in facts.boundaries if b != tag.id)
    return replace(facts, boundaries=(*known, tag.id))


def write_prose(bench: Bench, span: Span, room: Shares) -> Prose:
    """Prose about the dropped messages; a model's has passed the gate.

    Raises what the provider raises, and ``ProviderRefused`` for an answer that is no
    better at the second try.
    """
    request = SummaryRequest(
        facts=span.shown,
        lang=span.lang,
        limits=Limits(room.prose, bench.options.numbers.reserve_tokens),
        estimate=bench.meter.text,
        messages=bench.messages(bench.records, bench.seen.body, span.tail),
        previous=span.facts.prose,
        focus=bench.options.focus,
    )
    if not bench.provider.is_model:
        return bench.provider.write(request)
    from mewctl.compact import asking

    replaced = bench.look.tokens(bench.seen.systems, span.tail)
    task = asking.Task(
        request,
        _facts_text(bench, span, room),
        tuple(_transcript(bench, span)),
        replaced,
    )
    return asking.ask(task, bench.provider)


def _facts_text(bench: Bench, span: Span, room: Shares) -> str:
    """What code will print, for a model to explain; empty where there is no room.

    It takes no more than a part of a model's small window.
    """
    whole = room.users + room.facts
    window = bench.provider.window or whole / limits.PROVIDER_FACTS_SHARE
    part = min(1.0, window * limits.PROVIDER_FACTS_SHARE / whole) if whole else 0.0
    budgets = summary.Budgets(room.users * part, room.facts * part, 0.0)
    pointers = summary.Pointers(recall=bench.state.recall_command)
    try:
        return summary.render(
            span.shown, Prose(), budgets, span.lang, bench.meter.text, pointers
        ).text
    except CannotFit:
        return ""


def _transcript(bench: Bench, span: Span) -> Iterator[str]:
    """Every text that prose may quote: the whole history, and facts of before."""
    from mewctl.compact import flatten

    yield bench.seen.summary_text
    yield dumps(to_json(span.facts)).decode("utf-8", "backslashreplace")
    for message in bench.messages(bench.origin, 0):
        yield from flatten.lines(message)


def form_tokens(bench: Bench, span: Span) -> int:
    """What the made messages cost beside summary and attachment."""
    made = [Message("user", (Text("\n" + _end(bench, span)),), injected=True)]
    if span.kept.placeholder:
        made.append(placeholder(span.lang, None))
    return sum(map(bench.meter.message, made))


def compose(bench: Bench, span: Span, prose: Prose, room: Shares) -> Cut:
    """The records of the compacted history, valid for the format's API.

    Raises ``CannotFit`` if the room is too small for the headings.
    """
    text = _text(bench, span, prose, room)
    made = _made(bench, span, text)
    sizes = (bench.meter.message(bench.lens.view(record.mapping())) for record in made)
    facts = replace(
        span.facts,
        prose=dict(prose.sections),
        overhead=bench.look.size.overhead,
    )
    kept = span.kept
    return Cut(
        span,
        (*kept.systems, *made, *kept.records),
        (*kept.system_tokens, *sizes, *kept.tokens),
        text,
        dumps(to_json(facts)),
        prose,
    )


def _text(bench: Bench, span: Span, prose: Prose, room: Shares) -> str:
    state, meter = bench.state, bench.meter
    attachment = recovery.render(
        _reads(span),
        list(bench.options.tool_list) or None,
        recovery.Origin(state.recall_command(span.boundary), bench.options.origin),
        span.lang,
        budget=room.attachment,
        estimate=lambda text: int(meter.text(text)),
    )
    body = summary.render(
        span.shown,
        prose,
        _budgets(room, meter.text(attachment)),
        span.lang,
        meter.text,
        summary.Pointers(
            recall=state.recall_command,
            facts_file=state.facts_address(span.boundary),
            follows=span.tail < len(bench.records),
        ),
    )
    return f"{body.text}\n{attachment}\n{_end(bench, span)}"


def _budgets(room: Shares, attachment: float) -> summary.Budgets:
    """What is left for the summary: a small attachment lends, a large one takes."""
    spare = room.attachment - attachment
    if spare >= 0:
        return summary.Budgets(room.users + spare, room.facts, room.prose)
    whole = room.users + room.facts + room.prose
    part = max(0.0, whole + spare) / whole if whole else 0.0
    return summary.Budgets(room.users * part, room.facts * part, room.prose * part)


def _end(bench: Bench, span: Span) -> str:
    """The last lines of the summary message, for the next run to read."""
    tag = boundaries.make(Boundary(span.boundary, span.kept.assistants))
    if span.tail == len(bench.records):
        return tag
    emergency = bench.options.trigger == "emergency"
    return texts.ending(Ending(span.kept.users, emergency), span.lang) + tag


def _reads(span: Span) -> tuple[FileRead, ...]:
    """The files that were read; of those the tail shows, only where they are."""
    return tuple(
        replace(read, content="", part=texts.IN_TAIL[span.lang])
        if read.n > span.facts.messages
        else read
        for read in span.shown.reads
    )


def _made(bench: Bench, span: Span, text: str) -> Records:
    """The summary message, and the placeholder where the tail needs one."""
    time = bench.seen.time
    made = [Message("user", (Text(text),), time=time, injected=True)]
    if span.kept.placeholder:
        made.append(placeholder(span.lang, time))
    return records_of(made, bench.lens)
