"""Repair: a history that the API it is meant for accepts, and what was wrong with it.

``repair_messages`` works on views, ``repair_records`` on records as they arrive: one
that nothing is wrong with comes out as the very bytes it was read from, as soon as it
is known to be complete. Must not touch files.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from mewctl import limits
from mewctl.errors import BadInput
from mewctl.history import responses
from mewctl.history.bundles import Members, Parted, bundled, parted
from mewctl.history.formats.blocks import is_unknown
from mewctl.history.glance import GLANCES
from mewctl.history.lens import lens
from mewctl.history.losses import Losses
from mewctl.history.mending import Bench
from mewctl.history.planning import Planner
from mewctl.history.rules import rules_for
from mewctl.history.shape import ENVELOPE, MALFORMED, MARKER, Shape, shape_of
from mewctl.history.steps import Answer, Progress, Where
from mewctl.history.stretches import stretches
from mewctl.history.view import Message, Result
from mewctl.history.wellformed import well_formed
from mewctl.streams.jsonvalue import dumps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mewctl.history.findings import Finding
    from mewctl.history.formats import Format
    from mewctl.history.rules import Rules
    from mewctl.history.steps import Step
    from mewctl.history.view import Part
    from mewctl.streams.records import Record

#: A record and its shape, as ``GLANCES`` or ``shape_record`` tell it.
Entry: TypeAlias = "tuple[Shape, Record]"


# --- views ---


def repair_messages(
    messages: Sequence[Message], name: str
) -> tuple[list[Message], list[Finding]]:
    """``messages`` as the API behind the format ``name`` accepts them, and why.

    The views are of records that are ``well_formed``. A message that needs no repair is
    the very object given; parts keep their ``raw``.
    Findings have no line; ``message`` counts from 1 over ``messages``. Compact markers
    stay and begin a new history. Raises ``KeyError`` for an unknown format.
    """
    rules = rules_for(name)
    repaired: list[Message] = []
    findings: list[Finding] = []
    start = 0
    progress = Progress()
    for stop in range(len(messages) + 1):
        if stop < len(messages) and not messages[stop].marker:
            continue
        part = messages[start:stop]
        shapes = ((shape_of(message, rules), message) for message in part)
        planner = _planner(
            Members(list(bundled(shapes, rules))),
            progress,
            rules,
            partial(_numbered, start),
            part.__getitem__,
            end=stop == len(messages),
        )
        bench = Bench(part.__getitem__, rules)
        for step in planner.steps():
            repaired += _messages(step, part, bench)
        findings += planner.findings()
        repaired += messages[stop : stop + 1]
        progress.reset()
        start = stop + 1
    return repaired, findings


def _numbered(start: int, item: int) -> Where:
    return Where(0, start + item + 1)


def _messages(step: Step, items: Sequence[Message], bench: Bench) -> list[Message]:
    base = None if step.base is None else items[step.base]
    if base is not None and step.whole:
        return [base]
    parts = tuple(bench.parts(step))
    if not parts:
        return []
    role: Any = step.role or (base.role if base else "")
    if role == "user" and all(isinstance(part, Result) for part in parts):
        role = "tool"
    if base is None:
        return [Message(role, parts, injected=True)]
    return [replace(base, role=role, parts=parts)]


def _same_response(view: Callable[[int], Message]) -> Callable[[int, int], bool]:
    def same(one: int, other: int) -> bool:
        first = view(one).id
        return first is not None and first == view(other).id

    return same


# --- records ---


def shape_record(value: Mapping[str, Any], form: Format, place: str) -> Shape:
    """The shape of a record of ``form``, or of a provider's response among them.

    Raises ``ValueError`` for what is no message, ``BadInput`` at ``place`` for a
    response without one.
    """
    right = _set_right(value, form)
    shape = shape_of(lens(form.NAME).view(right, place), rules_for(form.NAME))
    if right is not value and shape.role:
        shape = shape._replace(has=shape.has | MALFORMED)
    if "record" in value and "role" not in value and shape.role and shape is not MARKER:
        return shape._replace(has=shape.has | ENVELOPE)
    return shape


def _set_right(value: Mapping[str, Any], form: Format) -> Mapping[str, Any]:
    """``value`` with well-formed parts; a response is its provider's."""
    return value if responses.api(value) else well_formed(value, form.NAME)


def repair_records(
    records: Iterable[tuple[Record, Mapping[str, Any]]],
    form: Format,
    report: Callable[[Finding], None],
) -> Iterator[bytes]:
    """The records of a valid history, without line ends; each finding is reported.

    ``records`` come with their parsed values. Raises ``ValueError`` where ``form``
    cannot view one, ``BadInput`` where one to be changed is nested too deep.
    """
    return repair_entries(shaped(records, form), form, report)


def check_records(
    records: Iterable[tuple[Record, Mapping[str, Any]]], form: Format
) -> Iterator[Finding]:
    """What is wrong with a history. Raises ``ValueError`` like ``repair_records``."""
    return check_entries(shaped(records, form), form)


