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
from mewctl.compact.look import Scene, look_again
from mewctl.errors import CannotFit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mewctl.compact.cut import Bench, Cut, Span
    from mewctl.compact.look import Look
    from mewctl.compact.policy import Shares
    from mewctl.compact.scales import Weights
    from mewctl.providers.protocol import Prose


@dataclass(frozen=True, slots=True)
class Result:
    """A compacted history, its tokens, and what was given up for it."""

    cut: Cut
    tokens: int
    reduced: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """A history to compact: the bench it lies on, and how to weigh it."""

    bench: Bench
    weights: Weights

    @property
    def look(self) -> Look:
        """What was seen of the history."""
        return self.bench.look

    @property
    def top(self) -> int:
        """What the result has to stay under, in tokens: the threshold.

        In an emergency that cannot hold it, the hard limit.
        """
        options = self.bench.options
        threshold = options.numbers.threshold(options.trigger)
        if options.trigger == "emergency" and self.look.floor >= threshold:
            return options.numbers.hard_limit
        return threshold

    @property
    def shares(self) -> Shares:
        """The room of each part."""
        floor = min(self.look.floor, self.top)
        return policy.shares(self.top, floor, self.bench.options.numbers)

    def size(self, cut: Cut) -> int:
        """The tokens of a compacted history, with all that is beside it."""
        options = self.bench.options
        beside = options.system + options.tools + self.look.size.overhead
        return beside + sum(cut.tokens)


def cannot_fit(seen: Look, limit: int, why: str) -> CannotFit:
    """The error of a floor that is too high, with what it is made of."""
    fills = ", ".join(f"{name} {tokens}" for name, tokens in seen.fills.items())
    return CannotFit(
        what=f"{why}: {seen.floor} tokens cannot be removed ({fills}),"
        f" the limit is {limit}",
        remedy="use a larger window, or send less besides the history",
    )


def tail_start(case: Case) -> int:
    """Where the tail begins, by the numbers and its share of the target."""
    numbers = case.bench.options.numbers
    return tail.choose(
        case.look.items,
        case.look.seen.body,
        case.shares.tail,
        tokens=numbers.tail_tokens,
        messages=numbers.tail_messages,
    ).start


def compact(case: Case, start: int) -> Result | None:
    """Cut at ``start``, or later where the summary needs the room.

    None where a summary would not be smaller than what it replaces. Raises
    ``CannotFit``, and what the provider raises.
    """
    try:
        return _compact(case, start)
    except CannotFit:
        if start >= case.look.unit:
            raise
    return _compact(case, case.look.unit)


def _compact(case: Case, start: int) -> Result | None:
    span = cuts.take(case.bench, start)
    form = cuts.form_tokens(case.bench, span)
    room = _room(case, span, form)
    replaced = case.look.tokens(case.look.seen.systems, start)
    most = int(replaced * limits.SUMMARY_OF_DROPPED) - form
    small = most < room.summary
    room = policy.within(room, most)
    try:
        prose = cuts.write_prose(case.bench, span, room)
        return _fitted(case, span, prose, room)
    except CannotFit:
        if small:
            return None
        raise


def _room(case: Case, span: Span, form: int) -> Shares:
    """What summary and attachment may take, behind such a tail."""
    shares = case.shares
    last = case.look.tokens(case.look.unit)
    used = max(0, sum(span.kept.tokens) - last)
    room = policy.after_tail(shares, used)
    target = shares.target - min(case.look.floor, case.top)
    whole = min(limits.SUMMARY_MAX, target - used) - form
    return policy.within(room, whole)


def _fitted(case: Case, span: Span, prose: Prose, room: Shares) -> Result:
    """The result, made smaller where estimates of parts did not add up."""
    best: Result | None = None
    for _ in range(limits.TARGET_TRIES):
        try:
            made = cuts.compose(case.bench, span, prose, room)
        except CannotFit:
            if best is None:
                raise
            return best
        best = Result(made, case.size(made))
        over = best.tokens - case.shares.target
        if over <= 0:
            break
        room = policy.within(room, room.summary - over)
    assert best is not None  # noqa: S101 - there is at least one try
    return best


