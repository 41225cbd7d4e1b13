"""Reading a history, for commands: detection, documents, transcripts, bad records.

The shell's part of ``bytes -> record``: it decides nothing about content, but which
reader or format looks at it.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

from mewctl import limits, transcripts
from mewctl.commands.notes import note
from mewctl.errors import BadInput
from mewctl.history import document
from mewctl.history.convert import convert_records
from mewctl.history.detect import Detector, classify
from mewctl.history.formats import load as load_format
from mewctl.history.lens import Lens, lens
from mewctl.history.losses import Losses
from mewctl.streams.inputs import label, names, opened
from mewctl.streams.jsonvalue import BadJSON, dumps, is_cut_short, loads
from mewctl.streams.records import Record, bad_record, place, read_records
from mewctl.tokens.unseen import noted
from mewctl.transcripts.damage import Foreign

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mewctl.history.view import Message
    from mewctl.streams.records import OnBad

#: How far to look for what an input is, before it is taken as messages.
_LOOK_RECORDS = 1000
_LOOK_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Wish:
    """How to read: the values of the input options."""

    from_: str = "auto"
    on_bad: OnBad = "fail"
    max_record: int = limits.MAX_RECORD
    full: bool = False
    sidechains: bool = False
    strict: bool = False


def wish_from(options: Mapping[str, Any]) -> Wish:
    """The wish in a command's options, whichever of them it has."""
    known = {key: options[key] for key in Wish.__slots__ if key in options}
    return Wish(**known)


@dataclass(slots=True)
class Reading:
    """A history being read. Iterate once; then ``format`` and the counts are final."""

    files: Sequence[str]
    wish: Wish
    format: str = ""
    source: str = ""  # the format or transcript the input was
    bad: int = 0
    report: transcripts.Report = field(default_factory=transcripts.Report)
    model: str = ""  # the last that a message names
    top_usage: int = 0  # the largest context that a usage reports, in tokens

    @property
    def is_transcript(self) -> bool:
        """Whether the input was an agent's log."""
        return self.source in transcripts.NAMES

    def __iter__(self) -> Iterator[tuple[Record, Message]]:
        """Each record, in the history's format, with its view."""
        for path in names(self.files):
            with opened(path) as read:
                name = label(path)
                stream = read_records(read, name, self.wish.max_record)
                for record, message in self.one(stream, name):
                    self.observe(message)
                    yield record, message
        self.format = self.format or "mew"
        self.source = self.source or self.format

    def observe(self, message: Message) -> None:
        """Take in what a message says of its model and context."""
        if message.usage is not None:
            whole = message.usage.context + message.usage.unseen
            self.top_usage = max(self.top_usage, whole)
        if message.role == "assistant" and message.model:
            self.model = message.model

    # --- one input ---

    def one(
        self, stream: Iterator[Record], name: str
    ) -> Iterator[tuple[Record, Message]]:
        """The records of one input, whose name is ``name``."""
        stream = _documents(stream, name, self.wish.max_record)
        detector = Detector(name)
        seen: deque[Record] = deque()
        found = self.wish.from_
        if found == "auto":
            found = _look(stream, seen, detector)
        records = chain(_drained(seen), stream)
        if found in transcripts.NAMES:
            yield from self._transcript(found, records, name)
        else:
            yield from self._messages(found, records, name)

    def _messages(
        self, known: str, records: Iterable[Record], name: str
    ) -> Iterator[tuple[Record, Message]]:
        detector = Detector(name)  # a second look, for all that stands in order
        messages = count = 0
        for record in records:
            count += 1
            try:
                value = record.mapping()
                if self.wish.from_ == "auto":
                    kind = detector.feed(record.line, value)
                    known = detector.format
                    if kind.group != "unknown":
                        messages += 1
                message = lens(known or "mew").view(value, place(name, record))
            except ValueError as error:
                self._bad(record, name, str(error))
                continue
            yield record, message
        if count and not messages and self.wish.from_ == "auto":
            raise BadInput(
                place=name,
                what=f"{count} records, and none is a message of a known format",
                remedy="name it with --from; mewctl help formats lists what is read",
            )
        if self.wish.from_ == "auto":
            known = detector.settle()
        self._settle(known, name)

    def _transcript(
        self, reader: str, records: Iterable[Record], name: str
    ) -> Iterator[tuple[Record, Message]]:
        self._settle(reader, name)
        report = transcripts.Report()
        options = transcripts.ReadOptions(self.wish.full, self.wish.sidechains)
        losses = Losses()  # mew says all that a message can hold
        mew = load_format("mew")
        messages = transcripts.load(reader).read(records, options, report)
        try:
            for message in noted(messages):
                values = mew.make(message, losses)
                for value in values:
                    view = message if len(values) == 1 else mew.view(value)
                    yield Record(dumps(value)), view
        except Foreign as found:
            raise BadInput(
                place=place(name, found.record),
                what=f"two kinds of records: a message of a format here, in {reader}",
                remedy="name the right one with --from, or give each by itself",
            ) from None
        self._notes(report, name)

    def _settle(self, known: str, name: str) -> None:
        made = "mew" if known in transcripts.NAMES else known
        if self.source and made != self.format:
            raise BadInput(
                place=name,
                what=f"{known} here, {self.source} in the input before",
                remedy="give each kind by itself",
            )
        self.format, self.source = made, known

    # --- what is wrong ---

    def refuse(self, record: Record, why: str) -> None:
        """A record of the history that cannot be used after all.

        Ends the run with ``BadInput``, or is reported and counted.
        """
        self._bad(record, ", ".join(map(label, names(self.files))), why)

    def _bad(self, record: Record, name: str, why: str) -> None:
        error = bad_record(name, record, why)
        if self.wish.on_bad == "fail":
            raise error
        self.bad += 1
        note(f"skipped {place(name, record)}: {error.fields['what']}")

    def _notes(self, report: transcripts.Report, name: str) -> None:
        self.report.notes += report.notes
        self.report.origin = report.origin or self.report.origin
        damage = [n for n in report.notes if n.kind in ("skipped", "recovered")]
        if damage and self.wish.strict:
            first = damage[0]
            raise BadInput(
                place=f"{name}:{first.line}",
                what=f"{first.kind}: {first.text}",
                remedy="mend the transcript, or read it without --strict",
            )
        said = [n for n in report.notes if n.kind in ("branch", "sealed")]
        for found in [*damage, *said]:
            where = f"{name}:{found.line}" if found.line else name
            note(f"{where}: {found.kind}: {found.text}")


