"""Layer 2: where to cut, with how much room, and whether it helped. Pure.

``engine`` says when. An emergency gives up one thing after the other until the history
fits, or says what is in the way.
"""

from __future__ import annotations

from contextlib import suppress
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


class _NoRoom(Exception):
    """A summary's headings alone take more than there is."""


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

        In an emergency without room for a summary there, the hard limit.
        """
        options = self.bench.options
        threshold = options.numbers.threshold(options.trigger)
        least = self.look.floor + limits.SUMMARY_MIN
        if options.trigger == "emergency" and least > threshold:
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
    unit = case.look.unit
    for at in dict.fromkeys((start, unit)):
        try:
            return _compact(case, at)
        except _NoRoom:
            continue
    raise cannot_fit(case.look, case.top, "the headings of a summary alone do not fit")


def _compact(case: Case, start: int) -> Result | None:
    span = cuts.take(case.bench, start)
    form = cuts.form_tokens(case.bench, span)
    room = _room(case, span, form)
    replaced = case.look.tokens(case.look.seen.systems, start)
    most = int(replaced * limits.SUMMARY_OF_DROPPED) - form
    small = most < room.summary
    room = policy.within(room, most)
    prose = cuts.write_prose(case.bench, span, room)
    try:
        return _fitted(case, span, prose, room)
    except _NoRoom:
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
    best = _made(case, span, prose, room)
    for _ in range(limits.TARGET_TRIES):
        over = best.tokens - case.shares.target
        if over <= 0:
            break
        room = policy.within(room, room.summary - over)
        with suppress(_NoRoom):
            best = _made(case, span, prose, room)
    return best


def _made(case: Case, span: Span, prose: Prose, room: Shares) -> Result:
    try:
        cut = cuts.compose(case.bench, span, prose, room)
    except CannotFit:
        raise _NoRoom from None
    return Result(cut, case.size(cut))


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
    prose: Prose | None = None
    fits = False
    for attempt in _attempts(case):
        span, room = attempt.span, attempt.room
        prose = prose or cuts.write_prose(case.bench, span, room)
        try:
            made = _fitted(attempt.case, span, prose, room)
        except _NoRoom:
            continue
        if made.tokens <= limit:
            if made.tokens < seen.size.tokens:
                return replace(made, reduced=attempt.given_up)
            fits = True
    if fits:
        raise _no_smaller(seen, limit)
    raise cannot_fit(seen, limit, "whatever is given up, it does not fit")


def _no_smaller(seen: Look, limit: int) -> CannotFit:
    """The error of a history that is not what made the request too long."""
    return CannotFit(
        what="whatever is given up, it gets no smaller:"
        f" {seen.size.tokens} tokens by the estimate, the limit is {limit}",
        remedy="send less besides the history, or name the model's window",
    )


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One try: the cut, the room, and what was given up for it."""

    case: Case
    span: Span
    room: Shares
    given_up: tuple[str, ...] = ()


def _attempts(case: Case) -> Iterator[_Attempt]:
    """All tries, each giving up more than the one before."""
    given_up: tuple[str, ...] = ()
    if case.look.floor < case.top:
        start = tail_start(case)
        start = start if start > case.look.seen.body else case.look.unit
        for attempt in _with_less(_first(case, start)):
            given_up = attempt.given_up
            yield attempt
        for at in _later_starts(case, start):
            later = _first(case, at)
            given_up = (*attempt.given_up, "the oldest messages of the tail")
            yield replace(later, room=_words_alone(later.room), given_up=given_up)
    spilled = last_unit_spilled(case)
    if spilled is not None and spilled.look.floor < spilled.top:
        given_up = (*given_up, "the results of the last message")
        first = _first(spilled, case.look.unit)
        yield from _with_less(replace(first, given_up=given_up))


def _first(case: Case, start: int) -> _Attempt:
    span = cuts.take(case.bench, start)
    return _Attempt(case, span, _room(case, span, cuts.form_tokens(case.bench, span)))


def _with_less(first: _Attempt) -> Iterator[_Attempt]:
    """The try itself; then without the attachment, lists of facts, and all words.

    What is given up makes room for what is left.
    """
    room = first.room
    steps = (
        ((), room),
        (
            ("the recovery attachment",),
            replace(room, attachment=0, users=room.users + room.attachment),
        ),
        (("lists of facts",), _words_alone(room)),
        (
            ("the middle of the user's messages",),
            policy.within(_words_alone(room), limits.USERS_LAST_RESORT),
        ),
    )
    given_up = first.given_up
    for more, less in steps:
        given_up = (*given_up, *(name for name in more if name not in given_up))
        yield replace(first, room=less, given_up=given_up)


def _words_alone(room: Shares) -> Shares:
    return replace(room, attachment=0, users=room.summary, facts=0, prose=0)


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
