"""What fills a context: the report of ``mewctl tokens``, gathered message by message.

Memory is the biggest items and a few sums, whatever the history's length. Owns the keys
of the report; must not decide what to do about it, and must not print.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mewctl import limits
from mewctl.history import boundary
from mewctl.history.view import Call, Image, Result, Text, Thinking
from mewctl.streams.secrets import mask
from mewctl.tokens.estimator import CLASSES, NOTHING, Tokens, call_text
from mewctl.tokens.gauge import ContextEstimate, Meter

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mewctl.history.view import Message, Part
    from mewctl.tokens.calibrate import Anchor
    from mewctl.tokens.estimator import Class, Estimator, MessageTokens, PartTokens

UNKNOWN_TOOL = "(unknown)"  # of a result whose call is not there


@dataclass(frozen=True, slots=True)
class Saving:
    """What spilling would free: tokens, and how many results would leave."""

    tokens: float
    results: int

    def to_json(self) -> dict[str, int]:
        """As it stands in the report."""
        return {"frees_tokens": round(self.tokens), "results": self.results}


@dataclass(frozen=True, slots=True)
class Bounds:
    """What the context is compared with, and what else is known of it.

    ``window`` and ``threshold`` in tokens, ``max_bytes`` in bytes of the records.
    ``overhead``: system text, tools and what an agent sends unseen; an anchor holds it.
    """

    model: str | None = None
    window: int | None = None
    threshold: int | None = None
    max_bytes: int | None = None
    overhead: Tokens = NOTHING


class Tally:
    """Takes the messages of one history in order, and reports at any time.

    The usage of a compacted history's tail is no anchor: its boundary tag is heeded.
    ``each``: also keep a line about every message, whose memory grows with them.
    ``redact``: what looks like a secret is masked where an item's beginning is shown.
    """

    def __init__(
        self,
        estimator: Estimator,
        anchor: Anchor | None = None,
        *,
        biggest: int = limits.BIGGEST,
        each: bool = False,
        redact: bool = True,
    ) -> None:
        self.meter = Meter(estimator, anchor)
        self.bytes = 0
        self.model: str | None = None  # the last that a message names
        self._classes: dict[Class, float] = dict.fromkeys(CLASSES, 0.0)
        self._tools: dict[str, float] = {}
        self._names: dict[str, str] = {}  # call id -> tool, of the newest calls
        self._biggest = _Biggest(biggest)
        self._redact = redact
        self._each: list[dict[str, Any]] | None = [] if each else None
        self._freed: dict[int, Tokens] = {}  # position -> what previews took out
        self._noted = 0  # unseen overhead that a transcript's reader noted
        self._before_user = True
        self._kept = 0  # right after a summary: the assistant messages of its tail
        self._passed = 0  # messages before the last restart

    @property
    def messages(self) -> int:
        """How many messages went by."""
        return self._passed + self.meter.gauge.messages

    @property
    def beside(self) -> int:
        """Tokens that usage shows beside the messages, and that go along with them.

        The system text and tools of an old agent, which its transcript's reader noted,
        do not.
        """
        return 0 if self._noted else self.meter.gauge.unseen() or 0

    def tool_of(self, call_id: str) -> str:
        """The tool that a call was for, as far as it is remembered."""
        return self._names.get(call_id, UNKNOWN_TOOL)

    def biggest(self) -> list[dict[str, Any]]:
        """The biggest items, biggest first."""
        return self._biggest.items()

    def restart(self) -> None:
        """A boundary: what comes replaces what came. Sums and biggest items go on."""
        self._passed = self.messages
        self.meter = Meter(self.meter.estimator)
        self._freed.clear()
        self._before_user, self._kept = True, 0

    def add(self, message: Message, size: int | None = None) -> MessageTokens:
        """The next message. ``size``: bytes of its record, else those of its parts."""
        return self.add_parts(message, self.meter.estimator.parts(message), size)

    def add_parts(
        self, message: Message, parts: Sequence[PartTokens], size: int | None = None
    ) -> MessageTokens:
        """The next message, whose parts were weighed already."""
        self._heed_boundary(message)
        bodies = self.meter.estimator.offloaded(message)
        taken_out = self._taken_out(bodies)
        perhaps = NOTHING if self._noted else bodies
        found = self.meter.add_parts(message, parts, taken_out, perhaps)
        number = self.messages
        for cost in parts:
            self._classes[cost.kind] += cost.tokens.shown
            if cost.index >= 0:
                self._add_part(message.parts[cost.index], cost, number)
        if size is None:
            size = sum(cost.size for cost in parts)
        self.bytes += size
        self.model = message.model or self.model
        if message.usage is not None:
            self._noted = message.usage.unseen or self._noted
        if self._each is not None:
            line = {"message": number, "role": message.role}
            line |= {"tokens": round(found.tokens.shown), "bytes": size}
            self._each.append(line)
        return found

    def _taken_out(self, bodies: Tokens) -> Tokens:
        """What previews took out of a message since an old agent was sent it.

        That agent's usage, which its transcript's reader marks, counted the bodies.
        """
        if not self._noted or bodies == NOTHING:
            return NOTHING
        self._freed[self.meter.gauge.messages] = bodies
        return bodies

    def _heed_boundary(self, message: Message) -> None:
        kept, self._kept = self._kept, 0
        if kept and boundary.is_placeholder(message):
            self.meter.gauge.ignore_usage(kept + 1)  # itself is none of the tail
        if self._before_user and message.role == "user" and not message.results:
            self._before_user = False
            tag = boundary.find([message])
            if tag is not None:
                self._kept = tag.tail
                self.meter.gauge.ignore_usage(tag.tail)

    def _add_part(self, part: Part, cost: PartTokens, number: int) -> None:
        tool = call_id = None
        if isinstance(part, Call):
            call_id = part.id
            tool = self._names[call_id] = part.name
            if len(self._names) > limits.OPEN_CALLS:
                del self._names[next(iter(self._names))]
        elif isinstance(part, Result):
            call_id = part.call_id
            tool = self.tool_of(call_id)
        if tool is not None:
            self._tools[tool] = self._tools.get(tool, 0.0) + cost.tokens.shown
        if self._biggest.takes(cost.tokens.shown):
            item: dict[str, Any] = {"message": number, "class": cost.kind}
            if tool is not None:
                item |= {"tool": tool, "id": call_id}
            item |= {"tokens": round(cost.tokens.shown), "bytes": cost.size}
            item["head"] = head(_beginning(part, cost.kind), redact=self._redact)
            self._biggest.put(cost.tokens.shown, item)

    def report(
        self,
        bounds: Bounds,
        spill: Saving | None = None,
        age_spill: Saving | None = None,
    ) -> dict[str, Any]:
        """The report, ready for JSON; what is not known has no key."""
        size = self.meter.context(self._freed, bounds.overhead)
        report = _compared(self.meter.estimator, size, self.bytes, bounds)
        report["message_count"] = self.messages
        if size.anchor is not None:
            anchor = size.anchor
            report["anchor"] = {
                "tokens": anchor.tokens,
                "messages": anchor.messages,
                "source": anchor.source,
            }
        elif bounds.overhead.shown:
            report["overhead"] = round(bounds.overhead.shown)
        if size.pairs >= limits.CALIBRATION_PAIRS:
            report["ratio"] = round(size.ratio, 3)
        unseen = self._noted or self.meter.gauge.unseen(bounds.overhead.shown)
        if unseen is not None:
            report["unseen"] = unseen
        report["classes"] = {name: round(n) for name, n in self._classes.items()}
        tools = sorted(self._tools.items(), key=lambda item: (-item[1], item[0]))
        report["tools"] = {name: round(n) for name, n in tools}
        report["biggest"] = self.biggest()
        if self._each is not None:
            report["messages"] = self._each
        if spill is not None:
            report["spill"] = spill.to_json()
        if age_spill is not None:
            report["age_spill"] = age_spill.to_json()
        return report


class _Biggest:
    """The biggest items; of equal ones the earlier."""

    __slots__ = ("_heap", "_room", "_serial")

    def __init__(self, room: int) -> None:
        self._room = room
        self._heap: list[tuple[float, int, dict[str, Any]]] = []
        self._serial = 0

    def takes(self, tokens: float) -> bool:
        """Whether an item of this size would be among them."""
        if len(self._heap) < self._room:
            return True
        return self._room > 0 and tokens > self._heap[0][0]

    def put(self, tokens: float, item: dict[str, Any]) -> None:
        """Put an item in that ``takes`` was asked about."""
        self._serial += 1
        heapq.heappush(self._heap, (tokens, -self._serial, item))
        if len(self._heap) > self._room:
            heapq.heappop(self._heap)

    def items(self) -> list[dict[str, Any]]:
        """Biggest first."""
        return [item for *_, item in sorted(self._heap, key=lambda e: (-e[0], -e[1]))]


def text_report(
    blocks: Iterable[bytes], estimator: Estimator, bounds: Bounds
) -> dict[str, Any]:
    """The report on plain text that comes in blocks."""
    tokens, size = NOTHING, 0
    for block in blocks:
        tokens += estimator.tokens(block)
        size += len(block)
    estimate = ContextEstimate(round(tokens.shown), math.ceil(tokens.cautious), 0)
    return _compared(estimator, estimate, size, bounds)


def reasons(report: Mapping[str, Any]) -> tuple[str, ...]:
    """Why the context of ``report`` does not fit; empty if it does, or has no bounds.

    The threshold is reached by the cautious size; a limit in bytes has to be exceeded.
    """
    found = []
    if report.get("to_threshold", 1) <= 0:
        found.append(
            f"{report['cautious']} tokens reach the threshold of {report['threshold']}"
        )
    if report["bytes"] > report.get("max_bytes", math.inf):
        found.append(f"{report['bytes']} bytes exceed {report['max_bytes']}")
    return tuple(found)


def _compared(
    estimator: Estimator, size: ContextEstimate, bytes_: int, bounds: Bounds
) -> dict[str, Any]:
    report: dict[str, Any] = {
        "type": "tokens",
        "method": "estimate",
        "family": estimator.family,
        "model": bounds.model,
        "window": bounds.window,
        "threshold": bounds.threshold,
        "tokens": size.tokens,
        "cautious": size.cautious,
        "to_threshold": None,
        "bytes": bytes_,
        "max_bytes": bounds.max_bytes,
    }
    if bounds.threshold is not None:
        report["to_threshold"] = bounds.threshold - size.cautious
    return {key: value for key, value in report.items() if value is not None}


def head(text: str, *, redact: bool) -> str:
    """How ``text`` begins, in one line; what looks like a secret is masked."""
    start = text[: 4 * limits.BIGGEST_HEAD]
    shown = mask(start) if redact else start
    return " ".join(shown.split())[: limits.BIGGEST_HEAD]


def _beginning(part: Part, kind: Class) -> str:
    match part:
        case Text() | Thinking():
            return part.text
        case Image():
            return part.media_type
        case Call():
            return call_text(part).decode("utf-8", "replace")
        case Result() if kind == "images":
            return ""
        case Result():
            return part.text
        case _:
            return part.kind
