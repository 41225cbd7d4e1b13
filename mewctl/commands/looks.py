"""Ways to look at the records of a history while it is read.

A command that shows or weighs messages asks for views; one that keeps records for later
has them checked. Must not read anything.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from mewctl.history.formats import load
from mewctl.history.glance import GLANCES
from mewctl.history.lens import lens
from mewctl.history.plain import PLAIN, neutral

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mewctl.history.view import Message
    from mewctl.streams.records import Record

T_co = TypeVar("T_co", covariant=True)


@dataclass(slots=True)
class Heard:
    """What messages said about the model. ``model``: the last that one named.

    ``top_usage``: the largest context that a usage reported, in tokens.
    """

    model: str = ""
    top_usage: int = 0

    def note(self, message: Message) -> None:
        """Take in one message."""
        if message.usage is not None:
            whole = message.usage.context + message.usage.unseen
            self.top_usage = max(self.top_usage, whole)
        if message.role == "assistant" and message.model:
            self.model = message.model


class Look(Protocol[T_co]):
    """What a reading gives beside each record."""

    heard: Heard

    def quick(self, form: str) -> Callable[[Mapping[str, Any]], T_co | None]:
        """A look at what plainly is a record of ``form``; None for any other.

        Where ``form`` is "", at what fits every format.
        """

    def close(self, value: Mapping[str, Any], form: str, where: str) -> T_co:
        """A look at any record; ``form`` is "" while it is not known.

        Raises ``ValueError`` for what is no message, ``BadInput`` at ``where`` for a
        response without one.
        """

    def told(self, record: Record, message: Message, where: str) -> T_co:
        """A look at a record that was made of a transcript's message."""


@dataclass(slots=True)
class Views:
    """Every record as a message."""

    heard: Heard = field(default_factory=Heard)

    def quick(self, form: str) -> Callable[[Mapping[str, Any]], Message | None]:
        """The views of plain records."""
        plain, view, heard = PLAIN[form], load(form or "mew").view, self.heard.note

        def look(value: Mapping[str, Any]) -> Message | None:
            if not plain(value):
                return None
            message = view(value)
            if message.usage is not None or message.model is not None:
                heard(message)
            return message

        return look

    def close(self, value: Mapping[str, Any], form: str, where: str) -> Message:
        """The view of any record."""
        message = lens(form or "mew").view(value, where)
        self.heard.note(message)
        return message

    def told(self, record: Record, message: Message, where: str) -> Message:
        """The message itself."""
        del record, where
        self.heard.note(message)
        return message


@dataclass(slots=True)
class Checks:
    """Whether each record is sound; always true, for others are bad records."""

    heard: Heard = field(default_factory=Heard)

    def quick(self, form: str) -> Callable[[Mapping[str, Any]], bool | None]:
        """A glance at ordinary records."""
        if not form:
            return lambda value: neutral(value) or None
        glance, view, heard = GLANCES[form], load(form).view, self.heard.note

        def look(value: Mapping[str, Any]) -> bool | None:
            if glance(value) is None:
                return None
            if "usage" in value or "model" in value:
                heard(view(value))
            return True

        return look

    def close(self, value: Mapping[str, Any], form: str, where: str) -> bool:
        """The same for any record."""
        self.heard.note(lens(form or "mew").view(value, where))
        return True

    def told(self, record: Record, message: Message, where: str) -> bool:
        """The same for a message."""
        del record, where
        self.heard.note(message)
        return True
