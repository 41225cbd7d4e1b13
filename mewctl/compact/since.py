"""What later commands say of a failure that was not run again by its own text. Pure.

A long command is seldom repeated word for word; its programs are. Says of each when it
last ran since, and how that ended. Must not call a failure settled: other arguments may
leave out what failed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mewctl.compact.programs import programs_in
from mewctl.history.shell import Script
from mewctl.history.shell_exit import worth

if TYPE_CHECKING:
    from collections.abc import Collection

    from mewctl.history.facts import CommandFact, Facts, Failure, Outcome

#: Programs that run a text of their own: their name says nothing of what they did.
_ANYTHING = frozenset(
    {"bash", "cd", "deno", "echo", "node", "perl", "python", "python3", "ruby", "sh"}
)


class Later(NamedTuple):
    """The last run of ``program`` since a failure: its outcome and its message."""

    program: str
    outcome: Outcome
    n: int


def _tells(fact: CommandFact, programs: Collection[str]) -> bool:
    """Whether the outcome of a command is that of each of its ``programs``."""
    if fact.outcome == "failed":
        return len(programs) == 1
    return fact.outcome == "passed" and worth(Script(fact.command)) != "lost"


class Since:
    """The last runs of all programs, to be asked about failures."""

    def __init__(self, facts: Facts) -> None:
        self._last: dict[str, Later] = {}
        for fact in sorted(facts.commands, key=lambda fact: fact.last):
            programs = set(programs_in(fact.command))
            tells = _tells(fact, programs)
            for program in programs - _ANYTHING:
                self._last.pop(program, None)
                if tells:
                    self._last[program] = Later(program, fact.outcome, fact.last)

    def runs(self, failure: Failure) -> list[Later]:
        """The last runs, after ``failure``, of the programs that it ran."""
        programs = dict.fromkeys(programs_in(failure.what))
        found = [self._last[name] for name in programs if name in self._last]
        return [later for later in found if later.n > failure.n]

    def all_passed(self, failure: Failure) -> bool:
        """Whether every program that ``failure`` ran has passed since."""
        programs = set(programs_in(failure.what)) - _ANYTHING
        passed = {run.program for run in self.runs(failure) if run.outcome == "passed"}
        return bool(programs) and programs <= passed
