"""What spilling would free, without spilling: for a report on a history. Pure.

Fed with messages in order; remembers a few numbers for each result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mewctl import limits
from mewctl.history.offloaded import recognise
from mewctl.spill import age, groups
from mewctl.spill.groups import Item, Limits
from mewctl.streams.jsonvalue import utf8_size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mewctl.history.view import Message


class _Seen(NamedTuple):
    size: int  # bytes
    tokens: float
    failed: bool


class Savings:
    """Sums up what would leave."""

    def __init__(self) -> None:
        self._group: list[_Seen] = []
        self._all: list[_Seen] = []
        self._freed = 0.0
        self._results = 0

    def add(self, message: Message, tokens: Sequence[float]) -> None:
        """The next message, with the tokens of each of its results' texts.

        Results that follow one another are one group.
        """
        results = message.results
        if not results or message.role == "assistant":
            self._decide()
            return
        for result, cost in zip(results, tokens, strict=True):
            text = result.text
            if recognise(text):
                continue
            seen = _Seen(utf8_size(text), cost, result.is_error)
            self._group.append(seen)
            self._all.append(seen)

    def by_size(self) -> tuple[float, int]:
        """Tokens that the size limits would free, and how many results would leave."""
        self._decide()
        return self._freed, self._results

    def by_age(self, keep: float, least: float) -> tuple[float, int]:
        """The same for results older than the newest ``keep`` tokens of tool output.

        Nothing unless they free ``least`` tokens.
        """
        old = self._all[: age.older_than([seen.tokens for seen in self._all], keep)]
        aged = [
            age.Aged(max(0.0, seen.tokens - limits.AGE_PREVIEW_TOKENS), seen.failed)
            for seen in old
        ]
        chosen = age.plan(aged, least)
        return sum(aged[n].gain for n in chosen), len(chosen)

    def _decide(self) -> None:
        items = [Item(seen.size, n) for n, seen in enumerate(self._group)]
        if items:
            choices = groups.plan(items, Limits(), lambda _: True, complete=True)
            for seen, choice in zip(self._group, choices, strict=True):
                if choice.action == "replace":
                    self._results += 1
                    self._freed += max(0.0, seen.tokens - limits.PREVIEW_TOKENS)
        self._group.clear()
