"""The boundary tag and the titles by which our own summary message is known.

Owns how a tag is spelled and when it counts: only as the last line of the first user
message. Everywhere else it is text somebody quoted. Also the words of the placeholder
that may follow. Must not know what a summary says.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mewctl.history.view import Message

#: How a summary message begins, in both languages.
SUMMARY_TITLES: tuple[str, ...] = (
    "## Summary of the earlier conversation",
    "## 历史会话摘要",
)

#: What the assistant says after a summary where the tail begins with the user.
PLACEHOLDER: dict[Literal["en", "zh"], str] = {
    "en": "The summary and the recovery information are loaded; I go on from there.",
    "zh": "摘要和恢复信息已载入，我将从那里继续。",
}

#: How a notice begins that mewctl adds to a history (a pause, say): no user's words.
NOTICE = "[mewctl notice]"

_TAG = re.compile(r"\[mewctl boundary ([0-9a-f]{12}) tail=([0-9]{1,9})\]")


@dataclass(frozen=True, slots=True)
class Boundary:
    """Where a compaction cut; ``tail`` counts the assistant messages it kept."""

    id: str
    tail: int


def make(boundary: Boundary) -> str:
    """The tag: ``[mewctl boundary ID tail=N]``."""
    return f"[mewctl boundary {boundary.id} tail={boundary.tail}]"


def parse(text: str) -> Boundary | None:
    """The boundary whose tag is the last line of ``text``, blanks at its end aside."""
    body = text.rstrip()
    found = _TAG.fullmatch(body, body.rfind("\n") + 1)
    return Boundary(found.group(1), int(found.group(2))) if found else None


def find(messages: Iterable[Message]) -> Boundary | None:
    """The boundary of a history: the tag that ends its first user message."""
    for message in messages:
        if message.role == "user" and not message.results:
            return parse(message.text)
    return None


def is_summary(message: Message) -> bool:
    """Whether a message is a summary that stands for dropped history."""
    if message.role != "user" or message.results:
        return False
    text = message.text
    start = text.lstrip()[:80]
    return start.startswith(SUMMARY_TITLES) or parse(text) is not None


def is_placeholder(message: Message) -> bool:
    """Whether a message is the one that mewctl puts between a summary and the user."""
    if message.role != "assistant" or message.calls:
        return False
    return message.text.strip() in PLACEHOLDER.values()
