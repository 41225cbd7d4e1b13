"""Records on their way into a session: which format each is of, and what it says.

Bad records are refused or skipped as in every command. Owns the choice of a format for
records that fit several; must not write.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from mewctl import limits
from mewctl.commands.notes import note
from mewctl.commands.reading import Reading, wish_from
from mewctl.errors import BadInput
from mewctl.history import responses
from mewctl.history.boundary import NOTICE
from mewctl.history.detect import Detector
from mewctl.history.formats import mew
from mewctl.history.glance import GLANCES
from mewctl.history.lens import lens
from mewctl.session import lines
from mewctl.session.gap import is_notice
from mewctl.streams.inputs import STDIN, label, names, opened
from mewctl.streams.jsonvalue import dumps
from mewctl.streams.records import place, read_records
from mewctl.streams.stdio import stdin_is_waiting, widen_stdin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from mewctl.history.detect import Kind
    from mewctl.history.responses import Answer
    from mewctl.streams.records import Read, Record


_NOTICE = NOTICE.encode()


@dataclass(frozen=True, slots=True)
class Arrival:
    """A record that came in. ``answer``: the message of the response that it is."""

    record: Record
    value: Mapping[str, Any]
    format: str
    answer: Answer | None = None


class Incoming(Reading):
    """The records to be stored, as they arrive.

    ``before_read`` is called before each read, and told whether that may wait.
    ``usual`` is the format that the session's messages have, "" where it has none.
    """

    def __init__(
        self,
        options: Mapping[str, Any],
        before_read: Callable[[bool], None],
        usual: str,
    ) -> None:
        super().__init__(options["files"], wish_from(options))
        self._before_read = before_read
        self._usual = usual
        self.certain = self.wish.from_ != "auto"  # its format, told by a sign

    def arrivals(self) -> Iterator[Arrival | None]:
        """Each record; None where a compact marker begins the history anew."""
        for path in names(self.files):
            with opened(path) as read:
                if path == STDIN:
                    widen_stdin(limits.APPEND_PIPE)
                stream = read_records(
                    self._pausing(read, path), label(path), self.wish.max_record
                )
                yield from cast(
                    "Iterator[Arrival | None]", self.one(stream, label(path))
                )

    def _pausing(self, read: Read, path: str) -> Read:
        flows = path != STDIN and os.path.isfile(path)

        def paused(size: int) -> bytes:
            self._before_read(not (flows or (path == STDIN and stdin_is_waiting())))
            return read(size)

        return paused

    def _messages(
        self, known: str, records: Iterable[Record], name: str
    ) -> Iterator[Any]:
        """Like the reading's own, with arrivals for views."""
        auto = self.wish.from_ == "auto"
        detector = Detector(name)
        for record in records:
            try:
                value = record.mapping()
                kind = detector.feed(record.line, value)
                if kind.group == "marker":
                    yield None
                    continue
                form = self._format(detector, kind, value) if auto else known
                arrival = self._arrival(record, value, form, name)
            except ValueError as error:
                self._bad(record, name, str(error))
                continue
            if arrival is not None:
                yield arrival
        self.certain = self.certain or bool(detector.format)
        self._settle(detector.settle() if auto else known, name)

    def _arrival(
        self, record: Record, value: dict[str, Any], form: str, name: str
    ) -> Arrival | None:
        """The arrival; None for a notice of ours, which is not stored."""
        if "role" not in value or "stop_reason" in value:
            where = place(name, record)
            answer = responses.read(value, where)
            if answer is not None:
                whole = responses.read(record.mapping(exact=True), where)
                self._tell_choices(answer, where)
                return Arrival(record, value, answer.format, whole)
        if GLANCES[form](value) is None:
            message = lens(form).view(value, place(name, record))
            if not message.parts and not message.calls and "role" not in value:
                raise ValueError("not a message of a known format")
        if _NOTICE in record.raw and is_notice(value):
            return None
        return Arrival(record, value, form)

    def _tell_choices(self, answer: Answer, where: str) -> None:
        if answer.left_out:
            note(f"{where}: {answer.left_out} further choices of the answer left out")

    def _format(self, detector: Detector, kind: Kind, value: Mapping[str, Any]) -> str:
        """The format of a record: the one it must be, or the likeliest that it fits."""
        if kind.group == "unknown":
            raise ValueError(f"{kind.seen}: not a message of a known format")
        if detector.format:
            return detector.format
        if self._usual in kind.fits and not lines.is_neutral(value):
            return self._usual
        return detector.settle()

    def _transcript(
        self, reader: str, records: Iterable[Record], name: str
    ) -> Iterator[Any]:
        for record, _ in super()._transcript(reader, records, name):
            yield Arrival(record, record.mapping(), mew.NAME)


class Storing:
    """Makes the lines of a log. ``model``: the last that the log names, "" for none."""

    def __init__(self, model: str) -> None:
        self._model = model

    def lines(self, arrival: Arrival, now: float) -> list[bytes]:
        """The lines that hold an arrival. Raises ``BadInput`` where none can."""
        answer = arrival.answer
        if answer is None:
            return [self._line(arrival, now)]
        *first, last = answer.records
        time = now if answer.time is None else answer.time
        model = answer.model if answer.model != self._model else None
        self._model = answer.model or self._model
        said = lines.Said(time, model, answer.usage, answer.id)
        made = [
            lines.envelope(answer.format, dumps(part), lines.Said(time))
            for part in first
        ]
        return [*made, lines.envelope(answer.format, dumps(last), said)]

    def _line(self, arrival: Arrival, now: float) -> bytes:
        record, value = arrival.record, arrival.value
        if arrival.format == mew.NAME:
            return record.raw if "ts" in value else lines.stamp(record.raw, now)
        try:
            return lines.envelope(arrival.format, record.raw, lines.Said(now))
        except ValueError as error:
            raise BadInput(
                place=f"line {record.line}", what=str(error), remedy="leave it out"
            ) from None
