"""Which sessions stay and which go: a policy as a value, applied. Pure.

Keep rules are or-ed: one that matches is enough. What is protected beats the size, the
size beats the keep rules. Each decision has its reasons.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import gmtime

from mewctl import limits
from mewctl.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Subject:
    """A session to be judged. Times in Unix seconds, ``size`` in bytes.

    ``active``: its last activity. ``born``: when it was made, None where not known.
    ``problem``: why it cannot be read, "" where it can.
    """

    id: str
    active: float
    size: int = 0
    born: float | None = None
    pinned: bool = False
    locked: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules. None: not given. Ages in seconds, sizes in bytes.

    ``older_than`` keeps what is younger; where no rule at all is given it is
    ``limits.CLEAN_OLDER``. ``max_total`` is no keep rule.
    """

    older_than: float | None = None
    keep_last: int | None = None
    keep_within: float | None = None
    keep_daily: int | None = None
    max_total: int | None = None
    min_age: float = limits.CLEAN_MIN_AGE

    def settled(self) -> Policy:
        """The policy that counts: the default one where no rule is given.

        Raises ``ConfigError`` for rules that contradict each other.
        """
        rules = (self.older_than, self.keep_last, self.keep_within, self.keep_daily)
        if self.older_than is not None and self.older_than < self.min_age:
            raise ConfigError(
                place="--older-than",
                what=f"{age(self.older_than)} contradicts --min-age "
                f"{age(self.min_age)}: nothing younger than that may go",
                remedy="nothing was removed; change one of them",
            )
        if all(rule is None for rule in (*rules, self.max_total)):
            return Policy(older_than=limits.CLEAN_OLDER, min_age=self.min_age)
        return self


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a session, and by which rules."""

    subject: Subject
    keep: bool
    reasons: tuple[str, ...]


def apply(
    subjects: Sequence[Subject], policy: Policy, now: float
) -> tuple[Decision, ...]:
    """A decision for each session, the newest first. ``policy`` is settled."""
    ordered = sorted(subjects, key=lambda s: (-s.active, s.id))
    keeps = [_keeper(rule, ordered, now) for rule in _rules(policy)]
    only_size = not keeps
    decisions: list[Decision] = []
    for subject in ordered:
        shields = _protected(subject, policy, now)
        reasons = shields or tuple(r for k in keeps if (r := k(subject)))
        if only_size and not reasons:
            reasons = ("within --max-total-size",)
        decisions.append(
            Decision(subject, bool(reasons), reasons or _why_not(policy, subject, now))
        )
    return _within_size(decisions, policy, now)


# --- protection ---


def _protected(subject: Subject, policy: Policy, now: float) -> tuple[str, ...]:
    shields = (
        ("pinned", subject.pinned),
        ("locked: in use", subject.locked),
        (f"damaged: {subject.problem}", bool(subject.problem)),
        ("its last activity is in the future", _is_future(subject.active, now)),
        ("made after this run began", subject.born is not None and subject.born > now),
        (
            f"younger than --min-age {age(policy.min_age)}",
            now - subject.active < policy.min_age,
        ),
    )
    return tuple(words for words, holds in shields if holds)


def _is_future(time: float, now: float) -> bool:
    return time > now + limits.CLOCK_SLACK


# --- keep rules ---

_Keep = Callable[[Subject], str]


def _rules(policy: Policy) -> list[tuple[str, float]]:
    named = (
        ("last", policy.keep_last),
        ("within", policy.keep_within),
        ("daily", policy.keep_daily),
        ("older", policy.older_than),
    )
    return [(name, value) for name, value in named if value is not None]


def _keeper(rule: tuple[str, float], ordered: Sequence[Subject], now: float) -> _Keep:
    """What a rule says to a session: its reason to keep it, or nothing."""
    name, value = rule
    if name == "last":
        newest = {s.id: at for at, s in enumerate(ordered[: int(value)], 1)}
        return lambda s: (
            f"--keep-last {value:g}: number {newest[s.id]}" if s.id in newest else ""
        )
    if name == "daily":
        days = _newest_of_days(ordered, int(value))
        return lambda s: (
            f"--keep-daily {value:g}: the newest of {days[s.id]}"
            if s.id in days
            else ""
        )
    flag = "--keep-within" if name == "within" else "--older-than"
    words = f"{flag} {age(value)}: it is younger"
    return lambda s: words if now - s.active < value else ""


def _newest_of_days(ordered: Sequence[Subject], count: int) -> dict[str, str]:
    """The newest session of each of the newest days (UTC) that have one."""
    days: dict[str, str] = {}
    for subject in ordered:
        day = _day(subject.active)
        if day not in days.values():
            if len(days) == count:
                break
            days[subject.id] = day
    return days


def _day(time: float) -> str:
    try:
        year, month, day = gmtime(time)[:3]
    except (ValueError, OverflowError, OSError):
        return "a day that no calendar has"
    return f"{year:04}-{month:02}-{day:02}"


def _why_not(policy: Policy, subject: Subject, now: float) -> tuple[str, ...]:
    old = f"last active {age(now - subject.active)} ago"
    if _rules(policy) == [("older", policy.older_than)]:
        return (f"--older-than {age(policy.older_than or 0)}: {old}",)
    return (f"no keep rule matches: {old}",)


# --- size ---


def _within_size(
    decisions: Sequence[Decision], policy: Policy, now: float
) -> tuple[Decision, ...]:
    """The same, with the oldest unprotected ones removed until the rest fits."""
    most = policy.max_total
    if most is None:
        return tuple(decisions)
    total = sum(d.subject.size for d in decisions if d.keep)
    made: list[Decision] = []
    for found in reversed(decisions):
        decision = found
        shielded = bool(_protected(found.subject, policy, now))
        if found.keep and total > most and not shielded:
            total -= found.subject.size
            why = f"--max-total-size: what is kept is over {most} bytes"
            decision = Decision(found.subject, keep=False, reasons=(why,))
        made.append(decision)
    return tuple(reversed(made))


def age(seconds: float) -> str:
    """A length of time as rules spell it: ``30d``, ``12h``."""
    for unit, size in (("d", 86_400), ("h", 3_600)):
        if seconds >= size:
            return f"{seconds / size:.0f}{unit}"
    return f"{max(0, seconds) / 60:.0f}min"
