"""What a compaction is asked to do, and what it works with: values and protocols."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from mewctl.compact.policy import Numbers, Trigger

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mewctl.history.facts import Facts
    from mewctl.history.lens import Lens
    from mewctl.streams.records import Record

Records: TypeAlias = "tuple[Record, ...]"
Emit: TypeAlias = Literal["history", "summary"]


@dataclass(frozen=True, slots=True)
class Options:
    """The wishes of one run. Sizes are tokens.

    ``system`` and ``tools`` are the sizes of texts that the request sends besides the
    history; ``tool_list`` is the exact list of the next request. ``overhead`` is what
    else the agent sends, None: taken from the history's own usage. ``error`` is the
    provider's message that the prompt is too long. ``origin`` names the transcript.
    """

    trigger: Trigger = "auto"
    numbers: Numbers = field(default_factory=Numbers)
    lang: Literal["auto", "en", "zh"] = "auto"
    focus: str = ""
    emit: Emit = "history"
    system: int = 0
    tools: int = 0
    tool_list: tuple[Mapping[str, Any], ...] = ()
    overhead: int | None = None
    error: str = ""
    origin: str = ""

    def key(self) -> str:
        """What makes two compactions of the same bytes differ."""
        numbers = self.numbers
        return "|".join(
            str(part)
            for part in (self.trigger, numbers, self.lang, self.focus, self.emit)
        )


@dataclass(frozen=True, slots=True)
class Spilled:
    """A history after layer 1, record for record.

    ``ids``: calls whose results previews stand for now. ``fresh``: numbers of the
    records with a preview that was never sent before. ``warnings`` are for people.
    """

    records: Records
    ids: tuple[str, ...] = ()
    fresh: frozenset[int] = frozenset()
    warnings: tuple[str, ...] = ()


class State(Protocol):
    """Where a compaction finds and leaves things. The shell provides it."""

    def spill(self, records: Records, lens: Lens) -> Spilled:
        """Apply the size limits. Never fails: what cannot leave stays."""

    def age_spill(self, records: Records, lens: Lens, keep: int, least: int) -> Spilled:
        """Spill results older than the newest ``keep`` tokens of tool output.

        Only if that frees ``least`` tokens; otherwise the records come back unchanged.
        Tokens are cautious estimates without any correction.
        """

    def spill_from(self, records: Records, lens: Lens, start: int) -> Spilled:
        """Spill every result of the records from ``start`` on that can shrink."""

    def facts(self, boundary: str) -> Facts | None:
        """The facts of an earlier compaction; None if they are not there."""

    def address(self, boundary: str) -> str:
        """The path of a boundary's dropped records."""

    def facts_address(self, boundary: str) -> str:
        """The path of a boundary's facts."""

    def recall_command(self, boundary: str) -> str:
        """The command that brings a boundary's records back."""

    def save(self, boundary: str, dropped: Iterable[bytes], facts: bytes) -> None:
        """Write lines and facts, on the disk when this returns.

        Raises ``StorageError``.
        """
