"""What ``repair`` does: reads the shapes of records, has them mended, tells of it.

Apart from the command's module, because importing this costs more than Click.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

from mewctl import limits
from mewctl.commands.looks import Heard
from mewctl.commands.notes import note
from mewctl.commands.reading import Source, wish_from
from mewctl.errors import Exit
from mewctl.history.formats import load
from mewctl.history.glance import GLANCES
from mewctl.history.lens import lens
from mewctl.history.plain import neutral
from mewctl.history.repair import (
    check_entries,
    repair_entries,
    shape_record,
    shaped,
)
from mewctl.history.shape import Shape
from mewctl.streams.inputs import label, names
from mewctl.streams.jsonvalue import dumps
from mewctl.streams.shelf import Shelf, ended, in_blocks
from mewctl.streams.stdio import Output

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from mewctl.history.findings import Finding
    from mewctl.history.formats import Format
    from mewctl.history.repair import Entry
    from mewctl.history.view import Message
    from mewctl.streams.records import Record

_ID_CHARS = 60  # of a call's id, in a line for people


def mend(options: Mapping[str, Any]) -> int:
    """Write the valid history, all of it or nothing; tell of each repair."""
    teller = _Teller(options)
    with Output(options["output"], options["files"]) as out:
        form, entries = _entries(_source(options))
        lines = repair_entries(entries, form, teller.tell)
        for block in in_blocks(ended(lines)):
            out.write(block)
    teller.close()
    return Exit.DONE


def check(options: Mapping[str, Any]) -> int:
    """Write what is wrong. The exit code: 1 if anything is."""
    with Output(options["output"], options["files"]) as out:
        form, entries = _entries(_source(options))
        findings = check_entries(entries, form)
        blocks = in_blocks(ended(dumps(found.to_json()) for found in findings))
        for block in blocks:
            out.write(block)
    return Exit.NO if blocks else Exit.DONE


def _source(options: Mapping[str, Any]) -> Source[Shape]:
    return Source(options["files"], wish_from(options), _Shapes())


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


#: The shape of a record while the format is not known: it is asked for again.
_UNTOLD = Shape("untold")


def _entries(source: Source[Shape]) -> tuple[Format, Iterator[Entry]]:
    """The format of a history, and its records with their shapes.

    Until the format is known its records are held; they are plain messages.
    """
    looks = iter(source)
    held = Shelf()
    first: list[Entry] = []
    for record, shape in looks:
        if shape is not _UNTOLD:
            first.append((shape, record))
            break
        held.put(record)
    form = load(source.format or "mew")
    early = shaped(((record, record.mapping()) for record in held.drain()), form)
    rest = ((shape, record) for record, shape in looks)
    return form, chain(early, first, rest)


@dataclass(slots=True)
class _Shapes:
    """The look at the shape of each record."""

    heard: Heard = field(default_factory=Heard)

    def quick(self, form: str) -> Callable[[Mapping[str, Any]], Shape | None]:
        if form:
            return GLANCES[form]
        return lambda value: _UNTOLD if neutral(value) else None

    def close(self, value: Mapping[str, Any], form: str, where: str) -> Shape:
        if form:
            return shape_record(value, load(form), where)
        lens("mew").view(value, where)
        return _UNTOLD

    def told(self, record: Record, message: Message, where: str) -> Shape:
        """The shape of the record, as it is when it is read again."""
        del message
        return self.close(record.mapping(), "mew", where)
