"""Weaving previews into a stream: lines in, the same lines or changed ones out.

``Weaver`` holds what is read and not yet written, and has it decided in batches. Which
records make a group is for its children: ``Together`` here, ``Apart`` elsewhere.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

from mewctl import limits
from mewctl.spill.parts import images, leaves
from mewctl.spill.piece import Piece
from mewctl.spill.planning import Group, Lot
from mewctl.spill.spiller import piece_of
from mewctl.spill.unit import Unit
from mewctl.streams.jsonvalue import BadJSON
from mewctl.streams.records import Record, bad_record, place

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mewctl.history.detect import Detector
    from mewctl.history.formats import Format
    from mewctl.spill.past import Mark, Past
    from mewctl.spill.piece import Scope
    from mewctl.spill.spiller import Spiller
    from mewctl.streams.records import OnBad

# Each way to write a letter of the words below: bytes of a long line that has none of
# them cannot be a record with results, or with calls.
_ESCAPED = (b"\\u005", b"\\u006", b"\\u007")
_RESULTS = (b'"tool_result', b'"tool"', b'"function"', b'_call_output"', *_ESCAPED)
_CALLS = (b'"tool_use"', b'"tool_calls"', b'_call"', *_ESCAPED)


#: A line with its end: as it came, or parsed.
Held: TypeAlias = "bytes | Unit"


def may_hold_results(line: bytes) -> bool:
    """Whether a record may have results. Cheap; a yes may be wrong, a no never is."""
    return any(word in line for word in _RESULTS)


def may_hold_calls(line: bytes) -> bool:
    """Whether a record may have calls. Cheap; a yes may be wrong, a no never is."""
    return any(word in line for word in _CALLS)


class Sink(Protocol):
    """Where a history goes."""

    def write(self, data: bytes | memoryview) -> None:
        """Take whole lines."""

    def flush(self) -> None:
        """Pass on what was written."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What all of a run's weaving shares.

    ``name``: of the input, in messages. ``images``: move base64 to files as well.
    ``detector``: refuses records of another kind, None where the user named the kind.
    """

    sink: Sink
    spiller: Spiller
    say: Callable[[str], None]
    name: str
    on_bad: OnBad = "fail"
    images: bool = False
    detector: Detector | None = None


class Weaver(ABC):
    """What is read and not yet written.

    Feed it pieces; ``pause`` before a read that may wait for its data, and ``breathe``
    before another one.
    """

    def __init__(self, setting: Setting, form: Format, past: Past) -> None:
        self._set = setting
        self._form = form
        self._past = past
        self.replaced: list[str] = []  # call ids of results that previews stand for
        self._out: list[Held | memoryview] = []
        self._groups: list[tuple[Lot, list[Unit]]] = []
        self._waiting = 0  # bytes of the records in these groups
        self._outgoing = 0  # bytes of all that is on its way out
        self._is_costly = False  # one of these groups is over a limit: a commit, maybe
        spiller = setting.spiller
        self._base = spiller.base
        self._with_images = setting.images or spiller.replays("image")
        self._with_calls = spiller.replays("call")

    @property
    def short(self) -> int:
        """The longest line, in bytes, that cannot matter."""
        floors = [self._base]
        if self._set.spiller.floor is not None:
            floors.append(self._set.spiller.floor)
        if self._set.images:
            floors.append(limits.SPILL_IMAGE_MIN)
        return min(floors)

    @property
    def line(self) -> int:
        """The number of the line that comes after all that was taken."""
        return self._place(self._held())[0]

    def _held(self) -> Sequence[Held]:
        """What was taken and is not even on its way out."""
        return ()

    @abstractmethod
    def run(self, data: bytes, start: int, end: int) -> None:
        """Take the short lines ``data[start:end]``."""

    @abstractmethod
    def long(self, line: bytes) -> None:
        """Take a line that may matter."""

    def pause(self) -> None:
        """Decide and write all that is complete."""
        self._write_out()

    def breathe(self) -> None:
        """Write what need not wait; let groups gather, for each batch is a commit."""
        if not self._is_costly or self._outgoing > limits.SPILL_BATCH_BYTES:
            self._write_out()

    def end(self) -> None:
        """The input has ended: decide and write everything."""
        self._write_out()

    # --- for the two kinds ---

    def _pass(self, piece: Held) -> None:
        """Let a line go out, after those before it."""
        self._out.append(piece)
        line = _bytes(piece)
        self._outgoing += len(line)
        self._past.add(line, 0, len(line))

    def _pass_run(self, data: bytes, start: int, end: int) -> None:
        """Let the lines ``data[start:end]`` go out."""
        self._out.append(memoryview(data)[start:end])
        self._outgoing += end - start
        self._past.add(data, start, end)

    def _parse(self, line: bytes, ahead: Sequence[Held] = ()) -> Unit | None:
        """A line as a unit; None for a bad one that is to be passed.

        ``ahead``: what is held before it. Raises ``BadInput``.
        """
        try:
            unit = Unit(line, self._form)
            detector = self._set.detector
            if detector is not None and not detector.expects(unit.value):
                detector.feed(self._place(ahead)[0], unit.value)
        except ValueError as error:
            self.bad(line, str(error), ahead)
            return None
        return unit

    def _suspects(self, line: bytes) -> bool:
        """Whether a line may be a message with results or calls of another kind."""
        watched = self._set.detector is not None
        return watched and (may_hold_results(line) or may_hold_calls(line))

    def _place(self, ahead: Sequence[Held]) -> tuple[int, int]:
        """Line and offset of what comes after ``ahead``."""
        past = self._past
        lines = sum(_bytes(piece).count(b"\n") for piece in ahead)
        return past.lines + lines + 1, past.offset + sum(map(size_of, ahead))

    def bad(self, line: bytes, why: str, ahead: Sequence[Held] = ()) -> None:
        """Report a line that cannot be read. Raises ``BadInput`` where that ends it."""
        record = Record(line.rstrip(b"\r\n"), *self._place(ahead))
        error = bad_record(self._set.name, record, why)
        if self._set.on_bad == "fail":
            self._write_out()
            raise error
        self._set.say(f"passed {place(self._set.name, record)}: {error.fields['what']}")

    def _group(
        self, units: list[Unit], mark: Mark, *, complete: bool, counts: bool = False
    ) -> None:
        """Have the results in ``units`` decided with the next batch.

        ``counts``: it must be seen even if there is nothing to decide.
        """
        form = self._form
        scope: Scope = "all"
        if sum(map(size_of, units)) <= self._base + len(units):
            scope = "short" if complete else "own"
        if scope == "short" and self._set.spiller.floor is None and not counts:
            return
        results = [result for unit in units for result in unit.results]
        pieces = [piece_of(result) for result in results]
        if scope != "short":
            for piece in pieces:
                piece.prepare()
        group = Group(
            results,
            lambda: mark.calls(form),
            lambda: mark.said(form),
            complete,
            scope,
        )
        self._groups.append((Lot(group, pieces), units))
        self._waiting += sum(map(size_of, units))
        self._is_costly |= self._set.spiller.limits.exceeded([p.size for p in pieces])

    def _write_if_many(self) -> None:
        """Decide and write what waits, if it takes much memory."""
        if self._waiting > limits.SPILL_BATCH_BYTES:
            self._write_out()

    def _images(self, unit: Unit, mark: Mark) -> None:
        """Move, or move again, base64 of the unit's results to files."""
        if not self._with_images:
            return
        found = [
            (number, part, piece)
            for number, result in enumerate(unit.results)
            for part, piece in images(result, limits.SPILL_IMAGE_MIN)
        ]
        if found and self._set.images:
            self._settle()
            self._set.spiller.spill(
                [piece for _, _, piece in found],
                "images were asked for",
                lambda: mark.said(self._form),
            )
        for number, part, piece in found:
            text = self._set.spiller.replay(piece)
            if text is not None:
                unit.images.setdefault(number, {})[part] = text

    def _calls(self, unit: Unit | None) -> None:
        """Replace again what an earlier run replaced in the inputs of calls."""
        if unit is None or not self._with_calls:
            return
        for number, call in enumerate(unit.message.calls):
            for path, text in leaves(call.input, 1):
                new = self._set.spiller.replay(Piece("call", call.id, text))
                if new is not None:
                    unit.leaves.setdefault(number, {})[path] = new

    # --- inside ---

    def _settle(self) -> None:
        texts = self._set.spiller.settle([lot for lot, _ in self._groups])
        for (_, units), said in zip(self._groups, texts, strict=True):
            places = [(u, number) for u in units for number in range(len(u.results))]
            for (unit, number), text in zip(places, said, strict=True):
                if text is not None:
                    unit.bodies[number] = text
                    self.replaced.append(unit.results[number].call_id)
        self._groups.clear()
        self._waiting = 0
        self._is_costly = False

    def _write_out(self) -> None:
        if self._groups:
            self._settle()
        for piece in self._out:
            self._set.sink.write(
                self._rendered(piece) if isinstance(piece, Unit) else piece
            )
        self._out.clear()
        self._outgoing = 0
        self._set.sink.flush()

    def _rendered(self, unit: Unit) -> bytes:
        try:
            return unit.rendered()
        except BadJSON as error:
            self._set.say(f"{self._set.name}: a record stays as it was: {error}")
            return unit.line


class Together(Weaver):
    """Groups stand in one record each: ``mew`` and ``anthropic``."""

    def run(self, data: bytes, start: int, end: int) -> None:
        """Take short lines: they cannot matter."""
        self._pass_run(data, start, end)

    def long(self, line: bytes) -> None:
        """Take a line that may matter."""
        calls = self._with_calls and may_hold_calls(line)
        if not calls and not may_hold_results(line) and not self._suspects(line):
            self._pass(line)
            return
        mark = self._past.mark()
        unit = self._parse(line)
        if unit is None or not unit.message.parts:
            self._pass(line)
            return
        self._calls(unit)
        if unit.results:
            self._images(unit, mark)
            self._group([unit], mark, complete=True)
        self._pass(unit)
        self._write_if_many()


def size_of(piece: Held) -> int:
    """Bytes of a piece as it came, its line end included."""
    return len(_bytes(piece))


def _bytes(piece: Held) -> bytes:
    return piece.line if isinstance(piece, Unit) else piece
