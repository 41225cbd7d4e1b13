"""What ``session append`` does: batches, acknowledgements, and whole new histories."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from mewctl import limits
from mewctl.commands.notes import note
from mewctl.commands.session.finding import session_of
from mewctl.commands.session.incoming import Incoming, Storing
from mewctl.commands.session.originals import Originals
from mewctl.errors import BadInput
from mewctl.history.formats import NAMES as FORMATS
from mewctl.history.formats import mew
from mewctl.session import glimpse, render
from mewctl.session.lines import Marker
from mewctl.session.reading import LogReader
from mewctl.session.writing import Writer, Written
from mewctl.streams.jsonvalue import dumps, loads
from mewctl.streams.stdio import Output, ReaderLeft, drop_stdout
from mewctl.transcripts import Report

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewctl.commands.session.incoming import Arrival
    from mewctl.session.layout import Layout
    from mewctl.session.reading import Pair
    from mewctl.session.writing import Held


def append(options: Mapping[str, Any]) -> None:
    """Write what arrives, batch by batch."""
    layout = session_of(options)
    usual, model = _usual(layout)
    storing = Storing(model)
    desk = _Desk(layout, options)
    incoming = Incoming(options, desk.before_read, usual)
    with Output() as out:
        desk.out = out
        for arrival in incoming.arrivals():
            if arrival is None:
                raise BadInput(
                    place=", ".join(options["files"]) or "stdin",
                    what="a compact marker, which would hide the history before it",
                    remedy="leave it out, or use --replace",
                )
            desk.add(arrival, storing.lines(arrival, time.time()))
        desk.commit()
    desk.close()


class _Desk:
    """Gathers a batch, writes it, acknowledges it."""

    def __init__(self, layout: Layout, options: Mapping[str, Any]) -> None:
        self._layout = layout
        self._tee = options["tee"]
        self._revision = options["if_revision"]
        self._quiet = options["quiet"]
        self._writer = Writer(layout, options["sync"])
        self._lines: list[bytes] = []
        self._raws: list[bytes] = []
        self._size = 0  # bytes of the lines
        self.out = Output()

    def add(self, arrival: Arrival, made: list[bytes]) -> None:
        """Take the lines of one record."""
        self._lines += made
        self._size += sum(map(len, made))
        if self._tee:
            self._raws.append(arrival.record.raw)

    def before_read(self, may_wait: bool) -> None:
        """Write what was gathered before waiting for more, or when it is much."""
        if may_wait or self._size >= limits.APPEND_BATCH:
            self.commit()

    def commit(self) -> None:
        """Write what was gathered, if anything."""
        if not self._lines:
            return
        with self._writer.locked() as held:
            held.require(self._revision)
            written = held.append(self._lines)
        self._revision = None  # it was asked of the log as it was found
        self._lines.clear()
        self._size = 0
        data = b"\n".join((*self._raws, b"")) if self._tee else b""
        self._raws.clear()
        self._tell(data or _acknowledgement(self._layout, written))
        if self._tee and not self._quiet:
            note(_acknowledgement(self._layout, written).decode().rstrip())

    def close(self) -> None:
        """Nothing comes any more."""
        self._writer.close()

    def _tell(self, data: bytes) -> None:
        """Write to a reader, if it is still there: if not, appending goes on."""
        try:
            self.out.write(data)
            self.out.flush()
        except ReaderLeft:
            drop_stdout()  # what follows goes nowhere


def _acknowledgement(layout: Layout, written: Written) -> bytes:
    return (
        dumps(
            {
                "type": "appended",
                "session": layout.id,
                "records": written.records,
                "bytes": written.size,
                "revision": written.revision,
            }
        )
        + b"\n"
    )


def _usual(layout: Layout) -> tuple[str, str]:
    """The format of the log's last message, and the last model that it names."""
    if not os.path.lexists(layout.log):
        return "", ""
    with LogReader(layout.log) as reader:
        model = glimpse.ending(reader.read, reader.size).model
        return glimpse.last_format(reader.read, reader.size), model


# --- a whole new history ---


def replace(options: Mapping[str, Any]) -> None:
    """Make the input the session's history, unless it is so already."""
    layout = session_of(options)
    given = _given(options, layout)
    with Writer(layout, options["sync"]) as writer, writer.locked() as held:
        held.require(options["if_revision"])
        written = _replaced(layout, held, given)
    with Output() as out:
        out.write(_acknowledgement(layout, written))


@dataclass(frozen=True, slots=True)
class _Given:
    """A history that was given, and the formats it may be of, the likeliest first."""

    arrivals: tuple[Arrival, ...]
    keys: tuple[bytes, ...]
    formats: tuple[str, ...]


def _given(options: Mapping[str, Any], layout: Layout) -> _Given:
    """The history given: what follows the last marker of the input."""
    arrivals: list[Arrival] = []
    incoming = Incoming(options, lambda _: None, _usual(layout)[0])
    for arrival in incoming.arrivals():
        if arrival is None:
            arrivals.clear()
        else:
            arrivals.append(arrival)
    if not arrivals:
        raise BadInput(
            place=", ".join(options["files"]) or "stdin",
            what="an empty history",
            remedy="nothing was written; give the messages that are to stay",
        )
    originals = Originals(layout)
    whole = tuple(originals.of(arrival) for arrival in arrivals)
    keys = tuple(render.key(_message(arrival)) for arrival in whole)
    own = (a.format for a in reversed(whole) if a.format != mew.NAME)
    first = next(own, mew.NAME)
    others = () if incoming.certain else FORMATS
    return _Given(whole, keys, tuple(dict.fromkeys((first, *others))))


def _replaced(layout: Layout, held: Held, given: _Given) -> Written:
    with LogReader(layout.log) as reader:
        pairs = list(reader.history(reader.live(), Report()))
    if any(given.keys == _keys(pairs, form) for form in given.formats):
        return Written(0, 0, held.revision())
    now = time.time()
    storing = Storing("")
    made = render.reused(
        (
            (key, partial(storing.lines, arrival, now))
            for key, arrival in zip(given.keys, given.arrivals, strict=True)
        ),
        pairs,
        given.formats[0],
    )
    marker = Marker(time=now, reason="replace", messages=len(made))
    return held.append([marker.line(), *made])


def _keys(pairs: list[Pair], form: str) -> tuple[bytes, ...]:
    """The history now, as it reads in ``form``."""
    lines = render.render(pairs, form, render.Told())
    return tuple(render.key(loads(line)) for line in lines)


def _message(arrival: Arrival) -> Mapping[str, Any]:
    """What an arrival says: of a response, its message."""
    return arrival.value if arrival.answer is None else arrival.answer.record
