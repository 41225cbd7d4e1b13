"""The assistant's sentences, weighed, and the choice among them. Pure.

Owns what a sentence is worth beside others: what ends a turn, what is newer, and the
fullest account of the work go first. Must not word anything.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.compact.extracts import sentences, worth

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mewctl.history.facts import Facts

_OLD = re.compile(r"- “(.*)” ?[(（](?:message|消息) (\d{1,9})[)）]")


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence of message ``n``, what it is worth, and its rank among all others.

    ``account``: it is of the fullest account of the work.
    """

    n: int
    text: str
    worth: float
    rank: float
    account: bool = False


def gather(facts: Facts, focus: Sequence[str]) -> list[Quote]:
    """All sentences of ``facts.said``, in order, each once and where it is newest."""
    asked = [user.n for user in facts.users]
    newest = max((said.n for said in facts.said), default=0) or 1
    says: Counter[int] = Counter()  # hundredths of worth in the ends of turns
    found: list[Quote] = []
    for said, following in zip_longest(facts.said, facts.said[1:]):
        until = following.n if following else float("inf")
        answer = bisect_right(asked, said.n)
        final = not following or (answer < len(asked) and asked[answer] <= until)
        more = limits.LATER_WORTH * said.n / newest + limits.FINAL_WORTH * final
        for text in sentences(said.text):
            value = worth(text, focus)
            found.append(Quote(said.n, text, value, value + more))
            says[said.n] += final * round(100 * max(0.0, value - 1))
    newest_of = {quote.text: place for place, quote in enumerate(found)}
    once = [found[place] for place in sorted(newest_of.values())]
    fullest = max(says, key=lambda n: (says[n], n), default=0)
    more = limits.ACCOUNT_WORTH
    return [
        replace(quote, rank=quote.rank + more, account=True)
        if quote.n == fullest and says[fullest]
        else quote
        for quote in once
    ]


def quoted_before(prose: str, before: float, focus: Sequence[str]) -> Iterator[Quote]:
    """The quotes in earlier prose of messages before ``before``, now gone."""
    for line in prose.split("\n"):
        found = _OLD.fullmatch(line)
        if found and int(found.group(2)) < before:
            text = found.group(1)
            value = worth(text, focus)
            yield Quote(int(found.group(2)), text, value, value)


class Picker:
    """Chooses sentences that fit; no sentence is chosen twice.

    ``spell`` makes the line of a quote, ``cost`` gives the tokens of a line.
    """

    def __init__(
        self,
        spell: Callable[[Quote], str],
        cost: Callable[[str], float],
        used: Iterable[str],
    ) -> None:
        self._spell = spell
        self._cost = cost
        self._used = set(used)

    def pick(self, quotes: Iterable[Quote], room: float, floor: float) -> list[str]:
        """Lines of the most telling sentences within ``room`` tokens, in their order.

        ``floor``: what a sentence must be worth.
        """
        fresh = [q for q in quotes if q.text not in self._used and q.worth >= floor]
        by_worth = sorted(
            range(len(fresh)), key=lambda at: (-fresh[at].rank, -fresh[at].n)
        )
        chosen: dict[int, str] = {}
        for at in by_worth:
            line = self._spell(fresh[at])
            size = self._cost(line)
            if size <= room:
                chosen[at] = line
                room -= size
                self._used.add(fresh[at].text)
        return [line for _, line in sorted(chosen.items())]
