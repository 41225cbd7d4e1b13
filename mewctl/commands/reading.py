"""Reading a history, for commands: detection, documents, transcripts, bad records.

The shell's part of ``bytes -> record``: it decides nothing about content, but which
reader or format looks at it.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from mewctl import limits, transcripts
from mewctl.commands.documents import drained, kind_of, records_of
from mewctl.commands.looks import Checks, Views
from mewctl.commands.notes import note
from mewctl.commands.options import on_bad
from mewctl.errors import BadInput
from mewctl.history.convert import convert_records
from mewctl.history.detect import Detector
from mewctl.history.formats import load as load_format
from mewctl.history.lens import Lens, lens
from mewctl.history.losses import Losses
from mewctl.history.view import Message
from mewctl.streams.inputs import label, names, opened
from mewctl.streams.jsonvalue import BadJSON, dumps
from mewctl.streams.printable import counted
from mewctl.streams.records import Record, bad_record, place, read_records
from mewctl.streams.shelf import Shelf
from mewctl.transcripts.damage import Foreign

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mewctl.commands.looks import Look
    from mewctl.streams.records import OnBad

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Wish:
    """How to read: the values of the input options."""

    from_: str = "auto"
    on_bad: OnBad = "fail"
    max_record: int = limits.MAX_RECORD
    full: bool = False
    sidechains: bool = False
    strict: bool = False
    every_usage: bool = False


def wish_from(options: Mapping[str, Any]) -> Wish:
    """The wish in a command's options, whichever of them it has."""
    known = {key: options[key] for key in Wish.__slots__ if key in options}
    if "on_bad" in known:
        known["on_bad"] = on_bad(options)
    return Wish(**known)


@dataclass(slots=True)
class Source(Generic[T]):
    """A history being read, with a look at each record.

    Iterate once; then ``format``, what was heard and the counts are final.
    """

    files: Sequence[str]
    wish: Wish
    look: Look[T]
    format: str = ""
    source: str = ""  # the format or transcript the input was
    bad: int = 0
    report: transcripts.Report = field(default_factory=transcripts.Report)
    _detector: Detector = field(default_factory=lambda: Detector(""), init=False)

    @property
    def is_transcript(self) -> bool:
        """Whether the input was an agent's log."""
        return self.source in transcripts.NAMES

    @property
    def model(self) -> str:
        """The last model that a message named."""
        return self.look.heard.model

    @property
    def top_usage(self) -> int:
        """The largest context that a usage reported, in tokens."""
        return self.look.heard.top_usage

    def __iter__(self) -> Iterator[tuple[Record, T]]:
        """Each record, in the history's format, with the look at it."""
        for path in names(self.files):
            with opened(path) as read:
                name = label(path)
                stream = read_records(read, name, self.wish.max_record)
                yield from self.one(stream, name)
        if not self.format or not self._detector.allows(self.format):
            self._settle(self._detector.settle(), name)

    # --- one input ---

    def one(self, stream: Iterator[Record], name: str) -> Iterator[tuple[Record, T]]:
        """The records of one input, whose name is ``name``."""
        stream = records_of(stream, name, self.wish.max_record)
        seen: deque[Record] = deque()
        found = self.wish.from_
        if found == "auto":
            found = kind_of(stream, seen, name)
        records = chain(drained(seen), stream)
        if found in transcripts.NAMES:
            return self._transcript(found, records, name)
        return self._messages(found, records, name)

    def _messages(
        self, known: str, records: Iterable[Record], name: str
    ) -> Iterator[tuple[Record, T]]:
        """``known``: the format that was asked for; "" if it is to be told."""
        look, detector = self.look, None if known else self._detector
        if detector:
            detector.enter(name)
            known = detector.format
        else:
            self._settle(known, name)
        quick = look.quick(known)
        count = strange = 0
        for record in records:
            count += 1
            kind = None
            try:
                value = record.mapping()
                seen = quick(value)
                if seen is None:
                    if detector:
                        kind = detector.feed(record.line, value)
                        strange += kind.group == "unknown"
                        if detector.format != known:
                            known = detector.format
                            self._settle(known, name)
                            quick = look.quick(known)
                    seen = look.close(value, known, place(name, record))
            except ValueError as error:
                strange += kind is None
                self._bad(record, name, str(error))
                continue
            yield record, seen
        if detector and count and count == strange:
            raise BadInput(
                place=name,
                what=f"{counted(count, 'record')},"
                " and none is a message of a known format",
                remedy="name it with --from; mewctl help formats lists what is read",
            )

    def _transcript(
        self, reader: str, records: Iterable[Record], name: str
    ) -> Iterator[tuple[Record, T]]:
        from mewctl.tokens.unseen import noted  # its tables are slow to load

        self._settle(reader, name)
        report = transcripts.Report()
        options = transcripts.ReadOptions(
            self.wish.full, self.wish.sidechains, self.wish.every_usage
        )
        losses = Losses()  # mew says all that a message can hold
        mew, told = load_format("mew"), self.look.told
        messages = transcripts.load(reader).read(records, options, report)
        try:
            for message in noted(messages):
                values = mew.make(message, losses)
                for value in values:
                    view = message if len(values) == 1 else mew.view(value)
                    record = Record(dumps(value))
                    yield record, told(record, view, name)
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


class Reading(Source[Message]):
    """A history being read as messages."""

    def __init__(self, files: Sequence[str], wish: Wish) -> None:
        super().__init__(files, wish, Views())


@dataclass(frozen=True, slots=True)
class History:
    """A history that is read: its records, the lens to look at them, and its source."""

    records: Sequence[Record]
    lens: Lens
    reading: Source[Any]


def load_history(files: Sequence[str], wish: Wish) -> History:
    """The whole history. Views are not kept: a history costs its bytes."""
    reading = Source(files, wish, Checks())
    records = Shelf(record for record, _ in reading)
    return History(records, lens(reading.format), reading)


def exact(source: Source[Any], records: Iterable[Record]) -> Iterator[dict[str, Any]]:
    """The values of records that are to be written anew, numbers as they are.

    One nested too deep for that is a bad record: it ends the run or is skipped.
    """
    for record in records:
        try:
            yield record.mapping(exact=True)
        except BadJSON as error:
            source.refuse(record, str(error))


def converted(history: History, to: str) -> History:
    """The history in another message format; what that cannot say is told."""
    source, target = history.lens.format, load_format(to)
    if to == source.NAME:
        return history
    losses = Losses()
    values = exact(history.reading, history.records)
    made = convert_records(values, source, target, losses)
    records = tuple(Record(dumps(value)) for value in made)
    if losses.counts:
        note(f"{source.NAME} -> {to} cannot carry: {losses.line()}")
    return History(records, lens(to), history.reading)
