"""What ``repair`` does: reads the shapes of records, has them mended, tells of it.

Apart from the command's module, because importing this costs more than Click.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, cast

from mewctl import limits
from mewctl.commands.notes import note
from mewctl.commands.reading import Reading, wish_from
from mewctl.errors import BadInput, Exit
from mewctl.history.detect import Detector
from mewctl.history.formats import load
from mewctl.history.glance import GLANCES
from mewctl.history.lens import lens
from mewctl.history.repair import check_entries, repair_entries, shape_record
from mewctl.streams.inputs import label, names, opened
from mewctl.streams.jsonvalue import dumps
from mewctl.streams.records import place, read_records
from mewctl.streams.stdio import Output

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from mewctl.history.findings import Finding
    from mewctl.history.formats import Format
    from mewctl.history.repair import Entry
    from mewctl.history.shape import Shape
    from mewctl.streams.records import Read, Record

    Look = tuple[Shape | None, Record]

_ID_CHARS = 60  # of a call's id, in a line for people
_BATCH = 128  # lines given to the output at once


def mend(options: Mapping[str, Any]) -> int:
    """Write the valid history; tell of each repair. The exit code."""
    teller = _Teller(options)
    with Output(options["output"], options["files"]) as out:
        lines = _Lines(out)
        form, entries = _entries(_Skim(options, lines.flush))
        lines.write(repair_entries(entries, form, teller.tell))
    teller.close()
    return Exit.DONE


def check(options: Mapping[str, Any]) -> int:
    """Write what is wrong. The exit code: 1 if anything is."""
    code = Exit.DONE
    with Output(options["output"], options["files"]) as out:
        lines = _Lines(out)
        form, entries = _entries(_Skim(options, lines.flush))
        for finding in check_entries(entries, form):
            lines.write([dumps(finding.to_json())])
            code = Exit.NO
    return code


class _Lines:
    """Lines on their way to the output, in batches, whole before each read."""

    def __init__(self, out: Output) -> None:
        self._out = out
        self._waiting: list[bytes] = []

    def write(self, lines: Iterable[bytes]) -> None:
        waiting = self._waiting
        for line in lines:
            waiting.append(line)
            if len(waiting) >= _BATCH:
                self._push()
        self.flush()

    def _push(self) -> None:
        self._waiting.append(b"")
        data = b"\n".join(self._waiting)
        self._waiting.clear()
        self._out.write(data)

    def flush(self) -> None:
        if self._waiting:
            self._push()
            self._out.flush()


class _Teller:
    """Tells people of repairs: the first ones, and how many more there were."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        inputs = names(options["files"])
        self._name = label(inputs[0]) if len(inputs) == 1 else ""
        self._quiet = options["quiet"]
        self._told = 0

    def tell(self, finding: Finding) -> None:
        self._told += 1
        if self._quiet or self._told > limits.REPAIRS_TOLD:
            return
        where = f"message {finding.message}"
        if self._name and finding.line:
            where = f"{self._name}:{finding.line}"
        call = "" if finding.id is None else f" (call {finding.id[:_ID_CHARS]})"
        note(f"{where}: {finding.detail}{call}; {finding.repair}")

    def close(self) -> None:
        more = self._told - limits.REPAIRS_TOLD
        if more > 0 and not self._quiet:
            note(f"{more} more; mewctl repair --check lists them all")


def _entries(skim: _Skim) -> tuple[Format, Iterator[Entry]]:
    """The format of a history, and its records with their shapes.

    Until the format is known its records are held; they are plain messages.
    """
    looks = skim.looks()
    held: list[Record] = []
    for shape, record in looks:
        if shape is not None:
            looks = chain([(shape, record)], looks)
            break
        held.append(record)
    form = load(skim.format or "mew")
    early = (
        (shape_record(record.mapping(), form, f"line {record.line}"), record)
        for record in held
    )
    return form, cast("Iterator[Entry]", chain(early, looks))


class _Skim(Reading):
    """A reading that looks no closer at ordinary records than repair has to.

    What is ordinary in the one format that is known needs no detection either.
    """

    def __init__(
        self, options: Mapping[str, Any], before_read: Callable[[], None]
    ) -> None:
        super().__init__(options["files"], wish_from(options))
        self._before_read = before_read

    def looks(self) -> Iterator[Look]:
        """Each record with its shape; None while ``format`` is not known."""
        for path in names(self.files):
            with opened(path) as read:
                flushed, name = self._flushing(read), label(path)
                stream = read_records(flushed, name, self.wish.max_record)
                yield from cast("Iterator[Look]", self.one(stream, name))

    def _flushing(self, read: Read) -> Read:
        def flushed(size: int) -> bytes:
            self._before_read()
            return read(size)

        return flushed

    def _messages(
        self, known: str, records: Iterable[Record], name: str
    ) -> Iterator[Any]:
        """Like the reading's own, with shapes for views."""
        detector = None
        if self.wish.from_ == "auto":
            detector = Detector(name)
        else:
            self._settle(known, name)
        glance = GLANCES.get(self.format)
        count = messages = 0
        for record in records:
            count += 1
            try:
                value = record.mapping()
                shape = glance(value) if glance else None
                if shape is None:
                    if detector:
                        kind = detector.feed(record.line, value)
                        messages += kind.group != "unknown"
                        if detector.format not in ("", self.format):
                            self._settle(detector.format, name)
                            glance = GLANCES[self.format]
                    shape = self._look(value, place(name, record))
                else:
                    messages += 1
            except ValueError as error:
                self._bad(record, name, str(error))
                continue
            yield shape, record
        if detector and count and not messages:
            raise BadInput(
                place=name,
                what=f"{count} records, and none is a message of a known format",
                remedy="name it with --from; mewctl help formats lists what is read",
            )
        if detector:
            self._settle(self.format or detector.settle(), name)

    def _look(self, value: Mapping[str, Any], where: str) -> Shape | None:
        if self.format:
            return shape_record(value, load(self.format), where)
        lens("mew").view(value, where)
        return None

    def _transcript(
        self, reader: str, records: Iterable[Record], name: str
    ) -> Iterator[Any]:
        for record, _ in super()._transcript(reader, records, name):
            yield self._look(record.mapping(), name), record
