"""How the results in a log belong together, for spilling its records. Pure.

A log is read as ``mew``, where the results that answer one message stand in one record.
In envelopes of other formats each result may be a record of its own.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mewctl.history.formats import load, mew

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from mewctl.history.formats import Format
    from mewctl.history.losses import Losses
    from mewctl.history.view import Message, Part, Result
    from mewctl.streams.records import Record

_APART = re.compile(rb'\s*\{\s*"format"\s*:\s*"(?:openai|responses)"')


class ResultsApart:
    """``mew`` for logs in whose envelopes each result is a record of its own."""

    NAME = mew.NAME
    KEYS = mew.KEYS
    RESULTS_TOGETHER = False

    def view(self, value: Mapping[str, Any]) -> Message:
        """The view of a record."""
        return mew.view(value)

    def rebuild(
        self, value: Mapping[str, Any], parts: Sequence[Part]
    ) -> dict[str, Any] | None:
        """``value`` with ``parts`` for its parts; None if nothing is left to say."""
        return mew.rebuild(value, parts)

    def make(self, message: Message, losses: Losses) -> list[dict[str, Any]]:
        """Records that say ``message``."""
        return mew.make(message, losses)

    def results_records(self, results: Sequence[Result]) -> list[dict[str, Any]]:
        """One record that holds ``results``."""
        return mew.results_records(results)


def form_of(records: Iterable[Record]) -> Format:
    """The format to spill the records of a log in."""
    if any(_APART.match(record.raw) for record in records):
        return ResultsApart()
    return load(mew.NAME)
