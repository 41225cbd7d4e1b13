"""One pass over a history: what stands where, how big it is, what is new. Pure.

Everything the policy decides on; messages are looked at one by one and not kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mewctl.compact.tail import Item
from mewctl.compact.texts import is_placeholder
from mewctl.history import boundary as boundaries
from mewctl.history.language import detect
from mewctl.history.words import user_words

if TYPE_CHECKING:
    from mewctl.compact.texts import Lang
    from mewctl.history.boundary import Boundary
    from mewctl.history.view import Message

_ENOUGH_WORDS = 200_000  # characters of the user's words that tell the language


@dataclass(frozen=True, slots=True)
class Survey:
    """What a history is made of. Indices are of records.

    ``systems``: records of system text at the front. ``summary``: the record of the
    last compaction's summary, -1 if there is none. ``body``: the first record after
    that and its placeholder, or after the system text. ``kept_end``: the first record
    after what the last compaction kept (by the tag's count of assistant messages).
    """

    items: tuple[Item, ...]
    systems: int
    summary: int
    body: int
    kept_end: int
    boundary: Boundary | None
    summary_text: str
    lang: Lang
    model: str
    time: float | None

    def tokens(self, start: int, end: int | None = None) -> int:
        """The tokens of the records from ``start`` on."""
        return sum(item.tokens for item in self.items[start:end])

    def assistants(self, start: int) -> int:
        """How many assistant messages there are from ``start`` on."""
        return sum(item.role == "assistant" for item in self.items[start:])

    def messages(self, start: int, end: int) -> int:
        """How many messages a range holds: a run of results is one."""
        part = self.items[start:end]
        return sum(
            not (item.results and at and part[at - 1].results)
            for at, item in enumerate(part)
        )


class Surveyor:
    """Fed with the messages of a history, in order; ``result`` at the end."""

    def __init__(self) -> None:
        self._items: list[Item] = []
        self._systems = 0
        self._summary = -1
        self._placeholder = False
        self._boundary: Boundary | None = None
        self._text = ""
        self._user_seen = False
        self._words: list[str] = []
        self._heard = 0
        self._model = ""
        self._time: float | None = None

    def is_placeholder(self, message: Message) -> bool:
        """Whether ``message``, the next one, is the placeholder after a summary."""
        return (
            self.kept_by() > 0
            and message.role == "assistant"
            and not message.calls
            and is_placeholder(message.text)
        )

    def kept_by(self) -> int:
        """Directly after the summary message: the assistant messages it kept, and 1."""
        if self._boundary is None or len(self._items) != self._summary + 1:
            return 0
        return self._boundary.tail + 1

    def add(self, message: Message, tokens: int) -> None:
        """Take the next message, of ``tokens`` tokens."""
        self._placeholder |= self.is_placeholder(message)
        at = len(self._items)
        results = bool(message.results) and message.role in ("tool", "user")
        self._items.append(Item(message.role, tokens, results=results))
        if message.role == "system" and self._systems == at:
            self._systems = at + 1
        elif message.role == "user" and not results:
            self._add_user(at, message)
        elif message.role == "assistant":
            self._model = message.model or self._model
        self._time = message.time or self._time

    def _add_user(self, at: int, message: Message) -> None:
        first, self._user_seen = not self._user_seen, True
        if first:
            self._boundary = boundaries.parse(message.text)
            if self._boundary is not None:
                self._summary, self._text = at, message.text
                return
        if self._heard < _ENOUGH_WORDS and (words := user_words(message)):
            self._words.append(words)
            self._heard += len(words)

    def result(self) -> Survey:
        """What all of them make."""
        body = self._systems
        if self._boundary is not None:
            body = self._summary + 1 + self._placeholder
        found = detect([self._text[:20_000], *self._words])
        if self._words:
            found = detect(self._words)
        return Survey(
            items=tuple(self._items),
            systems=self._systems,
            summary=self._summary,
            body=body,
            kept_end=self._kept_end(body),
            boundary=self._boundary,
            summary_text=self._text,
            lang=found,
            model=self._model,
            time=self._time,
        )

    def _kept_end(self, body: int) -> int:
        if self._boundary is None:
            return body
        left = self._boundary.tail
        for at in range(body, len(self._items)):
            item = self._items[at]
            if item.role == "assistant":
                if not left:
                    return at
                left -= 1
            elif not left and not item.results:
                return at
        return len(self._items)
