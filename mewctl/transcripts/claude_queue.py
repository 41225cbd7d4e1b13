"""Prompts that were typed while Claude Code worked, from its log of queue operations.

Releases from about 2.1.8x on write such a prompt as a ``queued_command`` attachment
when the model gets it. Older ones write the queue's operations only: a prompt that was
enqueued and then removed went into the running turn, and nothing else in the file
holds the user's words. (A dequeued one follows as a user record; ``popAll`` gives the
prompts back to the editor.) Must not read other records.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewctl.streams.records import Record


class Waiting(NamedTuple):
    """A prompt of the queue; ``at``: how many entries stood before its removal."""

    text: str
    record: Record
    at: int = 0


@dataclass(slots=True)
class Queue:
    """The queue as its operations leave it."""

    waiting: list[Waiting] = field(default_factory=list)
    taken: list[Waiting] = field(default_factory=list)
    told: set[str] = field(default_factory=set)  # prompts that attachments hold
    attachments: bool = False

    def operation(self, value: Mapping[str, Any], record: Record, at: int) -> None:
        """Take in one ``queue-operation`` record, after ``at`` entries."""
        name, text = value.get("operation"), value.get("content")
        if name == "enqueue" and isinstance(text, str):
            self.waiting.append(Waiting(text, record))
        elif name == "popAll":
            self.waiting.clear()
        elif name in ("dequeue", "remove") and self.waiting:
            named = (i for i, w in enumerate(self.waiting) if w.text == text)
            gone = self.waiting.pop(next(named, 0))
            if name == "remove" and not self.attachments:
                self.taken.append(gone._replace(at=at))

    def delivered(self, attachment: Mapping[str, Any]) -> None:
        """Note an attachment: from here on they hold what is taken from the queue."""
        self.attachments = True
        if attachment.get("type") == "queued_command":
            prompt = attachment.get("prompt")
            if isinstance(prompt, str):
                self.told.add(prompt)

    def prompts(self) -> list[Waiting]:
        """The prompts that went into a turn and that no attachment holds."""
        return [prompt for prompt in self.taken if prompt.text not in self.told]
