"""What can be wrong with a history, and what repair does about it, in words.

Owns the finding, its JSON form, and every text that repair puts into a history. Must
not decide anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Kind: TypeAlias = Literal[
    "orphan-result",
    "orphan-call",
    "misplaced-result",
    "split-results",
    "duplicate-id",
    "refused-id",
    "text-before-results",
    "empty-content",
    "leading-message",
    "consecutive-messages",
    "parted-thinking",
    "late-system",
    "misplaced-part",
    "malformed-part",
]

#: Kinds that are a matter of layout: what one format writes as several records is one
#: in another. A conversion makes such repairs without a word; its report counts them.
LAYOUT: frozenset[str] = frozenset({"split-results", "consecutive-messages"})

# --- texts that go into a history: constants, so that a second run finds its own ---

#: The body of the error result that answers a call whose result is not recorded.
NO_RESULT = "no result recorded"
#: The body of an error result that had none; the API asks for one.
NO_ERROR_TEXT = "no error text recorded"
#: Stands for the user message that the API wants first.
NO_BEGINNING = "The messages before this point are not part of this history."


def injected(text: str) -> str:
    """``text`` marked as words that are not the user's."""
    return f"<system-reminder>\n{text}\n</system-reminder>"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, and its repair.

    ``line`` of the input counts from 1 (0: not read from an input), ``message`` from 1
    over the messages of the history. ``id`` is the call concerned, if one is.
    """

    kind: Kind
    line: int
    message: int
    detail: str
    repair: str
    id: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The finding as a record; ``id`` only where a call is concerned."""
        value: dict[str, Any] = {
            "type": "finding",
            "kind": self.kind,
            "line": self.line,
            "message": self.message,
        }
        if self.id is not None:
            value["id"] = self.id
        return {**value, "detail": self.detail, "repair": self.repair}
