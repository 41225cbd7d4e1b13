"""What a provider of prose is given and gives back. Types, and one word of chance.

A provider that asks a model finds the whole request in ``SummaryRequest.prompt`` and
gives back an ``answer``, to be judged; one that needs no model builds its prose from
``facts`` and fills ``sections``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from os import urandom
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mewctl.compact.texts import Lang
    from mewctl.history.facts import Facts
    from mewctl.history.view import Message, Usage

#: Why an answer ended: by itself, at max_tokens, refused, or the provider did not say.
Stop: TypeAlias = Literal["end", "length", "refusal", "unknown"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes in tokens: ``prose`` of all sections together, ``answer`` of one answer."""

    prose: float
    answer: int


@dataclass(frozen=True, slots=True)
class Prompt:
    """A request to a model: fixed instructions, and the span as data.

    ``delimiter`` is the word around the data, which no answer has a reason to hold.
    """

    system: str
    user: str
    delimiter: str = ""


@dataclass(frozen=True, slots=True)
class SummaryRequest:
    """What prose is wanted for.

    ``messages`` are the dropped messages, oldest first, perhaps an iterator that can be
    read once. ``previous`` is the prose of the last compaction by section number, and
    ``previous_by`` who wrote it. ``focus`` is what the user asked to keep in sight.
    ``estimate`` gives the tokens of a text. ``deadline`` is a moment of the monotonic
    clock in seconds, None for no limit.
    """

    facts: Facts
    lang: Lang
    limits: Limits
    estimate: Callable[[str], float]
    messages: Iterable[Message] = ()
    previous: Mapping[int, str] = field(default_factory=dict)
    previous_by: str = ""
    focus: str = ""
    prompt: Prompt | None = None
    deadline: float | None = None


@dataclass(frozen=True, slots=True)
class Prose:
    """What a provider wrote: section number (1-9) to text.

    ``answer`` is a model's whole answer before it was split into sections, for a gate.
    ``usage`` is what the request itself cost; it is never an anchor of the history.
    ``dropped`` and ``marked`` are what the gate took out of the answer or doubts,
    ``unseen`` what the model was not shown.
    """

    sections: Mapping[int, str] = field(default_factory=dict)
    provider: str = ""
    model: str = ""
    usage: Usage | None = None
    stop: Stop = "end"
    answer: str = ""
    request_id: str = ""
    dropped: tuple[str, ...] = ()
    marked: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()


def random_word() -> str:
    """64 bits of chance as 16 hex digits: nobody who wrote a transcript knew them."""
    return urandom(8).hex()


class Provider(Protocol):
    """Who writes prose.

    Raises ``ProviderRefused`` (its answer cannot be used), ``ProviderUnavailable`` (try
    later), ``CredentialsError``, or ``CannotFit`` (the request is too long for it).
    """

    @property
    def name(self) -> str:
        """As ``--provider`` spells it."""

    @property
    def is_model(self) -> bool:
        """Whether it is asked by ``SummaryRequest.prompt`` and answers in free text."""

    @property
    def window(self) -> int:
        """Tokens that a request to it may hold with its answer; 0 where unknown."""

    def delimiter(self) -> str:
        """A random word, to stand around the data of one request."""

    def write(self, request: SummaryRequest) -> Prose:
        """Prose for the sections, as many as there is something to say about."""
