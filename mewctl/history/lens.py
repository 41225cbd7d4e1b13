"""One way to look at any record of a history: its format's view, responses included.

A whole provider response stands for the message it brings. Must not change a record.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from mewctl.history import responses
from mewctl.history.formats import load, responses_whole
from mewctl.history.formats import responses as items
from mewctl.history.view import Message

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewctl.history.formats import Format


@dataclass(frozen=True, slots=True)
class Lens:
    """A format to look through. ``format`` also makes and rebuilds records."""

    format: Format

    def view(self, value: Mapping[str, Any], place: str = "a response") -> Message:
        """The message of a record.

        Raises ``ValueError`` (one line) for a value that is no message, ``BadInput``
        at ``place`` for a response that brings none.
        """
        if "role" in value and "stop_reason" not in value:
            return self.format.view(value)
        answer = responses.read(value, place)
        if answer is None or answer.format == self.format.NAME:
            return self.format.view(value)
        return of_answer(answer)


@cache
def lens(name: str) -> Lens:
    """The lens of the format called ``name``; ``KeyError`` for an unknown one."""
    return Lens(load(name))


def of_answer(answer: responses.Answer) -> Message:
    """The message of a provider's response, with what the response says about it."""
    message = load(answer.format).view(answer.record)
    if answer.format == items.NAME:
        parts = responses_whole.parts_of(answer.records)
        message = Message("assistant", parts)
    return replace(
        message,
        time=answer.time,
        model=answer.model,
        usage=answer.usage,
        id=answer.id,
    )
