"""Layer 2: where to cut, with how much room, and whether it helped. Pure.

``engine`` says when. An emergency gives up one thing after the other until the history
fits, or says what is in the way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.compact import cut as cuts
from mewctl.compact import policy, tail
from mewctl.compact.look import Look, look
from mewctl.errors import CannotFit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mewctl.compact.cut import Bench, Cut, Span
    from mewctl.compact.options import Scales
    from mewctl.compact.policy import Shares
    from mewctl.providers.protocol import Prose


@dataclass(frozen=True, slots=True)
class Result:
    """A compacted history and how big it is. ``reduced``: what was given up for it."""

    cut: Cut
    after: Look
    reduced: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """A history to compact: the bench it lies on, its look, and the scales."""

    bench: Bench
    look: Look
    scales: Scales

    @property
    def threshold(self) -> int:
        """The threshold of the trigger, in tokens."""
        options = self.bench.options
        return options.numbers.threshold(options.trigger)


def cannot_fit(case_look: Look, threshold: int, why: str) -> CannotFit:
    """The error of a floor that is too high, with what it is made of."""
    fills = ", ".join(f"{name} {tokens}" for name, tokens in case_look.fills.items())
    return CannotFit(
        what=f"{why}: {case_look.floor} tokens cannot be removed ({fills}),"
        f" the threshold is {threshold}",
        remedy="use a larger window, or send less besides the history",
    )


def tail_start(case: Case) -> int:
    """Where the tail begins, by the numbers and its share of the target."""
    bench, numbers = case.bench, case.bench.options.numbers
    given = policy.shares(case.threshold, case.look.floor, numbers)
    return tail.choose(
        bench.seen.items,
        bench.seen.body,
        given.tail,
        tokens=numbers.tail_tokens,
        messages=numbers.tail_messages,
    ).start


def compact(case: Case, start: int) -> Result:
    """Cut at ``start``. The summary is kept smaller than what it replaces."""
    room = _room(case, start)
    span = cuts.take(case.bench, start)
    prose = cuts.write_prose(case.bench, span, room)
    return _made(case, span, prose, room)


def _made(case: Case, span: Span, prose: Prose, room: Shares) -> Result:
    bench = case.bench
    made = cuts.compose(bench, span, prose, room)
    scales = case.scales.anew(case.look.size)
    return Result(
        made, look(made.records, bench.lens, bench.options, scales, bench.state)
    )


def _room(case: Case, start: int) -> Shares:
    bench, seen = case.bench, case.bench.seen
    floor = min(case.look.floor, case.threshold)
    given = policy.shares(case.threshold, floor, bench.options.numbers)
    last = seen.tokens(tail.last_unit(seen.items, seen.body, len(seen.items)))
    used = max(0, seen.tokens(start) - last)
    dropped = seen.tokens(seen.systems, start)
    return policy.within(
        policy.after_tail(given, used), int(dropped * limits.SUMMARY_OF_DROPPED)
    )


# --- emergency ---


def rescue(case: Case) -> Result:
    """Make the history fit under the hard limit, whatever has to be given up.

    Raises ``CannotFit`` when nothing is left to give up.
    """
    bench = case.bench
    limit = bench.options.numbers.hard_limit
    unit = tail.last_unit(bench.seen.items, bench.seen.body, len(bench.seen.items))
    start = tail_start(case)
    if start <= bench.seen.body:
        start = unit
    if start <= bench.seen.body:
        raise cannot_fit(case.look, limit, "there is nothing before the last message")
    best = compact(case, start)
    for given_up, span, room in _steps(case, start, unit):
        if best.after.size.tokens <= limit:
            return best
        best = replace(_made(case, span, best.cut.prose, room), reduced=given_up)
    if best.after.size.tokens <= limit:
        return best
    return _last_unit_spilled(case, unit, best, limit)


def _steps(
    case: Case, start: int, unit: int
) -> Iterator[tuple[tuple[str, ...], Span, Shares]]:
    """What to give up, step by step: each with the span and the room it leaves."""
    room = _room(case, start)
    span = cuts.take(case.bench, start)
    given_up: tuple[str, ...] = ()
    for name, change in (
        ("the recovery attachment", {"attachment": 0}),
        ("lists of facts", {"facts": 0, "prose": 0}),
        ("the middle of the user's messages", {"users": limits.USERS_LAST_RESORT}),
    ):
        room = replace(room, **change)
        given_up = (*given_up, name)
        yield given_up, span, room
    items = case.bench.seen.items
    for at in range(start + 1, unit + 1):
        if not items[at].results:
            yield (
                (*given_up, "the oldest messages of the tail"),
                cuts.take(case.bench, at),
                room,
            )


def _last_unit_spilled(case: Case, unit: int, best: Result, limit: int) -> Result:
    """The last try: the results of the last message go to files as well."""
    bench = case.bench
    spilled = bench.state.spill_from(bench.records, bench.lens, unit)
    if spilled.ids:
        bench = replace(bench, records=spilled.records)
        seen = look(bench.records, bench.lens, bench.options, case.scales, bench.state)
        case = Case(replace(bench, seen=seen.seen), seen, case.scales)
        room = policy.Shares(0, 0, 0, limits.USERS_LAST_RESORT, 0, 0)
        span = cuts.take(case.bench, unit)
        best = replace(
            _made(case, span, best.cut.prose, room),
            reduced=(*best.reduced, "the results of the last message"),
        )
    if best.after.size.tokens <= limit:
        return best
    raise cannot_fit(best.after, limit, f"still {best.after.size.tokens} tokens")
