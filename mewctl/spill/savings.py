"""What spilling would free, without spilling: for a report on a history. Pure.

Fed with messages in order; remembers a few numbers for each of the newest results.
"""

from __future__ import annotations

from collections import deque
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


class _Recent(NamedTuple):
    """A result worth spilling, and all that came between it and the next such one."""

    tokens: float
    failed: bool
    after: float = 0.0  # tokens of the results behind it that are not worth it

    @property
    def gain(self) -> float:
        return max(0.0, self.tokens - limits.AGE_PREVIEW_TOKENS)


class Savings:
    """Sums up what would leave."""

    def __init__(self) -> None:
        self._group: list[_Seen] = []
        self._recent: deque[_Recent] = deque()
        self._newer = 0.0  # tokens behind the first of the recent
        self._old = {False: (0.0, 0), True: (0.0, 0)}  # by failed: gain, results
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
            self._take(seen)

    def by_size(self) -> tuple[float, int]:
        """Tokens that the size limits would free, and how many results would leave."""
        self._decide()
        return self._freed, self._results

    def by_age(self, keep: float, least: float) -> tuple[float, int]:
        """The same for results older than the newest ``keep`` tokens of tool output.

        ``keep`` is at most ``limits.KEEP_RECENT``. Nothing unless they free ``least``
        tokens.
        """
        sizes = [n for item in self._recent for n in (item.tokens, item.after)]
        border = age.older_than(sizes, keep)
        old = [item for n, item in enumerate(self._recent) if 2 * n < border]
        aged = [age.Aged(gain, failed) for failed, (gain, _) in self._old.items()]
        aged += [age.Aged(item.gain, item.failed) for item in old]
        counts = [count for _, count in self._old.values()] + [1] * len(old)
        chosen = age.plan(aged, least)
        return sum(aged[n].gain for n in chosen), sum(counts[n] for n in chosen)

    def _take(self, seen: _Seen) -> None:
        """One more result. Those that are old by any measure become sums."""
        recent = self._recent
        if seen.tokens > limits.AGE_PREVIEW_TOKENS:
            self._newer += seen.tokens if recent else 0.0
            recent.append(_Recent(seen.tokens, seen.failed))
        elif recent:
            self._newer += seen.tokens
            last = recent[-1]
            recent[-1] = last._replace(after=last.after + seen.tokens)
        while recent and self._newer >= limits.KEEP_RECENT:
            first = recent.popleft()
            gain, count = self._old[first.failed]
            self._old[first.failed] = (gain + first.gain, count + 1)
            self._newer -= first.after + (recent[0].tokens if recent else 0.0)

    def _decide(self) -> None:
        items = [Item(seen.size, n) for n, seen in enumerate(self._group)]
        if items:
            choices = groups.plan(items, Limits(), lambda _: True, complete=True)
            for seen, choice in zip(self._group, choices, strict=True):
                if choice.action == "replace":
                    self._results += 1
                    self._freed += max(0.0, seen.tokens - limits.PREVIEW_TOKENS)
        self._group.clear()
