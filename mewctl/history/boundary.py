"""The boundary tag and the titles by which our own summary message is known.

Owns how a tag is spelled and when it counts: only as the last line of the first user
message, and under a summary's title. Everywhere else it is text somebody quoted. Also
the words of the placeholder that may follow. Must not know what a summary says.
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
_TAG_LINE = re.compile(rf"^{_TAG.pattern}[ \t]*$", re.MULTILINE)
_TITLE_LINE = re.compile(
    rf"^(?:{'|'.join(map(re.escape, SUMMARY_TITLES))})", re.MULTILINE
)


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
            return parse(message.text) if is_summary(message) else None
    return None


def is_summary(message: Message) -> bool:
    """Whether a message is a summary that stands for dropped history."""
    if message.role != "user" or message.results:
        return False
    return _extent(message.text) is not None


def outside(text: str) -> str:
    """What stands around a summary in ``text``; all of it if there is none in it.

    Before its title, where its tag is the last line, and behind its tag.
    """
    found = _extent(text)
    if found is None:
        return text
    pieces = (text[: found[0]].strip(), text[found[1] :].strip())
    return "\n".join(piece for piece in pieces if piece)


def _extent(text: str) -> tuple[int, int] | None:
    """Where a summary in ``text`` begins and ends; None if there is none.

    It begins the text, or its tag ends it. Otherwise somebody quotes one.
    """
    title = _TITLE_LINE.search(text)
    if title is None or (text[: title.start()].strip() and parse(text) is None):
        return None
    tags = list(_TAG_LINE.finditer(text, title.end()))
    return title.start(), tags[-1].end() if tags else len(text)


def is_placeholder(message: Message) -> bool:
    """Whether a message is the one that mewctl puts between a summary and the user."""
    if message.role != "assistant" or message.calls:
        return False
    return message.text.strip() in PLACEHOLDER.values()
