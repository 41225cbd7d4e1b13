"""Commands with their outcome, and failures with what became of them.

A command is known by its text: a later run that passes settles its failures, and the
files changed in between are what fixed it, as far as code can tell. Failed calls of
other tools are failures too, known by tool and target.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.history import excerpt
from mewctl.history.facts import CommandFact, Failure
from mewctl.history.shell_exit import without_filters, worth

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mewctl.history.facts import Later
    from mewctl.history.results import Verdict
    from mewctl.history.tools import Action

_FIXES = 8  # files that are named as the fix of one failure


class Commands:
    """Runs and failures, in the order of the last run and of the failure."""

    def __init__(
        self, commands: Sequence[CommandFact] = (), failures: Sequence[Failure] = ()
    ) -> None:
        self._commands = {fact.command: fact for fact in commands}
        self._failures = list(failures)
        self._changes: deque[tuple[int, str]] = deque(maxlen=limits.CHANGES_REMEMBERED)
        self._running: dict[str, Action] = {}
        self._unexplained: list[int] = []
        self._open = {_key(failure.tool, failure.what) for failure in failures}

    def ended(self, action: Action, verdict: Verdict, n: int) -> None:
        """A call's result stands in message ``n``."""
        if action.kind == "poll":
            self._polled(action.ref, verdict, n)
            return
        if action.kind == "run":
            self._ran(action, verdict, n, again=True)
        self._settle(action, verdict, n)

    def notified(self, ref: str, verdict: Verdict, n: int) -> None:
        """An agent says how a command that ran in the background ended."""
        self._polled(ref, verdict, n)

    def changed(self, path: str, n: int) -> None:
        """A file was changed in message ``n``."""
        self._changes.append((n, path))

    def said(self, text: str) -> None:
        """The assistant's next words: the note on the failures before them."""
        if not self._unexplained:
            return
        note = excerpt.sentences(text, limits.FACT_NOTE)
        for at in self._unexplained:
            self._failures[at] = replace(self._failures[at], note=note)
        self._unexplained.clear()

    def went_on(self) -> None:
        """The assistant called a tool, or the user spoke: no note is to be expected."""
        self._unexplained.clear()

    def commands(self) -> tuple[CommandFact, ...]:
        """The commands, by their last run."""
        return tuple(self._commands.values())

    def failures(self) -> tuple[Failure, ...]:
        """The failures, oldest first."""
        return tuple(self._failures)

    def _polled(self, ref: str, verdict: Verdict, n: int) -> None:
        action = self._running.get(ref)
        if action is None or verdict.outcome == "unknown":
            return
        del self._running[ref]
        self._ran(action, verdict, n, again=False)
        self._settle(action, verdict, n)

    def _ran(self, action: Action, verdict: Verdict, n: int, *, again: bool) -> None:
        shown = shown_command(action.command)
        before = self._commands.pop(shown, None)
        self._commands[shown] = CommandFact(
            shown,
            runs=(before.runs if before else 0) + again,
            outcome=verdict.outcome,
            exit_code=verdict.exit_code,
            last=n,
        )
        if verdict.running:
            self._running[verdict.running] = action
            if len(self._running) > limits.PENDING_CALLS:
                del self._running[next(iter(self._running))]
        if len(self._commands) > 2 * limits.FACT_COMMANDS:
            self._forget_commands()

    def _settle(self, action: Action, verdict: Verdict, n: int) -> None:
        """Tell the failures of the same call what became of it."""
        if verdict.outcome == "unknown":
            return
        failed = verdict.outcome == "failed"
        if not self._open and not failed:
            return
        what = _what(action)
        key = _key(action.tool, what)
        if key in self._open:
            later: Later = "failed" if failed else "passed"
            for at, old in enumerate(self._failures):
                if old.later != "passed" and _key(old.tool, old.what) == key:
                    self._failures[at] = self._later(old, what, later, action)
        if failed and not verdict.nothing_found:
            self._fail(action, what, verdict, n)
            self._open.add(key)

    def _later(self, old: Failure, what: str, later: Later, action: Action) -> Failure:
        if later == "failed":
            return replace(old, later=later)
        if what != old.what and worth(action.script) != "own":
            return old  # another filter may hide what this one showed
        return replace(old, later=later, fixed_by=self._changed_since(old.n))

    def _fail(self, action: Action, what: str, verdict: Verdict, n: int) -> None:
        self._forget_repetition(action, what, verdict)
        failure = Failure(what, action.tool, n, verdict.exit_code, verdict.lines)
        self._failures.append(failure)
        if len(self._failures) > 2 * limits.FACT_FAILURES:
            self._forget_failures()
        self._unexplained.append(len(self._failures) - 1)

    def _forget_repetition(self, action: Action, what: str, verdict: Verdict) -> None:
        """A call that fails with the same lines again is one failure, the newest."""
        for at in range(len(self._failures) - 1, -1, -1):
            old = self._failures[at]
            if old.what == what and old.tool == action.tool:
                if old.lines == verdict.lines and at not in self._unexplained:
                    del self._failures[at]
                    self._unexplained = [k - (k > at) for k in self._unexplained]
                return

    def _changed_since(self, n: int) -> tuple[str, ...]:
        files = dict.fromkeys(path for at, path in self._changes if at > n)
        return tuple(files)[-_FIXES:]

    def _forget_commands(self) -> None:
        """Forget the oldest commands: those that passed before those that failed."""
        spare = len(self._commands) - limits.FACT_COMMANDS
        order = sorted(self._commands.values(), key=lambda f: f.outcome != "passed")
        for fact in order[:spare]:
            del self._commands[fact.command]

    def _forget_failures(self) -> None:
        """Forget the oldest failures: the settled before the open ones."""
        spare = len(self._failures) - limits.FACT_FAILURES
        order = sorted(
            range(len(self._failures) - 1),
            key=lambda at: self._failures[at].later != "passed",
        )
        gone = set(order[:spare])
        self._failures = [f for at, f in enumerate(self._failures) if at not in gone]
        self._unexplained.clear()


def shown_command(command: str) -> str:
    """A command's text as it is listed: a long one clipped, with its length."""
    if excerpt.fits(command, limits.FACT_COMMAND):
        return command
    start = excerpt.head(command, limits.FACT_COMMAND)
    return f"{start} … (+{len(command) - len(start)} characters)"


def _what(action: Action) -> str:
    return shown_command(action.command) if action.kind == "run" else action.target


def _key(tool: str, what: str) -> tuple[str, str]:
    """By what a call is known again: its tool, and its text without filters."""
    return tool, without_filters(what)