def shaped(
    records: Iterable[tuple[Record, Mapping[str, Any]]], form: Format
) -> Iterator[Entry]:
    """Records with their shapes. Raises ``ValueError`` like ``repair_records``."""
    glance = GLANCES[form.NAME]
    for record, value in records:
        shape = glance(value) or shape_record(value, form, f"line {record.line}")
        yield shape, record


def repair_entries(
    entries: Iterable[Entry], form: Format, report: Callable[[Finding], None]
) -> Iterator[bytes]:
    """Like ``repair_records``, for records that come with their shapes."""
    rules = rules_for(form.NAME)
    for stretch, planner in _planned(entries, form, rules):
        if planner is None:
            for _, record in stretch:
                yield record.raw
            continue
        desk = _Desk(stretch, form)
        bench = Bench(desk.view, rules)
        for step in planner.steps():
            yield from desk.build(step, bench)
        for finding in planner.findings():
            report(finding)


def check_entries(entries: Iterable[Entry], form: Format) -> Iterator[Finding]:
    """Like ``check_records``, for records that come with their shapes."""
    for _, planner in _planned(entries, form, rules_for(form.NAME)):
        if planner is not None:
            for _ in planner.steps():
                pass
            yield from planner.findings()


def _planned(
    entries: Iterable[Entry], form: Format, rules: Rules
) -> Iterator[tuple[list[Entry], Parted[Record] | None]]:
    """The stretches of a history, each with its planner, or None if it is clean."""
    progress = Progress()
    number = 0
    for stretch in stretches(bundled(entries, rules), rules, progress):
        if isinstance(stretch, list):
            held = parted(stretch)
            yield held, None
        else:
            members = Members(stretch.entries)
            held = members.records
            where, view = _where(held, number), _Desk(held, form).view
            yield (
                held,
                _planner(members, progress, rules, where, view, end=stretch.end),
            )
        for shape, _ in held:
            if shape.role:
                number += 1


def _planner(
    members: Members[Any],
    progress: Progress,
    rules: Rules,
    where: Callable[[int], Where],
    view: Callable[[int], Message],
    *,
    end: bool,
) -> Parted[Any]:
    """The planner of some messages; ``where`` and ``view`` are those of records."""
    same = _same_response(lambda item: view(members.first(item)))
    planner = Planner(
        members.shapes,
        progress,
        rules,
        lambda item: where(members.first(item)),
        same,
        end=end,
    )
    return Parted(planner, members, where)


def _where(entries: list[Entry], number: int) -> Callable[[int], Where]:
    """Where a message stands, ``number`` messages being before the stretch."""
    foreign = [i for i, (shape, _) in enumerate(entries) if not shape.role]

    def where(item: int) -> Where:
        message = number + item + 1 - bisect_left(foreign, item)
        return Where(entries[item][1].line, message)

    return where


class _Desk:
    """The records of a stretch, parsed again where a plan needs them."""

    def __init__(self, entries: Sequence[Entry], form: Format) -> None:
        self._entries = entries
        self._form = form
        self._views: dict[int, tuple[dict[str, Any], Message]] = {}

    def view(self, item: int) -> Message:
        return self._open(item)[1]

    def _open(self, item: int) -> tuple[dict[str, Any], Message]:
        found = self._views.get(item)
        if found is None:
            found = self._read(self._entries[item][1])
            while len(self._views) >= limits.REPAIR_VIEWS:
                del self._views[next(iter(self._views))]
            self._views[item] = found
        return found

    def _read(self, record: Record) -> tuple[dict[str, Any], Message]:
        place = f"line {record.line}"
        try:
            value = dict(_set_right(record.mapping(exact=True), self._form))
            return value, lens(self._form.NAME).view(value, place)
        except ValueError as error:
            what = f"must be changed, but is {error}"
            raise BadInput(place=place, what=what, remedy="leave it out") from None

    def build(self, step: Step, bench: Bench) -> list[bytes]:
        """The records of one step."""
        if step.base is not None and step.whole:
            return [self._entries[step.base][1].raw]
        return [dumps(value) for value in self._values(step, bench.parts(step))]

    def _values(self, step: Step, parts: list[Part]) -> list[dict[str, Any]]:
        results = [part for part in parts if isinstance(part, Result)]
        if results and len(results) == len(parts) and self._is_made_anew(step):
            return self._form.results_records(results)
        if step.base is None:
            message = Message("user", tuple(parts), injected=True)
            return self._form.make(message, Losses())
        value, message = self._open(step.base)
        if responses.api(value) is not None and is_unknown(self._form.view(value)):
            # another API's response: nothing of it but its message can be kept
            return self._form.make(replace(message, parts=tuple(parts)), Losses())
        rebuilt = self._form.rebuild(value, parts)
        return [] if rebuilt is None else [rebuilt]

    def _is_made_anew(self, step: Step) -> bool:
        """Whether results make records of their own, not parts of an old one."""
        if step.base is None or not self._form.RESULTS_TOGETHER:
            return True
        # The record in an envelope may hold a result's id outside of the result.
        enveloped = self._entries[step.base][0].has & ENVELOPE
        return bool(enveloped) and any(
            isinstance(piece, Answer) and piece.call_id for piece in step.pieces
        )
