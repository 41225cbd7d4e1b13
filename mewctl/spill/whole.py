"""Spilling a history that is there as a whole: for its age, in calls, for compaction.

Records in, records out; what does not change is the very same record. Texts are not
kept: each record is parsed when its turn comes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

from mewctl import limits
from mewctl.history.view import Text
from mewctl.spill import age
from mewctl.spill.apart import Apart
from mewctl.spill.parts import Path, leaves
from mewctl.spill.past import Mark, Past
from mewctl.spill.piece import Piece
from mewctl.spill.reads import recovery
from mewctl.spill.spiller import Spiller, piece_of
from mewctl.spill.unit import Unit
from mewctl.spill.weave import Setting, Together, may_hold_calls, may_hold_results
from mewctl.streams.jsonvalue import BadJSON
from mewctl.streams.records import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mewctl.history.formats import Format

#: Where a text stands: record, number of its result or call, and place in a call's
#: input; None for a result.
Place: TypeAlias = "tuple[int, int, Path | None]"


@dataclass(frozen=True, slots=True)
class Spilled:
    """Records after spilling, and the call ids of what previews stand for now.

    ``first``: the number of the first record that is another one now, None for none.
    """

    records: tuple[Record, ...]
    ids: tuple[str, ...] = ()
    first: int | None = None


@dataclass(frozen=True, slots=True)
class Whole:
    """Spills records of one format. ``name`` is the input's, for messages."""

    spiller: Spiller
    form: Format
    say: Callable[[str], None]
    name: str = "the history"
    images: bool = False

    def by_size(self, records: Sequence[Record]) -> Spilled:
        """Apply the size limits, exactly as the streaming engine does."""
        sink = _Changes(records)
        setting = Setting(
            sink, self.spiller, self.say, self.name, "skip", images=self.images
        )
        kind = Together if self.form.RESULTS_TOGETHER else Apart
        weaver = kind(setting, self.form, Past())
        held = 0
        for record in records:
            line = record.raw + b"\n"
            if len(record.raw) <= weaver.short:
                weaver.run(line, 0, len(line))
            else:
                weaver.long(line)
            held += len(line)
            if held > limits.READ_BLOCK:  # as if it were a stream
                weaver.pause()
                held = 0
        weaver.end()
        return _spilled(records, sink.lines, weaver.replaced)

    def by_age(
        self,
        records: Sequence[Record],
        keep: float,
        least: float,
        estimate: Callable[[str], float],
    ) -> Spilled:
        """Spill results older than the newest ``keep`` tokens of tool output.

        Only where that frees ``least`` tokens by ``estimate``. What was read back from
        a spill directory stays.
        """
        places: list[Place] = []
        tokens: list[float] = []
        read_back: set[str] = set()
        for at, unit in self._units(records):
            read_back |= self._reads(unit)
            for number, result in enumerate(unit.results):
                places.append((at, number, None))
                tokens.append(estimate(piece_of(result).text))
        places = places[: age.older_than(tokens, keep)]
        old: list[age.Aged] = []
        for at, places_there in groupby(places, lambda place: place[0]):
            results = self._unit(records[at]).results
            for _, number, _ in places_there:
                piece = piece_of(results[number])
                brief = self.spiller.preview(piece, self._said(records, at), brief=True)
                fixed = brief is None or piece.call_id in read_back
                gain = 0.0 if fixed else tokens[len(old)] - estimate(brief or "")
                old.append(age.Aged(gain, piece.failed))
        chosen = [places[n] for n in age.plan(old, least)]
        return self._replace(records, chosen, "old tool output", brief=True)

    def in_calls(self, records: Sequence[Record]) -> Spilled:
        """Spill texts over the single limit in the calls of all but the newest turn."""
        single = self.spiller.limits.single
        places: list[Place] = []
        for at, unit in self._units(records[: self._newest_turn(records)]):
            for number, call in enumerate(unit.message.calls):
                # A character takes four bytes of UTF-8 at most.
                for path, text in leaves(call.input, single // 4 + 1):
                    if Piece("call", call.id, text).size > single:
                        places.append((at, number, path))
        return self._replace(records, places, "a long text in an old call")

    def from_record(self, records: Sequence[Record], start: int) -> Spilled:
        """Spill every result from record ``start`` on of which a preview is smaller."""
        places: list[Place] = [
            (start + at, number, None)
            for at, unit in self._units(records[start:])
            for number in range(len(unit.results))
        ]
        return self._replace(records, places, "the tail must be small")

    # --- inside ---

    def _unit(self, record: Record) -> Unit:
        return Unit(record.raw + b"\n", self.form)

    def _units(self, records: Sequence[Record]) -> Iterator[tuple[int, Unit]]:
        """The records that have results or calls, by their numbers, parsed."""
        for at, record in enumerate(records):
            if may_hold_results(record.raw) or may_hold_calls(record.raw):
                try:
                    yield at, self._unit(record)
                except ValueError:
                    continue

    def _reads(self, unit: Unit) -> set[str]:
        """Ids of calls that read something back from a spill directory."""
        where = self.spiller.directory
        return {call.id for call in unit.message.calls if recovery(call, where)}

    def _newest_turn(self, records: Sequence[Record]) -> int:
        """The number of the record with which the newest turn begins."""
        for at in range(len(records) - 1, -1, -1):
            if b'"user"' not in records[at].raw and b"\\u00" not in records[at].raw:
                continue
            try:
                message = self._unit(records[at]).message
            except ValueError:
                continue
            said = any(isinstance(part, Text) for part in message.parts)
            if message.role == "user" and said and not message.injected:
                return at
        return 0

    def _said(self, records: Sequence[Record], at: int) -> Callable[[], list[str]]:
        """What the user said before record ``at``, near the history's beginning."""

        def said() -> list[str]:
            sample: list[bytes] = []
            size = 0
            for record in records[:at]:
                sample.append(record.raw + b"\n")
                size += len(sample[-1])
                if size > limits.LANG_SAMPLE:
                    break
            return Mark(size, sample).said(self.form)

        return said

    def _replace(
        self,
        records: Sequence[Record],
        places: Sequence[Place],
        reason: str,
        *,
        brief: bool = False,
    ) -> Spilled:
        """Spill the texts at ``places``, some records at a time."""
        lines: dict[int, bytes] = {}
        ids: list[str] = []
        for batch in self._batches(records, sorted(places, key=_by_record)):
            first = min(batch)
            found = [(at, place) for at in batch for place in batch[at][1]]
            pieces = [_piece(batch[at][0], place) for at, place in found]
            said = self._said(records, first)
            texts = self.spiller.spill(pieces, reason, said, brief=brief)
            for (at, place), piece, text in zip(found, pieces, texts, strict=True):
                if text is not None:
                    _put(batch[at][0], place, text)
                    ids.append(piece.call_id)
            for at, (unit, _) in batch.items():
                try:
                    lines[at] = unit.rendered().removesuffix(b"\n")
                except BadJSON as error:
                    self.say(f"{self.name}: record {at + 1} stays as it was: {error}")
        return _spilled(records, lines, ids)

    def _batches(
        self, records: Sequence[Record], places: Sequence[Place]
    ) -> Iterator[dict[int, tuple[Unit, list[Place]]]]:
        """Records with their places, so many that their bodies are one write."""
        batch: dict[int, tuple[Unit, list[Place]]] = {}
        size = 0
        for at, group in groupby(places, _by_record):
            batch[at] = self._unit(records[at]), list(group)
            size += len(records[at].raw)
            if size > limits.SPILL_BATCH_BYTES:
                yield batch
                batch, size = {}, 0
        if batch:
            yield batch


@dataclass(slots=True)
class _Changes:
    """A sink that gets one line for each record, and keeps those that are new."""

    records: Sequence[Record]
    at: int = 0
    lines: dict[int, bytes] = field(default_factory=dict)

    def write(self, data: bytes | memoryview) -> None:
        """Take the line of the next record."""
        line, raw = bytes(data), self.records[self.at].raw
        if len(line) != len(raw) + 1 or not line.startswith(raw):
            self.lines[self.at] = line[:-1]
        self.at += 1

    def flush(self) -> None:
        """Nobody waits."""


def _by_record(place: Place) -> int:
    return place[0]


def _piece(unit: Unit, place: Place) -> Piece:
    """What stands at a place."""
    _, number, path = place
    if path is None:
        return piece_of(unit.results[number])
    call = unit.message.calls[number]
    return Piece("call", call.id, dict(leaves(call.input, 0))[path])


def _put(unit: Unit, place: Place, text: str) -> None:
    """Let ``text`` stand at a place."""
    _, number, path = place
    if path is None:
        unit.bodies[number] = text
    else:
        unit.leaves.setdefault(number, {})[path] = text


def _spilled(
    records: Sequence[Record], lines: Mapping[int, bytes], ids: Sequence[str]
) -> Spilled:
    """The records with other lines for some of them."""
    made = list(records)
    first: int | None = None
    for at, line in sorted(lines.items()):
        if line != records[at].raw:
            made[at] = Record(line, records[at].line, records[at].offset)
            first = at if first is None else first
    return Spilled(tuple(made), tuple(ids), first)
