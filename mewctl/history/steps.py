"""What a plan of repair is made of: the messages of the repaired history, in pieces.

Plain values. Must not decide anything.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from mewctl.history.pairing import Ids, Place


class Where(NamedTuple):
    """Where a message of a plan stands, for people.

    ``line`` of the input counts from 1 (0: none), ``message`` from 1 over the history.
    """

    line: int
    message: int


@dataclass(frozen=True, slots=True)
class Own:
    """What the ``item``-th message says itself: all but its results.

    ``thinking``: with its thinking. ``renamed``: new ids, by the place of the call.
    ``reminder``: as text that is not the user's.
    """

    item: int
    thinking: bool = True
    renamed: tuple[tuple[int, str], ...] = ()
    reminder: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """A result as it is; ``call_id`` if its call has a new id."""

    result: Place
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class Absent:
    """The error result that says that ``call`` has no recorded result."""

    call: Place
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """Text that stands for what is not there."""

    text: str


Piece: TypeAlias = Own | Answer | Absent | Words


@dataclass(frozen=True, slots=True)
class Step:
    """One message of the repaired history.

    ``base`` is the item whose record it is built upon (None: a new record), ``whole``
    says that this record stays as it is. ``role`` is "" for what is no message.
    ``thinking_first``: its thinking, of one of several responses, comes first.
    """

    role: str
    pieces: tuple[Piece, ...]
    base: int | None
    whole: bool = False
    thinking_first: bool = False


@dataclass(slots=True)
class Progress:
    """What of a history must be remembered from one stretch to the next."""

    started: bool = False  # something other than system text was seen
    thinking_broken: bool = False  # this tool loop has lost thinking
    ids: Ids = field(default_factory=Ids)

    def reset(self) -> None:
        """Begin a new history."""
        self.started = self.thinking_broken = False
        self.ids = Ids()
