"""The model's responses in a Codex rollout, and the usage that each reported.

A response is a run of items of the model. Codex writes its usage beside it: the first
releases before its items, later ones after them or after the results of its calls. So
a usage belongs to the response that it is nearer to in time, and where time does not
tell, to the one before unless that has its own. Codex repeats the last count with each
change of a rate limit: a count whose totals have not changed is none. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

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
    _totals: tuple[int, ...] | None = None

    def item(self, time: float | None, model: str | None) -> int:
        """An item of the model came: the number of its response."""
        if not self._is_open:
            self._begin(time, model)
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
        before = self._before()
        if waiting is not None and before is not None and before.usage is None:
            before.usage = waiting.usage

    def _begin(self, time: float | None, model: str | None) -> None:
        waiting, self._waiting = self._waiting, None
        before = self._before()
        response = Response(model, stale=self.stale)
        if waiting is not None:
            gap = _between(waiting.time, time)
            unknown = gap is None or waiting.gap is None or gap == waiting.gap
            nearer = not unknown and (gap or 0) < (waiting.gap or 0)
            if before is not None and before.usage is None and not nearer:
                before.usage = waiting.usage
            elif before is None or nearer or unknown:
                response.usage = waiting.usage
        self.all.append(response)
        self._is_open = True

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
