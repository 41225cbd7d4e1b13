"""A session that is one JSON object, over many lines or torn: its whole items.

Such a file is rewritten as a whole, so that a crash leaves its head. Pure: records in,
values out. Must not know an agent's records.
"""

from __future__ import annotations

import json
import re
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from mewctl.streams.jsonvalue import BadJSON, loads
from mewctl.streams.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mewctl.transcripts import Report

_COMMA = re.compile(r"[\s,]*")


class Torn(NamedTuple):
    """An object that does not end: all of it as a record, and as text."""

    record: Record
    text: str

    def items(
        self, start: int, what: str, report: Report
    ) -> Iterator[tuple[Record, dict[str, Any]]]:
        """The whole objects of the list whose items begin at ``start``.

        ``what`` they are, in words, for the notes about what was saved and lost.
        """
        count = 0
        while True:
            gap = _COMMA.match(self.text, start)
            start = gap.end() if gap else start
            open_ = self.text.startswith("{", start)
            end = _end(self.text, start) if open_ else None
            if end is None:
                break
            raw = self.text[start:end].encode("utf-8", "replace")
            for value in _objects([Record(raw)]):
                yield Record(raw, self.record.line, self.record.offset), value
            start, count = end, count + 1
        line = self.record.line
        report.add(line, "recovered", f"{count} whole {what}s of a torn session")
        rest = len(self.text) - start
        report.add(line, "skipped", f"{rest} characters that are no whole {what}")


def told_apart(
    records: Iterable[Record], lists: re.Pattern[str]
) -> tuple[Iterable[Record], Torn | None]:
    """The records to read one by one, and the torn object that they are instead.

    An object over many lines becomes one record. One is torn if it has one of
    ``lists`` and does not end.
    """
    stream = iter(records)
    held = list(islice(stream, 2))
    if held and held[0].raw.startswith(b"{") and not any(_objects(held)):
        held += stream
        raw = b"\n".join(record.raw for record in held)
        whole = Record(raw, held[0].line, held[0].offset)
        if any(_objects([whole])):
            return [whole], None
        text = raw.decode("utf-8", "replace")
        if lists.search(text) and _end(text, 0) is None:
            return [], Torn(whole, text)
    return chain(held, stream), None


def _objects(records: list[Record]) -> Iterator[dict[str, Any]]:
    """The records that are objects, parsed."""
    for record in records:
        try:
            value = loads(record.raw)
        except BadJSON:
            continue
        if isinstance(value, dict):
            yield value


def _end(text: str, start: int) -> int | None:
    """Where the value that begins at ``start`` ends; None if it does not."""
    try:
        return json.JSONDecoder().raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        return None
