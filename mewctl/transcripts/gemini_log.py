"""What is live in a Gemini CLI session: its records, replayed in order. Pure.

A record is a message, which overwrites an earlier one of its id; a ``$set`` of the
session's data, whose messages, if there are any, replace all; or a ``$rewindTo``, which
drops a message and all after it. The older form is one object with all messages. Each
message is held as bytes, to be parsed again when it is told. Must not read their text.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from mewctl.history.formats.blocks import as_text
from mewctl.streams.jsonvalue import BadJSON, dumps, loads
from mewctl.transcripts.damage import whole_objects
from mewctl.transcripts.telling import as_object, care
from mewctl.transcripts.torn import told_apart

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mewctl.streams.records import Record
    from mewctl.transcripts import Report

#: Types of messages.
TYPES = frozenset({"user", "gemini", "info", "warning", "error"})

_MESSAGES = re.compile(r'"messages"\s*:\s*\[')
_SESSION = re.compile(r'"sessionId"\s*:\s*"([^"\\]*)"')
_COMMA = re.compile(r"[\s,]*")


class Entry(NamedTuple):
    """A message: the line it stands in, and its bytes.

    ``stale``: its usage counts a context that is not told.
    """

    line: int
    raw: bytes
    stale: bool = False


def is_header(value: Mapping[str, Any]) -> bool:
    """Whether an object holds a session's data, with or without its messages."""
    named = isinstance(value.get("sessionId"), str) and "projectHash" in value
    return named and not value.keys() & {"type", "role", "message"}


def is_message(value: Mapping[str, Any]) -> bool:
    """Whether an object is a message of a session."""
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in TYPES:
        return False
    named = isinstance(value.get("id"), str) and "timestamp" in value
    return named and "content" in value and not value.keys() & {"role", "message"}


def is_record(value: Mapping[str, Any]) -> bool:
    """Whether an object is a record of a session, not a part of one."""
    if len(value) == 1:
        return isinstance(value.get("$set"), dict) or isinstance(
            value.get("$rewindTo"), str
        )
    return is_header(value) or is_message(value)


@dataclass(slots=True)
class Log:
    """The messages as the records so far leave them, by their ids, in order.

    ``full``: a replacement adds what is new and drops nothing. ``others``: counts of
    what is no message, in words. ``origin``: the session's id.
    """

    report: Report
    full: bool = False
    messages: dict[str, Entry] = field(default_factory=dict)
    others: Counter[str] = field(default_factory=Counter)
    origin: str = ""
    _stale: bool = False  # what comes counts a context that ``full`` does not show

    def add(self, record: Record, value: dict[str, Any]) -> None:
        """Take in one record. Messages of a session object are taken out of it."""
        if isinstance(value.get("$rewindTo"), str):
            self._rewind(value["$rewindTo"], record.line)
        elif isinstance(value.get("$set"), dict):
            self.others["updates of the session's data"] += 1
            self._set(value["$set"], record)
        elif is_header(value):
            self.origin = value["sessionId"]
            for item in _exact(value, record).pop("messages", None) or ():
                self._hold(item, record.line, self.messages)
        elif isinstance(value.get("type"), str):
            self._put(value, Entry(record.line, record.raw), self.messages)
        else:
            self.others["untyped records"] += 1

    def _put(
        self, value: Mapping[str, Any], entry: Entry, into: dict[str, Entry]
    ) -> None:
        """Hold a message; one without an id has a place of its own."""
        named = as_text(value.get("id"))
        entry = entry._replace(stale=self._stale)
        into[named or f"\n{entry.line}.{len(into)}"] = entry

    def _hold(self, item: object, line: int, into: dict[str, Entry]) -> None:
        """Hold a message that is part of a record."""
        if not isinstance(item, dict):
            self.others["messages that are no objects"] += 1
            return
        try:
            self._put(item, Entry(line, dumps(item)), into)
        except BadJSON as error:
            self.report.add(line, "skipped", str(error))

    def _set(self, data: dict[str, Any], record: Record) -> None:
        self.origin = as_text(data.get("sessionId")) or self.origin
        items = _exact(data, record).get("messages")
        if not isinstance(items, list) or not items:
            return
        new: dict[str, Entry] = {}
        for item in items:
            self._hold(item, record.line, new)
        before = self.messages
        gone = {name: entry for name, entry in before.items() if name not in new}
        if gone:
            what = "a compaction" if self.full else "the history begins after one"
            text = f"{what}: {len(gone)} messages were replaced"
            self.report.add(record.line, "boundary", text)
        if self.full:
            new = gone | {name: before.get(name, entry) for name, entry in new.items()}
            self._stale = self._stale or bool(gone)
        elif gone:
            new = {name: entry._replace(stale=True) for name, entry in new.items()}
        self.messages = new

    def _rewind(self, name: str, line: int) -> None:
        """Drop a message and all after it; all, as the agent does, if it is unknown."""
        if name not in self.messages:
            text = "a rewind to a message that is not there: all before was dropped"
            self.report.add(line, "branch", text)
        last = ""
        while self.messages and last != name:
            last, _ = self.messages.popitem()
            self.others["messages of rewound branches"] += 1


def _exact(value: dict[str, Any], record: Record) -> dict[str, Any]:
    """``value``, a record or a part of one, with whole numbers kept whole."""
    items = value.get("messages")
    if not isinstance(items, list):
        return {}
    if care(items) == "exact":
        try:
            whole: dict[str, Any] = loads(record.raw, exact=True)
        except BadJSON:
            return value
        return whole if "messages" in whole else dict(as_object(whole.get("$set")))
    return value


# --- records, and the pieces of torn ones ---


def objects(
    records: Iterable[Record], report: Report
) -> Iterator[tuple[Record, dict[str, Any]]]:
    """Every whole object of a session; the whole messages of a torn session object."""
    whole, torn = told_apart(records, _MESSAGES)
    if torn is None:
        yield from whole_objects(whole, is_record, report)
        return
    begin = _MESSAGES.search(torn.text)
    start = begin.end() if begin else 0
    named = _SESSION.search(torn.text, 0, start)
    header = {"sessionId": named.group(1) if named else "", "projectHash": ""}
    yield torn.record, header
    yield from torn.items(start, "message", report)
