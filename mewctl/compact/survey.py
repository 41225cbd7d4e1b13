"""One pass over a history: what stands where, whose it is, what is new. Pure.

Everything the policy decides on but sizes; messages are looked at one by one and not
kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from mewctl import limits
from mewctl.compact import texts
from mewctl.history import boundary as boundaries
from mewctl.history.formats.blocks import is_unknown
from mewctl.history.language import detect
from mewctl.history.offloaded import BEGIN
from mewctl.history.view import Image, Result, Thinking
from mewctl.history.words import user_words

if TYPE_CHECKING:
    from mewctl.compact.options import Records
    from mewctl.compact.texts import Ending, Lang
    from mewctl.history.boundary import Boundary
    from mewctl.history.lens import Lens
    from mewctl.history.view import Message, Part, Role, Usage

_ENOUGH_WORDS = 200_000  # characters of the user's words that tell the language


class Entry(NamedTuple):
    """What is known of one record (a named tuple, for one is made of every record).

    ``role`` is None for a record that is no message. ``results``: it holds results, or
    another answer to the assistant; ``speaks``: the user speaks in it. ``continues``:
    it is more of the assistant's message before it. ``bulk``: bytes that cost tokens,
    which images and signatures do not by their size; ``flat``: tokens of its images.
    ``previews``: one of its results begins as a preview does.
    """

    role: Role | None
    results: bool = False
    speaks: bool = False
    continues: bool = False
    bulk: int = 0
    flat: int = 0
    usage: Usage | None = None
    previews: bool = False

    @property
    def begins(self) -> bool:
        """Whether a message of the assistant begins with it."""
        return self.role == "assistant" and not self.continues


@dataclass(frozen=True, slots=True)
class Survey:
    """What a history is made of. Indices are of records.

    ``systems``: records of system text at the front. ``summary``: the record of the
    last compaction's summary, -1 if there is none. ``body``: the first record after
    that and its placeholder, or after the system text. ``boundary`` is None for a
    summary without a tag.
    """

    entries: tuple[Entry, ...]
    systems: int
    summary: int
    body: int
    boundary: Boundary | None
    summary_text: str
    ending: Ending
    lang: Lang
    time: float | None

    def assistants(self, start: int) -> int:
        """How many assistant messages there are from ``start`` on."""
        part = self.entries[start:]
        cut = bool(part) and part[0].continues
        return cut + sum(entry.begins for entry in part)

    def spoken(self, start: int) -> int:
        """How many messages of the user there are from ``start`` on."""
        return sum(entry.speaks for entry in self.entries[start:])

    @property
    def is_fresh(self) -> bool:
        """Whether anything came after what the last compaction kept.

        Messages are counted: a tail may have been written anew or spilled since.
        """
        if self.boundary is None:
            return True
        more = self.assistants(self.body) - self.boundary.tail
        if more < 0 and self.body < len(self.entries):  # not the tail that was kept
            return True
        if self.ending.users < 0:
            return more > 0 or self._speaks_behind(self.boundary.tail)
        return more > 0 or self.spoken(self.body) > self.ending.users

    def _speaks_behind(self, assistants: int) -> bool:
        """Whether the user speaks behind so many assistant messages of the body."""
        left = assistants
        for entry in self.entries[self.body :]:
            if not left and entry.speaks:
                return True
            left -= entry.begins
        return False


class Surveyor:
    """Fed with the messages of a history, in order; ``result`` at the end."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._systems = 0
        self._summary = -1
        self._placeholder = False
        self._boundary: Boundary | None = None
        self._text = ""
        self._user_seen = False
        self._words: list[str] = []
        self._heard = 0
        self._time: float | None = None
        self._before: Message | None = None

    def add(self, message: Message, size: int) -> None:
        """Take the next message, whose record has ``size`` bytes."""
        at = len(self._entries)
        before, self._before = self._before, message
        if message.marker or is_unknown(message):
            self._entries.append(Entry(None))
            return
        if at == self._summary + 1 and self._summary >= 0:
            self._placeholder = boundaries.is_placeholder(message)
        entry = _entry(message, before, size)
        self._entries.append(entry)
        if message.role == "system" and self._systems == at:
            self._systems = at + 1
        elif message.role == "user" and not entry.results:
            self._add_user(at, message)
        self._time = message.time or self._time

    def _add_user(self, at: int, message: Message) -> None:
        first, self._user_seen = not self._user_seen, True
        if first and boundaries.is_summary(message):
            self._summary, self._text = at, message.text
            self._boundary = boundaries.parse(message.text)
        if self._heard < _ENOUGH_WORDS and (words := user_words(message)):
            self._words.append(words)
            self._heard += len(words)

    def result(self) -> Survey:
        """What all of them make."""
        body = self._systems
        if self._summary >= 0:
            body = self._summary + 1 + self._placeholder
        return Survey(
            entries=tuple(self._entries),
            systems=self._systems,
            summary=self._summary,
            body=body,
            boundary=self._boundary,
            summary_text=self._text,
            ending=texts.read_ending(self._text),
            lang=detect(self._words or [self._text]),
            time=self._time,
        )


def survey(records: Records, lens: Lens) -> Survey:
    """Look at every record once."""
    surveyor = Surveyor()
    for record in records:
        surveyor.add(lens.view(record.mapping()), len(record.raw))
    return surveyor.result()


def _entry(message: Message, before: Message | None, size: int) -> Entry:
    role = message.role
    results = message.item
    others = previews = False
    flat = 0
    for part in message.parts:
        kind = type(part)
        if isinstance(part, Result):
            results = True
            previews = previews or part.text.startswith(BEGIN)
        else:
            others = True
        if kind is Result or kind is Image or kind is Thinking:
            hidden, tokens = _aside(part)
            size -= hidden
            flat += tokens
    return Entry(
        role,
        results=results and role in ("tool", "user"),
        speaks=role == "user" and others,
        continues=message.continues(before),
        bulk=max(0, size),
        flat=flat,
        usage=message.usage,
        previews=previews,
    )


def _aside(part: Part) -> tuple[int, int]:
    """Bytes of a part that do not cost by their number, and tokens they cost at all."""
    if isinstance(part, Image):
        return len(part.data), limits.IMAGE_TOKENS
    if isinstance(part, Thinking):
        return len(part.signature) if part.text else 0, 0
    content = part.content if isinstance(part, Result) else ()
    images = [inner for inner in content if isinstance(inner, Image)]
    return sum(len(i.data) for i in images), len(images) * limits.IMAGE_TOKENS
