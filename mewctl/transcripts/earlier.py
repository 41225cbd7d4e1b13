"""The message that stands for a history that an agent compacted. Pure.

It is marked as pi marks its own, so that its words tell an earlier summary.
"""

from __future__ import annotations

from mewctl.history.view import Message, Text
from mewctl.transcripts.pi_messages import COMPACTED, END


def compacted(summary: str, time: float | None = None) -> Message:
    """``summary`` as injected text; ``time`` in Unix seconds."""
    return Message("user", (Text(f"{COMPACTED}{summary}{END}"),), time, injected=True)
