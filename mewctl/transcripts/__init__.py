"""Readers of agents' own logs, one file per agent; read-only. This is the registry.

A reader takes the raw records of a transcript and yields the live history as messages,
in order. What it had to skip, recover or guess goes to a ``Report``. It never fails on
a single damaged record.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mewctl.history.view import Message
    from mewctl.streams.records import Record

NAMES: tuple[str, ...] = (
    "claude-code",
    "codex",
    "gemini-cli",
    "pi",
    "openhands",
    "swe-agent",
    "kimi-cli",
    "qwen-code",
    "copilot-cli",
)


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """``full``: from the very beginning, not from the last boundary.

    ``sidechains``: include the records of sub-agents. Both default to the live history.
    ``every_usage``: with ``full``, tell what was reported after a boundary, too, though
    it counts a context that the messages told do not show.
    """

    full: bool = False
    sidechains: bool = False
    every_usage: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """Something a reader noticed: ``line`` (1-based, 0: whole input), kind and words.

    Kinds: ``skipped`` (a damaged line or part of it is lost), ``recovered`` (whole
    objects were found in a damaged line), ``branch`` (a parent is missing, a cycle was
    cut), ``boundary``, ``sealed`` (what stands there is encrypted for its provider),
    ``left-out`` (counted, not listed).
    """

    line: int
    kind: str
    text: str


@dataclass(slots=True)
class Report:
    """What a reader noticed, in input order. ``origin`` is the agent's session id."""

    notes: list[Note] = field(default_factory=list)
    origin: str = ""

    def add(self, line: int, kind: str, text: str) -> None:
        """Add a note."""
        self.notes.append(Note(line, kind, text))


class Reader(Protocol):
    """What each reader module offers, as module-level functions."""

    NAME: str

    def sniff(self, value: Mapping[str, Any]) -> bool:
        """Whether a parsed record can only be of this agent's transcript."""

    def read(
        self, records: Iterable[Record], options: ReadOptions, report: Report
    ) -> Iterator[Message]:
        """The history, oldest first. Damaged records are reported, never raised.

        Raises ``damage.Foreign``, before anything is told, for a message of a format.
        """


@cache
def load(name: str) -> Reader:
    """The reader called ``name``. Raises ``KeyError`` for an unknown one.

    Kept, as detection asks for each reader with each record.
    """
    if name not in NAMES:
        raise KeyError(name)
    module = import_module(f"mewctl.transcripts.{name.replace('-', '_')}")
    return module
