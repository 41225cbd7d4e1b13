"""A session's records as a valid history of one message format. Pure.

A message that the log holds in the format asked for comes out as the very bytes it came
in. Must not decide what belongs to the history.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mewctl.history.formats import load, mew
from mewctl.history.losses import Losses
from mewctl.history.repair import repair_records
from mewctl.session import lines
from mewctl.streams.jsonvalue import dumps
from mewctl.streams.records import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mewctl.history.findings import Finding
    from mewctl.session.reading import Pair

_ENVELOPE = re.compile(rb'\s*\{\s*"format"\s*:\s*"([a-z]+)"')
#: What a log keeps beside its messages, and no request takes: not worth a word.
_BESIDE = frozenset(
    {"usage", "model", "time", "message id", "working directory", "injected mark"}
)


@dataclass(slots=True)
class Told:
    """What a rendering has to tell: repairs, and what the format cannot say."""

    findings: list[Finding] = field(default_factory=list)
    losses: Losses = field(default_factory=Losses)

    def lost(self) -> Losses:
        """The losses but for what no request takes."""
        kept = Losses()
        for kind, count in self.losses.counts.items():
            if kind not in _BESIDE:
                kept.counts[kind] = count
        return kept


def one_format(records: Iterable[Record]) -> str:
    """The format that all messages of a log are of; ``mew`` where they are of several.

    Plain messages, which say the same in every format, are of any.
    """
    found: set[str] = set()
    plain: list[Record] = []
    for record in records:
        envelope = _ENVELOPE.match(record.raw)
        if envelope:
            found.add(envelope[1].decode())
        else:
            plain.append(record)
    if len(found) != 1:
        return mew.NAME
    (name,) = found
    return name if all(map(_fits_any, plain)) else mew.NAME


def _fits_any(record: Record) -> bool:
    try:
        return lines.is_neutral(record.mapping())
    except ValueError:
        return True  # a damaged line says nothing


def render(pairs: Iterable[Pair], form: str, told: Told) -> Iterator[bytes]:
    """The lines, without line ends, of a valid history of the format ``form``.

    ``told`` is complete once all lines were taken.
    """
    made = as_records(pairs, form, told.losses)
    return repair_records(made, load(form), told.findings.append)


def as_records(
    pairs: Iterable[Pair], form: str, losses: Losses
) -> Iterator[tuple[Record, Mapping[str, Any]]]:
    """The same, not yet repaired: records of ``form`` with their values."""
    if form == mew.NAME:
        return _plain(pairs, losses)
    return _converted(pairs, form, losses)


def _plain(
    pairs: Iterable[Pair], losses: Losses
) -> Iterator[tuple[Record, Mapping[str, Any]]]:
    """Plain ``mew`` records: as they are, and envelopes opened."""
    held: list[Pair] = []
    for pair in pairs:
        if "format" in pair[1] and mew.is_envelope(pair[1]):
            held.append(pair)
            continue
        if held:
            yield from _opened(held, losses)
            held = []
        yield pair
    if held:
        yield from _opened(held, losses)


def _opened(
    held: Sequence[Pair], losses: Losses
) -> Iterator[tuple[Record, Mapping[str, Any]]]:
    """The messages in envelopes that follow each other, as plain records."""
    from mewctl.history.convert import convert

    messages = (mew.view(value) for _, value in held)
    first = held[0][0]
    for value in convert(messages, mew.NAME, load(mew.NAME), losses):
        yield Record(dumps(value), first.line, first.offset), value


def _converted(
    pairs: Iterable[Pair], form: str, losses: Losses
) -> Iterator[tuple[Record, Mapping[str, Any]]]:
    """Records of an API's format; those that are so in the log as their very bytes."""
    from mewctl.history.convert import convert_records

    own: deque[tuple[Record, Any]] = deque()

    def values() -> Iterator[Mapping[str, Any]]:
        for record, value in pairs:
            if lines.format_of(value) == form:
                raw = lines.inner(record.raw)
                if raw is not None:
                    kept = Record(raw, record.line, record.offset)
                    own.append((kept, value["record"]))
            yield value

    for value in convert_records(values(), load(mew.NAME), load(form), losses):
        if own and value == own[0][1]:
            yield own.popleft()
        else:
            yield Record(dumps(value)), value


def keys(value: Mapping[str, Any], form: str) -> bytes | None:
    """What a line of a log says in ``form``, to be compared; None if in another.

    Times do not count.
    """
    own = lines.format_of(value)
    if own == form != mew.NAME:
        return key(value["record"])
    if own == form == mew.NAME:
        return None if mew.is_envelope(value) else key(value)
    if own == mew.NAME and lines.is_neutral(value):
        return key({"role": value["role"], "content": value["content"]})
    return None


def key(value: Mapping[str, Any]) -> bytes:
    """A record's meaning, its time aside."""
    import json

    bare = {name: item for name, item in value.items() if name != "ts"}
    return json.dumps(bare, sort_keys=True).encode("ascii")


def reused(
    given: Iterable[tuple[bytes, Callable[[], list[bytes]]]],
    current: Iterable[Pair],
    form: str,
) -> list[bytes]:
    """The lines of a snapshot: those of the log where it says the same, else new ones.

    ``given``: keys, and what makes new lines.
    """
    known: dict[bytes, deque[bytes]] = {}
    for record, value in current:
        found = keys(value, form)
        if found is not None:
            known.setdefault(found, deque()).append(record.raw)
    made: list[bytes] = []
    for name, new in given:
        old = known.get(name)
        made += [old.popleft()] if old else new()
    return made
