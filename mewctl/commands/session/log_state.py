"""A compaction's state in a session: dropped messages stay where they are, in the log.

The shell's side of ``compact.options.State`` for sessions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mewctl.commands.state import DiskState, DryState
from mewctl.store.files import private_dir, replace
from mewctl.store.gitignore import ensure_store_above

if TYPE_CHECKING:
    from collections.abc import Iterable


class LogState(DiskState):
    """Facts in the session's ``boundaries``; dropped messages are the log's own."""

    def address(self, boundary: str) -> str:  # noqa: ARG002 - one log for all
        """The path of the log, which has them all."""
        return self._place.log

    def save(
        self,
        boundary: str,
        dropped: Iterable[bytes],  # noqa: ARG002 - they are in the log
        facts: bytes,
    ) -> None:
        """Write the facts, on the disk when this returns. Raises ``StorageError``."""
        ensure_store_above(self._place.dropped)
        private_dir(self._place.dropped)
        replace(self.facts_address(boundary), facts)


class DryLogState(DryState):
    """The same without a trace."""

    def address(self, boundary: str) -> str:  # noqa: ARG002 - one log for all
        """The path of the log."""
        return self._place.log
