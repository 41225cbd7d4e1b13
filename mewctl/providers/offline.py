"""Prose without a model: extracts of the record, quoted with their message numbers.

Deterministic; opens nothing, asks nobody. Owns which sentences are worth keeping in
which section and the few words around them. Says nothing that is not in the facts.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.compact.extracts import explains, questions, sentences
from mewctl.compact.items import is_changed
from mewctl.compact.programs import (
    commit_message,
    language_of,
    only_looks,
    programs_in,
)
from mewctl.compact.quote import clip, moment, neutralise
from mewctl.compact.since import Since
from mewctl.compact.summary_read import PROSE_BY
from mewctl.providers.offline_words import LABELS
from mewctl.providers.protocol import Prose
from mewctl.providers.quotes import Picker, Quote, gather, quoted_before

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mewctl.history.facts import Facts
    from mewctl.providers.protocol import SummaryRequest

NAME = "offline"

_NAMED = re.compile(r"`([^`\s]{3,60})`")


class Offline:
    """The provider that is always there."""

    name = NAME
    is_model = False
    window = 0

    def delimiter(self) -> str:
        """Nothing: nobody is asked."""
        return ""

    def write(self, request: SummaryRequest) -> Prose:
        """Extracts for each section that has any, within ``request.limits.prose``."""
        writer = _Writer(request)
        sections = {number: text for number, text in writer.sections().items() if text}
        return Prose(sections=sections, provider=NAME)


class _Writer:
    """One request being answered."""

    def __init__(self, request: SummaryRequest) -> None:
        self.request = request
        self.facts = request.facts
        self.labels = LABELS[request.lang]
        self.focus = tuple(re.findall(r"\w{3,}", request.focus.casefold()))
        self.quotes = gather(self.facts, self.focus)
        printed = _printed_as_facts(self.facts)
        self.picker = Picker(self._quoted, self._cost, printed)

    def sections(self) -> dict[int, str]:
        """The prose of all sections. The most wanted choose their sentences first."""
        makers: tuple[tuple[int, Callable[[float], Iterable[str]]], ...] = (
            (8, self._last_turn),
            (3, self._files),
            (5, self._reasons),
            (1, self._requests),
            (4, self._failures),
            (2, self._concepts),
            (6, self._times),
            (7, self._todos),
            (8, self._exchanges),
        )
        made: dict[int, list[str]] = {}
        spare = 0.0
        for number, make in makers:
            share = 0.0 if number in made else limits.PROSE_SHARES[number]
            room = self.request.limits.prose * share + spare
            earlier = () if number in made else self._earlier(number)
            lines = self._fitting(chain(make(room), earlier), room)
            made.setdefault(number, []).extend(lines)
            spare = room - self._cost(*lines)
        return {number: neutralise("\n".join(made[number])) for number in sorted(made)}

    def _quoted(self, quote: Quote) -> str:
        text = clip(quote.text, limits.QUOTE)
        return self.labels.quote.format(text, quote.n)

    def _cost(self, *lines: str) -> float:
        return sum(self.request.estimate(line + "\n") for line in lines)

    def _fitting(self, lines: Iterable[str], room: float) -> list[str]:
        found: list[str] = []
        for line in map(neutralise, lines):  # escapes cost, too
            room -= self._cost(line)
            if room < 0:
                break
            found.append(line)
        return found

    def _older(self, section: int) -> Iterator[Quote]:
        """Quotes of the last prose whose messages are no longer at hand."""
        oldest = self.facts.said[0].n if self.facts.said else float("inf")
        text = self.request.previous.get(section, "")
        return quoted_before(text, oldest, self.focus)

    # --- sections ---

    def _last_turn(self, room: float) -> Iterator[str]:
        """What the assistant said since the newest message of the user."""
        users = self.facts.users
        start = users[-1].n if users else 0
        asked = _short(users[-1].text, limits.SUMMARY_LINE) if users else ""
        head = self.labels.since.format(asked, start) if users else ""
        now = [quote for quote in self.quotes if quote.n > start]
        yield from _under(head, self.picker.pick(now, room - self._cost(head), 0.25))

    def _exchanges(self, room: float) -> Iterator[str]:
        """What was asked and said before that, the newest in most detail."""
        users = self.facts.users
        turns: list[list[str]] = []
        room -= self._cost(self.labels.before)
        for user, following in list(pairwise(users))[::-1]:
            asked = _short(user.text, limits.SUMMARY_LINE)
            head = self.labels.asked.format(asked, user.n)
            said = [q for q in self.quotes if user.n < q.n < following.n]
            lines = self.picker.pick(said, room / 2 - self._cost(head), 0.5)
            turns.append(list(_under(head, lines)))
            room -= self._cost(*turns[-1])
            if len(turns) == limits.EXCHANGES:
                break
        lines = [line for turn in reversed(turns) for line in turn]
        yield from _under(self.labels.before, lines)

    def _reasons(self, room: float) -> Iterator[str]:
        commits = self._fitting(self._commits(), room * 0.6)
        yield from commits
        telling = [q for q in self.quotes if q.account or explains(q.text)]
        head = self.labels.reasons
        rest = room - self._cost(*commits, head)
        lines = self.picker.pick([*self._older(5), *telling], rest, 0.5)
        yield from _under(head, lines)

    def _commits(self) -> Iterator[str]:
        """The subjects of commits, which say in a line what was done and why."""
        subjects = [
            (fact.last, commit_message(fact.command))
            for fact in self.facts.commands
            if fact.outcome != "failed"
        ]
        once = {text: n for n, text in sorted(subjects) if text}
        newest = list(once.items())[-limits.COMMITS :]
        lines = [self._quoted(Quote(n, text, 0, 0)) for text, n in newest]
        yield from _under(self.labels.commits, lines)

    def _files(self, room: float) -> Iterator[str]:
        changed = [fact for fact in self.facts.files if is_changed(fact)]
        names = {fact.path.replace("\\", "/").rpartition("/")[2] for fact in changed}
        about = [
            quote
            for quote in self.quotes
            if any(name in quote.text for name in names if name)
        ]
        lines = self.picker.pick([*self._older(3), *about], room * 0.9, 1.0)
        yield from _under(self.labels.changed.format(len(changed)), lines)

    def _requests(self, _room: float) -> Iterator[str]:
        users, labels = self.facts.users, self.labels
        if users:
            first = _short(users[0].text, limits.SUMMARY_LINE)
            yield labels.first.format(first, users[0].n)
        if len(users) > 1:
            newest = users[-1]
            text = _short(newest.text, limits.SUMMARY_LINE)
            yield labels.newest.format(text, newest.n)
            answered = self._said_before(newest.n)
            if answered:
                text = clip(answered.text, limits.QUOTE)
                yield labels.after.format(text, answered.n)
        if self.request.focus:
            yield labels.focus.format(_short(self.request.focus))

    def _said_before(self, n: int) -> Quote | None:
        """What message ``n`` of the user may answer: a question, else a claim."""
        before = [quote for quote in self.quotes if quote.n < n]
        last = [quote for quote in before if quote.n == before[-1].n]
        asked = [quote for quote in last if questions(quote.text)]
        best = max(last, key=lambda quote: quote.worth, default=None)
        return asked[-1] if asked else best

    def _failures(self, _room: float) -> Iterator[str]:
        failures, labels = self.facts.failures, self.labels
        if not failures:
            return
        passed = sum(failure.later == "passed" for failure in failures)
        yield labels.failures.format(passed, len(failures))
        since = Since(self.facts)
        open_ones = dict.fromkeys(
            f"`{_short(failure.what, 80)}`"
            for failure in reversed(failures)
            if failure.later != "passed"
            and not only_looks(failure.what)
            and not since.all_passed(failure)
        )
        if open_ones:
            yield labels.unsolved.format(labels.comma.join(list(open_ones)[:5]))

    def _concepts(self, _room: float) -> Iterator[str]:
        labels, facts = self.labels, self.facts
        languages = Counter(
            filter(None, (language_of(fact.path) for fact in facts.files))
        )
        runs: Counter[str] = Counter()
        for fact in facts.commands:
            for program in dict.fromkeys(programs_in(fact.command)):
                runs[program] += fact.runs
        texts = [said.text for said in facts.said]
        texts += [user.text for user in facts.users]
        names = Counter(
            name for text in texts for name in dict.fromkeys(_NAMED.findall(text))
        )
        for label, counts, least in (
            (labels.languages, languages, 1),
            (labels.programs, runs, 1),
            (labels.names, names, 2),
        ):
            top = [
                f"{name} ({count})"
                for name, count in counts.most_common(limits.CONCEPTS)
                if count >= least
            ]
            if top:
                yield label.format(labels.comma.join(top))

    def _times(self, _room: float) -> Iterator[str]:
        users = self.facts.users
        times = [moment(user.time) for user in users if user.time is not None]
        if len(times) > 1:
            yield self.labels.times.format(len(users), times[0], times[-1])

    def _todos(self, _room: float) -> Iterator[str]:
        todos = self.facts.todos
        if todos:
            done = sum(todo.state == "done" for todo in todos)
            yield self.labels.todos.format(done, len(todos), len(todos) - done)

    def _earlier(self, section: int) -> Iterator[str]:
        """Prose that another provider wrote before; it cannot be made anew."""
        text = self.request.previous.get(section, "")
        by = self.request.previous_by or str(self.facts.extra.get(PROSE_BY, NAME))
        if not text or section > 5:  # noqa: PLR2004 - state of the moment from there on
            return
        if by.partition(",")[0] != NAME:
            yield self.labels.earlier.format(by)
            yield from text.split("\n")
            return
        lines = text.split("\n")
        starts = [labels.earlier.partition("{}")[0] for labels in LABELS.values()]
        for at, line in enumerate(lines):
            if line.startswith(tuple(starts)):
                yield from lines[at:]
                return


def _under(head: str, lines: Sequence[str]) -> Iterator[str]:
    """The lines, the first with ``head`` above it; nothing where there are none."""
    for place, line in enumerate(lines):
        yield f"{head}\n{line}" if head and place == 0 else line


def _short(text: str, size: int = limits.QUOTE) -> str:
    return clip(" ".join(text.split()), size)


def _printed_as_facts(facts: Facts) -> Iterator[str]:
    """Sentences that stand in the summary anyway, as facts."""
    yield from sentences(facts.last_text)
    for fact in facts.files:
        yield from sentences(fact.why)
    for failure in facts.failures:
        yield from sentences(failure.note)
