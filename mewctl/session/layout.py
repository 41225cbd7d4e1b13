"""Where the parts of a session and of a store lie. Names and paths alone. Pure."""

from __future__ import annotations

import os
from dataclasses import dataclass

SESSIONS = "sessions"
TRASH = "trash"
CLEAN_LOG = "clean.log.jsonl"
LOG = "conversation.jsonl"


@dataclass(frozen=True, slots=True)
class Layout:
    """The parts of one session. ``directory`` is an absolute path."""

    directory: str

    @property
    def id(self) -> str:
        """The session's id: its directory's name."""
        return os.path.basename(self.directory)

    @property
    def log(self) -> str:
        """The log of its messages and markers."""
        return os.path.join(self.directory, LOG)

    @property
    def meta(self) -> str:
        """What is known of it beside its messages: title, pin, origin."""
        return os.path.join(self.directory, "session.json")

    @property
    def spill(self) -> str:
        """Spilled bodies and their ledger."""
        return os.path.join(self.directory, "tool-results")

    @property
    def boundaries(self) -> str:
        """The facts of compactions, and what a filter dropped."""
        return os.path.join(self.directory, "boundaries")

    @property
    def breaker(self) -> str:
        """The state of the breaker."""
        return os.path.join(self.directory, "compact.state.json")


def sessions_in(store: str) -> str:
    """The directory of the sessions of a store (a ``.mewcode``)."""
    return os.path.join(store, SESSIONS)
