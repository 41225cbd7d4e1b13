"""The model's responses in a Codex rollout, and the usage that each reported.

A response is a run of items of the model. Codex writes its usage beside it: the first
releases before its items, later ones after them or after the results of its calls. The
model takes its time, so a usage belongs to the response that it is clearly nearer to;
where time does not tell (a fork is written at once), to the side that it was on before.
Codex repeats the last count with each change of a rate limit: a count whose totals have
not changed is none. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from mewctl import limits
from mewctl.history.usage import normalise
from mewctl.history.view import Usage
from mewctl.transcripts.telling import as_object

if TYPE_CHECKING:
    from collections.abc import Mapping

_COUNTS = (
    "input_tokens",
    "cached_input_tokens",
    "cache_write_input_tokens",
    "output_tokens",
)


@dataclass(slots=True)
class Response:
    """One response. ``stale``: its usage counts a context that is not told."""

    model: str | None = None
    cwd: str | None = None
    usage: Usage | None = None
    stale: bool = False


class _Count(NamedTuple):
    """A usage whose response is not known yet. ``gap``: seconds since what was last."""

    usage: Usage
    time: float | None
    gap: float | None


@dataclass(slots=True)
class Responses:
    """All responses in order. ``stale``: what those that come will be."""

    all: list[Response] = field(default_factory=list)
    stale: bool = False
    _is_open: bool = False
    _first: int = 0  # responses before it are none that a usage can belong to
    _last: float | None = None  # time of the last item
    _waiting: _Count | None = None
    _leads: bool | None = None  # whether counts stand before their responses
    _totals: tuple[int, ...] | None = None

    def item(self, time: float | None, response: Response) -> int:
        """An item of the model came: the number of its response.

        That is ``response``, if it is the first item of one.
        """
        if not self._is_open:
            self._begin(time, response)
        self._last = time
        return len(self.all) - 1

    def end(self, time: float | None = None) -> None:
        """Something else came: the next item is of another response."""
        self._is_open = False
        if time is not None:
            self._last = time

    def cut(self) -> None:
        """The context was replaced: a usage that comes is of no response so far."""
        self.settle()
        self.end()
        self._first = len(self.all)

    def count(self, info: object, time: float | None) -> None:
        """A count of tokens came."""
        usage = self._new_usage(as_object(info))
        if usage is None:
            return
        self.settle()
        self._waiting = _Count(usage, time, _between(self._last, time))
        self._is_open = False

    def settle(self) -> None:
        """No response follows the count that waits: it belongs to the one before."""
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self._give_back(waiting)

    def _begin(self, time: float | None, response: Response) -> None:
        waiting, self._waiting = self._waiting, None
        response.stale = self.stale
        if waiting is not None:
            if self._is_leading(waiting, time):
                response.usage = waiting.usage
            else:
                self._give_back(waiting)
        self.all.append(response)
        self._is_open = True

    def _is_leading(self, count: _Count, time: float | None) -> bool:
        """Whether a count belongs to the response that begins at ``time``."""
        gap = _between(count.time, time)
        known = gap is not None and count.gap is not None
        apart = (count.gap or 0) - (gap or 0)
        if known and abs(apart) >= limits.USAGE_NEARER:
            self._leads = apart > 0
        if self._leads is None:
            self._leads = not self.all
        return self._leads

    def _give_back(self, count: _Count) -> None:
        """A count belongs to the response before, unless that has its own."""
        before = self._before()
        if before is not None and before.usage is None:
            before.usage = count.usage

    def _before(self) -> Response | None:
        return self.all[-1] if len(self.all) > self._first else None

    def _new_usage(self, info: Mapping[str, Any]) -> Usage | None:
        """The usage of a count that is not a repetition."""
        last, total = info.get("last_token_usage"), info.get("total_token_usage")
        before = self._totals
        if isinstance(total, dict):
            whole = normalise(total) or Usage()
            self._totals = (
                whole.input + whole.cache_read + whole.cache_write,
                whole.cache_read,
                whole.cache_write,
                whole.output,
            )
            if self._totals == before:
                return None
        if isinstance(last, dict):
            return normalise(last)
        if self._totals is None or not isinstance(total, dict):
            return None
        grown = [
            now - then
            for now, then in zip(self._totals, before or (0, 0, 0, 0), strict=True)
        ]
        return normalise(dict(zip(_COUNTS, grown, strict=True)))


def _between(first: float | None, second: float | None) -> float | None:
    """Seconds from ``first`` to ``second``; None where one of them is not known."""
    return None if first is None or second is None else second - first