@dataclass(frozen=True, slots=True)
class History:
    """A history that is read: its records, the lens to look at them, and its source."""

    records: tuple[Record, ...]
    lens: Lens
    reading: Reading


def load_history(files: Sequence[str], wish: Wish) -> History:
    """The whole history. Views are not kept: a history costs its bytes."""
    reading = Reading(files, wish)
    records = tuple(record for record, _ in reading)
    return History(records, lens(reading.format), reading)


def exact(history: History, records: Iterable[Record]) -> Iterator[dict[str, Any]]:
    """The values of records that are to be written anew, numbers as they are.

    One nested too deep for that is a bad record: it ends the run or is skipped.
    """
    for record in records:
        try:
            yield record.mapping(exact=True)
        except BadJSON as error:
            history.reading.refuse(record, str(error))


def converted(history: History, to: str) -> History:
    """The history in another message format; what that cannot say is told."""
    source, target = history.lens.format, load_format(to)
    if to == source.NAME:
        return history
    losses = Losses()
    values = exact(history, history.records)
    made = convert_records(values, source, target, losses)
    records = tuple(Record(dumps(value)) for value in made)
    if losses.counts:
        note(f"{source.NAME} -> {to} cannot carry: {losses.line()}")
    return History(records, lens(to), history.reading)


def _documents(
    stream: Iterator[Record], name: str, max_record: int
) -> Iterator[Record]:
    """``stream``, or the records of the one JSON document that it is."""
    first = next(stream, None)
    if first is None:
        return
    whole: Any = None
    held = [first]
    if is_cut_short(first.raw):
        _hold(stream, held, max_record)
        whole = _value(_joined(held))
        group = classify(whole).group
        if group == "transcript":  # a whole session in one object
            whole = None
            held = [Record(_joined(held), first.line, first.offset)]
        elif group == "response":  # as curl prints it
            yield Record(dumps(whole), first.line, first.offset)
            return
    elif classify(_value(first.raw)).group == "document":
        after = next(stream, None)
        if after is None:
            whole = _value(first.raw)
        else:
            held.append(after)
    if document.is_document(whole):
        try:
            values = document.records(whole)
        except ValueError as error:
            raise BadInput(
                place=name, what=str(error), remedy="give messages, one object each"
            ) from None
        for value in values:
            yield Record(dumps(value), first.line, first.offset)
        return
    yield from held
    yield from stream


def _hold(stream: Iterator[Record], held: list[Record], most: int) -> None:
    """Hold what comes, up to ``most`` bytes or a little more."""
    size = sum(len(record.raw) for record in held)
    for record in stream:
        held.append(record)
        size += len(record.raw) + 1
        if size > most:
            break


def _joined(held: Sequence[Record]) -> bytes:
    return b"\n".join(record.raw for record in held)


def _value(raw: bytes) -> Any:
    try:
        return loads(raw)
    except BadJSON:
        return None


def _look(stream: Iterator[Record], seen: deque[Record], detector: Detector) -> str:
    """What an input is, by its first records, which stay in ``seen``; "" for messages.

    Damaged and unknown records tell nothing, so the look goes on behind them.
    """
    size = 0
    for record in stream:
        seen.append(record)
        size += len(record.raw)
        value = _value(record.raw)
        if value is not None:
            kind = detector.feed(record.line, value)
            if detector.is_transcript:
                return detector.format
            if kind.group not in ("unknown", "document"):
                return ""
        if len(seen) >= _LOOK_RECORDS or size >= _LOOK_BYTES:
            return ""
    return ""


def _drained(seen: deque[Record]) -> Iterator[Record]:
    """The records looked at, given up one by one, so that none is held twice."""
    while seen:
        yield seen.popleft()