def hand_over(case: Case) -> Result:
    """A summary of everything, with no tail and no window to fit in."""
    bench = case.bench
    numbers = bench.options.numbers
    span = cuts.take(bench, case.look.end)
    shares = policy.shares(numbers.threshold("manual"), 0, numbers)
    room = policy.after_tail(shares, 0)
    if room.summary < limits.HAND_OVER_MIN:
        room = policy.scaled(room, limits.HAND_OVER_MIN)
    prose = cuts.write_prose(bench, span, room)
    made = cuts.compose(bench, span, prose, room)
    return Result(made, sum(made.tokens))


# --- emergency ---


def rescue(case: Case) -> Result:
    """Make the history fit under the hard limit, whatever has to be given up.

    Raises ``CannotFit`` when nothing is left to give up, and what the provider raises.
    """
    seen = case.look
    limit = case.bench.options.numbers.hard_limit
    if seen.unit <= seen.seen.body:
        raise cannot_fit(seen, limit, "there is nothing before the last message")
    start = tail_start(case)
    start = start if start > seen.seen.body else seen.unit
    prose: Prose | None = None
    least = seen.size.tokens
    for attempt in _attempts(case, start):
        room = attempt.room
        prose = prose or cuts.write_prose(case.bench, attempt.span, room)
        try:
            made = _fitted(attempt.case, attempt.span, prose, room)
        except CannotFit:
            continue
        least = min(least, made.tokens)
        if made.tokens <= limit and made.tokens < seen.size.tokens:
            return replace(made, reduced=attempt.given_up)
    raise cannot_fit(seen, limit, f"not below {least} tokens")


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One try: the cut, the room, and what was given up for it."""

    case: Case
    span: Span
    room: Shares
    given_up: tuple[str, ...] = ()


def _attempts(case: Case, start: int) -> Iterator[_Attempt]:
    """All tries, each giving up more than the one before."""
    span = cuts.take(case.bench, start)
    attempt = _Attempt(
        case, span, _room(case, span, cuts.form_tokens(case.bench, span))
    )
    yield attempt
    for name, change in (
        ("the recovery attachment", {"attachment": 0}),
        ("lists of facts", {"facts": 0, "prose": 0}),
        ("the middle of the user's messages", {"users": limits.USERS_LAST_RESORT}),
    ):
        attempt = replace(
            attempt,
            room=replace(attempt.room, **change),
            given_up=(*attempt.given_up, name),
        )
        yield attempt
    given_up = (*attempt.given_up, "the oldest messages of the tail")
    for at in _later_starts(case, start):
        span = cuts.take(case.bench, at)
        yield replace(attempt, span=span, given_up=given_up)
    spilled = last_unit_spilled(case)
    if spilled is not None:
        span = cuts.take(spilled.bench, case.look.unit)
        given_up = (*given_up, "the results of the last message")
        yield replace(attempt, case=spilled, span=span, given_up=given_up)


def _later_starts(case: Case, start: int) -> Iterator[int]:
    """Where the tail may begin later, from where it may help on."""
    items, unit = case.look.items, case.look.unit
    most = case.bench.options.numbers.hard_limit
    size = case.look.tokens(start)
    for at in range(start, unit):
        size -= items[at].tokens
        if not items[at + 1].follows and (size < most or at + 1 == unit):
            yield at + 1


def last_unit_spilled(case: Case) -> Case | None:
    """The case with the results of the last message in files; None if they stay."""
    bench = case.bench
    spilled = bench.state.spill_from(bench.records, bench.lens, case.look.unit)
    if not spilled.ids:
        return None
    scene = Scene(bench.lens, bench.options, case.weights, case.look.size.overhead)
    seen = look_again(case.look, bench.records, spilled.records, spilled.fresh, scene)
    return replace(
        case,
        bench=replace(bench, records=spilled.records, look=seen, spilled=spilled.ids),
    )
