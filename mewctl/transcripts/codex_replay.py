"""What is live in a Codex rollout: its records replayed, one after the other. Pure.

Codex builds its history of response items; a compaction replaces it, a rollback takes
the last turns of the user from it. The same is done here with entries, which hold the
bytes they are to be parsed from again. Must not make messages.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from mewctl.history.formats.blocks import as_optional, as_text
from mewctl.streams.jsonvalue import BadJSON, dumps
from mewctl.transcripts.codex_items import BARE, Kind, is_sealed, kind_of, texts_of
from mewctl.transcripts.codex_usage import Response, Responses
from mewctl.transcripts.telling import KIND_CHARS, seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mewctl.streams.records import Record
    from mewctl.transcripts import Report

_TURNS = ("user", "agent")  # what a rollback counts
_BETWEEN = ("context", "system")  # what belongs to the turn it stands before
_OUTSIDE = "event_msg"


class Entry(NamedTuple):
    """An item of the history. ``response``: the number of the response it is of."""

    kind: Kind
    line: int
    raw: bytes
    time: float | None = None
    response: int | None = None


class _Saying(NamedTuple):
    """When a message was said, and by which model."""

    time: float | None = None
    model: str | None = None


def item_of(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """The item in a record: its payload, or the record itself in the oldest form."""
    payload = value.get("payload")
    return payload if isinstance(payload, dict) else value


def is_header(value: Mapping[str, Any]) -> bool:
    """Whether a record is the first one of a rollout without envelopes."""
    named = {"id", "timestamp", "instructions"} <= value.keys()
    return named and not value.keys() & {"type", "role", "payload", "messages"}


@dataclass(slots=True)
class Replay:
    """The history as the records so far leave it. ``full``: nothing is replaced.

    ``every_usage``: usage is told that counts what a compaction left, too. ``others``:
    counts of what is not told, in words. ``origin``: the session's id.
    """

    report: Report
    full: bool = False
    every_usage: bool = False
    entries: list[Entry] = field(default_factory=list)
    responses: Responses = field(default_factory=Responses)
    others: Counter[str] = field(default_factory=Counter)
    origin: str = ""
    _model: str | None = None
    _cwd: str | None = None
    _raw: bytes = b""  # the record before, to know a copy by
    _said: dict[int, _Saying] = field(default_factory=dict)  # by their prints

    def add(self, record: Record, value: Mapping[str, Any]) -> None:
        """Take in one record."""
        kind, payload = value.get("type"), value.get("payload")
        time = seconds(value.get("timestamp"))
        copy = record.raw == self._raw and "timestamp" in value
        self._raw = record.raw
        if copy:
            self.others["copies of records"] += 1
        elif not isinstance(payload, dict) or not isinstance(kind, str):
            self._bare(record, value)
        elif kind == "response_item":
            self._item(payload, Entry("", record.line, record.raw, time))
        elif kind == _OUTSIDE:
            self._event(payload, time)
        elif kind == "compacted":
            self._compacted(payload, record.line, time)
        elif kind == "inter_agent_communication" and payload.get("content"):
            self._place(Entry("agent", record.line, record.raw, time))
        else:
            self._about(kind, payload)

    # --- records beside the history ---

    def _bare(self, record: Record, value: Mapping[str, Any]) -> None:
        if as_text(value.get("type")) in BARE:
            self._item(value, Entry("", record.line, record.raw))
        elif is_header(value):
            self._about("session_meta", value)
        else:
            named = as_text(value.get("type")) or as_text(value.get("record_type"))
            self.others[f"{named[:KIND_CHARS] or 'untyped'} records"] += 1

    def _about(self, kind: str, payload: Mapping[str, Any]) -> None:
        if kind == "session_meta":
            self.origin = self.origin or as_text(payload.get("id"))
            self._cwd = self._cwd or as_optional(payload.get("cwd"))
        elif kind == "turn_context":
            self._model = as_optional(payload.get("model")) or self._model
            self._cwd = as_optional(payload.get("cwd")) or self._cwd
        self.others[f"{kind[:KIND_CHARS]} records"] += 1

    def _event(self, payload: Mapping[str, Any], time: float | None) -> None:
        kind = as_text(payload.get("type"))
        if kind == "token_count":
            self.responses.count(payload.get("info"), time)
        elif kind == "thread_rolled_back":
            self._roll_back(payload.get("num_turns"))
        self.others[f"{kind[:KIND_CHARS] or 'untyped'} events"] += 1

    # --- the history ---

    def _item(self, item: Mapping[str, Any], entry: Entry) -> None:
        kind = kind_of(item)
        if not kind:
            named = as_text(item.get("type"))[:KIND_CHARS]
            self.others[f"{named or 'untyped'} items"] += 1
            return
        if item.get("type") == "message":
            self._said[_print(item)] = _Saying(entry.time, self._model)
        self._place(entry._replace(kind=kind), Response(self._model, self._cwd))

    def _place(self, entry: Entry, of: Response | None = None) -> None:
        """Append an entry; ``of``: the response that an item of the model begins."""
        if entry.kind != "answer":
            self.responses.end(entry.time)
        else:
            number = self.responses.item(entry.time, of or Response())
            entry = entry._replace(response=number)
        self.entries.append(entry)

    def _compacted(
        self, payload: Mapping[str, Any], line: int, time: float | None
    ) -> None:
        """The history is replaced by what a compaction kept or wrote."""
        before = self.entries
        self.responses.cut()
        items = payload.get("replacement_history")
        if self.full:
            self.responses.stale = not self.every_usage
        else:
            kept = () if isinstance(items, list) else ("user",)
            self.entries = [entry for entry in before if entry.kind in kept]
        if isinstance(items, list):
            self._replacement(items, line)
        else:
            self._summary(as_text(payload.get("message")), line, time)
        self.responses.cut()
        gone = f"{len(before)} items before"
        what = "a compaction" if self.full else "the history begins after a compaction"
        self.report.add(line, "boundary", f"{what} ({gone})")

    def _replacement(self, items: Iterable[Any], line: int) -> None:
        """What a compaction says the history is now; with ``full``, what is new in it.

        That is its summary: what the user and the model said stands there already.
        """
        for item in items:
            kind = kind_of(item) if isinstance(item, dict) else ""
            if kind and is_sealed(item) and not self.full:
                text = "the summary of a compaction is encrypted; --full reads what was"
                self.report.add(line, "sealed", text)
            known = self._said.get(_print(item)) if kind else None
            if self.full and (known is not None or kind not in _BETWEEN):
                continue
            said = known or _Saying()
            try:
                if kind:
                    entry = Entry(kind, line, dumps(item), said.time)
                    self._place(entry, Response(said.model))
            except BadJSON as error:
                self.report.add(line, "skipped", str(error))

    def _summary(self, text: str, line: int, time: float | None) -> None:
        if text.strip():
            content = [{"type": "input_text", "text": text}]
            item = {"type": "message", "role": "user", "content": content}
            self._place(Entry("context", line, dumps(item), time))

    def _roll_back(self, turns: object) -> None:
        """Take the last turns of the user away, as far as there are any.

        What Codex put before a turn goes with it, but not what the session began with.
        """
        cut, left = len(self.entries), turns if isinstance(turns, int) else 0
        for at in range(len(self.entries) - 1, -1, -1):
            if left <= 0:
                break
            if self.entries[at].kind in _TURNS:
                cut, left = at, left - 1
        start = cut
        while start and self.entries[start - 1].kind in _BETWEEN:
            start -= 1
        if start and cut < len(self.entries):  # else the session begins with it
            cut = start
        self.others["items of turns that were taken back"] += len(self.entries) - cut
        del self.entries[cut:]
        self.responses.cut()


def _print(item: Mapping[str, Any]) -> int:
    """What a message is known by, wherever it stands."""
    return hash((as_text(item.get("role")), *texts_of(item)))
