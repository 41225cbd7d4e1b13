"""The streaming engine of spill: a history in, the same history with previews out.

Finds out what a stream is, as far as its first records must be looked at for that, and
hands it to a weaver. Memory: the longest record, or group of results.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.errors import BadInput
from mewctl.history.detect import Detector
from mewctl.history.document import is_document
from mewctl.history.formats import load
from mewctl.history.formats.blocks import type_word
from mewctl.spill.apart import Apart
from mewctl.spill.blocks import Cutter, TooLong
from mewctl.spill.past import Past
from mewctl.spill.weave import Setting, Together, Weaver
from mewctl.streams.jsonvalue import BadJSON, is_cut_short, loads
from mewctl.streams.records import BOM, too_long

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from mewctl.spill.blocks import Kind, Piece
    from mewctl.streams.records import Read

_LOOK_BYTES = 8 * 1024 * 1024  # so far, what is no message may be part of a transcript
# Records without any of these bytes mean the same in every format.
_TELLING = (b'"tool', b'"type"', b'"function', b"\\u00")


class Elsewhere(Exception):
    """The input is no stream of messages: a transcript, or one JSON document.

    ``read`` gives all of it, from its first byte on. Nothing was written.
    """

    def __init__(self, read: Read) -> None:
        super().__init__("no stream of messages")
        self.read = read


def scan(
    read: Read,
    setting: Setting,
    form: str = "auto",
    max_record: int = limits.MAX_RECORD,
    recount: Callable[[int, int], int] | None = None,
    may_wait: Callable[[], bool] = lambda: True,
) -> None:
    """Spill what ``read`` gives; ``form`` is its format, where that is known.

    ``auto``: the input may be anything. ``messages``: it is a stream of messages.

    ``recount`` counts the line ends in a part of the input, for messages; without it
    lines are counted as they go by. ``may_wait`` tells whether the next read may have
    to wait for its data; what is complete is written before that.

    Raises ``Elsewhere`` for what is no stream of messages (with ``auto`` only),
    ``BadInput`` for bad records, and what the sink and the store raise.
    """
    cutter = Cutter(read, most=max_record)
    pieces = cutter.pieces()
    past = Past(recount)
    if form in ("auto", "messages"):
        detector = Detector(setting.name)
        setting = replace(setting, detector=detector)
        look = _Look(pieces, setting, past, detector, are_messages=form == "messages")
        try:
            form = look.format()
        except TooLong:
            raise too_long(setting.name, look.line, max_record) from None
        pieces = look.rest()
    name = load(form)
    weaver: Weaver = (Together if name.RESULTS_TOGETHER else Apart)(setting, name, past)
    cutter.short = min(weaver.short, max_record)
    try:
        _weave(pieces, weaver, may_wait)
    except TooLong:
        line = weaver.line
        weaver.pause()
        raise too_long(setting.name, line, max_record) from None
    weaver.end()


def _weave(
    pieces: Iterator[Piece], weaver: Weaver, may_wait: Callable[[], bool]
) -> None:
    for kind, data, start, end in pieces:
        if kind == "run":
            weaver.run(data, start, end)
        elif kind == "pause":
            (weaver.pause if may_wait() else weaver.breathe)()
        else:
            _line(kind, data[start:end], weaver)


def _line(kind: Kind, line: bytes, weaver: Weaver) -> None:
    """Have one line woven in; a last one without an end is checked, and ended."""
    if kind != "long" and (why := _problem(line)):
        weaver.bad(line, why)
    if kind == "rest" and not line.isspace():
        line += b"\n"
    if len(line) - 1 <= weaver.short:
        weaver.run(line, 0, len(line))
    else:
        weaver.long(line)


def _problem(line: bytes) -> str:
    """Why a line is no record; "" if it is one, or blank."""
    try:
        value = {} if line.isspace() else loads(line.removeprefix(BOM))
    except BadJSON as error:
        return str(error)
    return "" if isinstance(value, dict) else f"not an object but {type_word(value)}"


@dataclass(slots=True)
class _Look:
    """The first records of a stream, looked at until its format is known.

    As long as all may still be part of a transcript they are held. Plain messages,
    which mean the same in each format, then go by.
    """

    pieces: Iterator[Piece]
    setting: Setting
    past: Past
    detector: Detector
    held: list[Piece] = field(default_factory=list)
    are_messages: bool = False

    def format(self) -> str:
        """The format. Raises ``Elsewhere`` and ``BadInput``."""
        size = 0
        for piece in self.pieces:
            kind, data, start, end = piece
            self.held.append(piece)
            size += end - start
            if kind == "pause":
                self._let_go()
            elif not (line := data[start:end]).isspace():
                self._look_at(line)
                if self.detector.format:
                    break
            self.are_messages |= size > _LOOK_BYTES
        if self.detector.is_transcript:
            self._go_elsewhere()
            raise BadInput(
                place=f"{self.setting.name}:{self.line - 1}",
                what=f"a {self.detector.format} record, which none before it was",
                remedy="name what the input is with --from",
            )
        return self.detector.settle()

    @property
    def line(self) -> int:
        """The number of the line after those that were looked at."""
        held = sum(data.count(b"\n", i, j) for _, data, i, j in self.held)
        return self.past.lines + held + 1

    def rest(self) -> Iterator[Piece]:
        """All pieces that were not written yet."""
        yield from self.held
        yield from self.pieces

    def _look_at(self, line: bytes) -> None:
        if self.are_messages and not any(word in line for word in _TELLING):
            return
        if _problem(line):
            is_array = not self.are_messages and is_document(_value(line))
            if is_array or is_cut_short(line.removeprefix(BOM)):
                self._go_elsewhere()
            if self.held[-1][0] == "long":
                self.held[-1] = "bad", line, 0, len(line)
            return
        kind = self.detector.feed(self.line - 1, _value(line))
        if kind.group == "document":
            self._go_elsewhere()
        self.are_messages |= kind.group in ("message", "marker", "response")

    def _go_elsewhere(self) -> None:
        """Give the input back as a whole, if nothing of it was written."""
        if not self.are_messages:
            raise Elsewhere(_reader(self.rest()))

    def _let_go(self) -> None:
        """Write what has gone by, before the next read."""
        if not self.are_messages or any(piece[0] == "bad" for piece in self.held):
            return
        for _, data, start, end in self.held:
            self.setting.sink.write(data[start:end])
            self.past.add(data, start, end)
        self.held.clear()
        self.setting.sink.flush()


def _value(line: bytes) -> Any:
    try:
        return loads(line.removeprefix(BOM))
    except BadJSON:
        return None


def _reader(pieces: Iterator[Piece]) -> Read:
    """The pieces as a stream again."""

    def read(_: int) -> bytes:
        return next((data[i:j] for _, data, i, j in pieces if j > i), b"")

    return read
