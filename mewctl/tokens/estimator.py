"""What a message costs, part by part and class by class.

Owns the prices beside text: frames, images, documents, signatures. ``summing`` prices
text, ``gauge`` adds messages up. Works on views; must not know a format.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from mewctl import limits
from mewctl.frozen import cheap
from mewctl.history.offloaded import recognise
from mewctl.history.view import Call, Image, Result, Text, Thinking
from mewctl.streams.jsonvalue import BadJSON, dumps, utf8, utf8_size
from mewctl.tokens.summing import base64_spans, price
from mewctl.tokens.weights import DEFAULT_FAMILY, Weights, Which, weights

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mewctl.history.offloaded import Known
    from mewctl.history.view import Content, Message, Role

#: Which weights to use: ``both`` costs about a third more time than one of them.
Sets: TypeAlias = Literal["centre", "cautious", "both"]
Class: TypeAlias = Literal[
    "system",
    "user",
    "assistant",
    "thinking",
    "tool_calls",
    "tool_results",
    "images",
]
CLASSES: tuple[Class, ...] = (
    "system",
    "user",
    "assistant",
    "thinking",
    "tool_calls",
    "tool_results",
    "images",
)
_ROLE_CLASS: dict[Role, Class] = {
    "system": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool_results",
}


@cheap
@dataclass(frozen=True, slots=True)
class Tokens:
    """A number of tokens twice: ``shown`` is the likely one, ``cautious`` decides.

    An estimator with one set of weights gives its number for both.
    """

    shown: float = 0.0
    cautious: float = 0.0

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(self.shown + other.shown, self.cautious + other.cautious)

    def __sub__(self, other: Tokens) -> Tokens:
        return Tokens(self.shown - other.shown, self.cautious - other.cautious)


NOTHING = Tokens()


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """Tokens by class, as shown."""

    system: float = 0.0
    user: float = 0.0
    assistant: float = 0.0
    thinking: float = 0.0
    tool_calls: float = 0.0
    tool_results: float = 0.0
    images: float = 0.0

    @property
    def total(self) -> float:
        """All of them."""
        return math.fsum(getattr(self, name) for name in CLASSES)


@dataclass(frozen=True, slots=True)
class PartTokens:
    """What one part of a message costs, and its size in bytes of UTF-8 and base64.

    ``index`` is the part's place in the message; -1 for the message's own frame. A
    result with images is two of them, one of each class.
    """

    kind: Class
    index: int
    tokens: Tokens
    size: int


@dataclass(frozen=True, slots=True)
class MessageTokens:
    """What one message costs: as a whole, and by class as shown."""

    tokens: Tokens
    classes: ClassCounts


@dataclass(frozen=True, slots=True)
class Estimator:
    """Estimates for one tokenizer family. Raises ``ValueError`` for an unknown one."""

    family: str = DEFAULT_FAMILY
    sets: Sets = "centre"
    _weights: tuple[Weights, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        names: tuple[Which, ...] = ("centre", "cautious")
        chosen = tuple(
            weights(self.family, name) for name in names if self.sets in (name, "both")
        )
        object.__setattr__(self, "_weights", chosen)

    def text(self, text: str | bytes) -> float:
        """Tokens of ``text`` by the first set: the centre's if there are both."""
        return price(text, self._weights)[0]

    def tokens(self, text: str | bytes) -> Tokens:
        """Tokens of ``text`` by each set."""
        found = price(text, self._weights)
        return Tokens(found[0], found[-1])

    def message(self, message: Message) -> ClassCounts:
        """Tokens of ``message`` by class."""
        return self.count(message).classes

    def count(self, message: Message) -> MessageTokens:
        """Tokens of ``message`` as a whole and by class."""
        return added(self.parts(message))

    def parts(self, message: Message) -> list[PartTokens]:
        """Tokens of the frame and of each part; none for a marker."""
        if message.marker:
            return []
        own = _ROLE_CLASS[message.role]
        found = [PartTokens(own, -1, _flat(limits.FRAME_TOKENS), 0)]
        for index, part in enumerate(message.parts):
            if isinstance(part, Result):
                found.extend(self._result(part, index))
            else:
                kind, tokens, size = self._part(part, own)
                found.append(PartTokens(kind, index, tokens, size))
        return found

    def offloaded(self, message: Message) -> Tokens:
        """What the bodies of a message's previews cost beyond the previews.

        By their size, as many tokens a byte as the preview has.
        """
        found = NOTHING
        for result in message.results:
            text = result.text
            known = recognise(text)
            if known is not None:
                found += self.behind(text, known)
        return found

    def behind(self, preview: str, known: Known) -> Tokens:
        """What the body of one preview costs beyond it."""
        times = known.size / utf8_size(preview) - 1
        tokens = self.tokens(preview)
        return Tokens(tokens.shown * times, tokens.cautious * times)

    def _part(
        self, part: Content | Thinking | Call, own: Class
    ) -> tuple[Class, Tokens, int]:
        match part:
            case Text():
                raw = utf8(part.text)
                return own, self.tokens(raw), len(raw)
            case Thinking():
                return "thinking", *self._thinking(part)
            case Image():
                return "images", _flat(limits.IMAGE_TOKENS), _image_size(part)
            case Call():
                raw = call_text(part)
                tokens = self.tokens(raw) + _flat(limits.BLOCK_TOKENS)
                return "tool_calls", tokens, len(raw)
            case _:
                raw = json_text(part.raw)
                return own, self._opaque(raw), len(raw)

    def _result(self, result: Result, index: int) -> Iterator[PartTokens]:
        tokens, images = _flat(limits.BLOCK_TOKENS), NOTHING
        size = image_size = 0
        for part in result.content:
            kind, cost, bytes_ = self._part(part, "tool_results")
            if kind == "images":
                images += cost
                image_size += bytes_
            else:
                tokens += cost
                size += bytes_
        yield PartTokens("tool_results", index, tokens, size)
        if images != NOTHING:
            yield PartTokens("images", index, images, image_size)

    def _thinking(self, part: Thinking) -> tuple[Tokens, int]:
        hidden = utf8_size(part.signature)
        if not part.text:
            return _flat(hidden * limits.SIGNATURE_TOKENS_PER_BYTE), hidden
        raw = utf8(part.text)
        return self.tokens(raw), len(raw) + hidden

    def _opaque(self, raw: bytes) -> Tokens:
        """The tokens of a block's JSON; its base64 costs no more than a document."""
        whole = self.tokens(raw)
        spans = base64_spans(raw)
        if not spans:
            return whole
        cost = _flat(limits.DOCUMENT_TOKENS)
        done = 0
        for start, end in (*spans, (len(raw), len(raw))):
            cost += self.tokens(raw[done:start])
            done = end
        return min(whole, cost, key=lambda tokens: tokens.shown)


def _image_size(image: Image) -> int:
    return len(image.data) + utf8_size(image.url)


def added(parts: Iterable[PartTokens]) -> MessageTokens:
    """The parts of one message added up."""
    shown = dict.fromkeys(CLASSES, 0.0)
    cautious = 0.0
    for part in parts:
        shown[part.kind] += part.tokens.shown
        cautious += part.tokens.cautious
    return MessageTokens(
        Tokens(sum(shown.values()), cautious),
        ClassCounts(**shown),
    )


def call_text(call: Call) -> bytes:
    """What a model sees of a call: its name and its input, JSON unless it is text."""
    given = call.input
    text = utf8(given) if isinstance(given, str) else json_text(given)
    return utf8(call.name) + b"\n" + text


def json_text(value: Any) -> bytes:
    """``value`` as JSON; of one nested too deep to be written, its texts."""
    try:
        return dumps(value)
    except BadJSON:
        return b"\n".join(_texts(value))


def _texts(value: Any) -> Iterator[bytes]:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting.extend(item)
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
        else:
            yield utf8(str(item))


def _flat(tokens: float) -> Tokens:
    return Tokens(tokens, tokens)
