"""The message formats: lenses on raw records. One file each; this is the registry.

A format shows a record as a ``Message`` and writes one back. ``rebuild`` changes only
the part concerned: parts that still carry their ``raw`` block are written as that very
block, unknown keys of the record stay. Formats are loaded when first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mewctl.history.losses import Losses
    from mewctl.history.view import Message, Part, Result

NAMES: tuple[str, ...] = ("mew", "anthropic", "openai", "responses")


class Format(Protocol):
    """What each format module offers, as module-level functions."""

    NAME: str
    #: A message holds all results that answer one assistant message (mew, anthropic);
    #: otherwise each result is a record of its own (openai, responses).
    RESULTS_TOGETHER: bool
    #: The keys of a record that the view shows; others are lost in a conversion.
    KEYS: frozenset[str]

    def view(self, value: Mapping[str, Any]) -> Message:
        """The view of a record. ``ValueError`` (one line) if it is no message."""

    def rebuild(
        self, value: Mapping[str, Any], parts: Sequence[Part]
    ) -> dict[str, Any] | None:
        """``value`` with ``parts`` for its parts; None if nothing is left to say.

        Each part is one of the record's own view (perhaps edited or left out, in any
        order) or a new one of a kind that this record's role can hold.
        """

    def make(self, message: Message, losses: Losses) -> list[dict[str, Any]]:
        """Records that say ``message`` in this format, from no record of its own.

        ``raw`` of parts is ignored, but a part whose ``raw`` is a block of this very
        format's meaning (an anthropic block in anthropic) is for the caller to
        rebuild, not to make. What cannot be said is counted in ``losses``.
        """

    def results_records(self, results: Sequence[Result]) -> list[dict[str, Any]]:
        """Records that hold ``results``, all answering one assistant message."""


def load(name: str) -> Format:
    """The format called ``name``. Raises ``KeyError`` for an unknown one."""
    if name not in NAMES:
        raise KeyError(name)
    module: Format = import_module(f"mewctl.history.formats.{name}")
    return module
