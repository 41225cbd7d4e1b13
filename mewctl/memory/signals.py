"""When the user asks to remember something: signal words and finished turns. Pure.

Owns the words of each language, and what does not count: code, quotations, questions,
and words about remembering itself.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mewctl.history.language import prose_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mewctl.history.view import Message

#: The words of each language. A Latin word stands alone; others may stand anywhere.
SIGNALS = {
    "en": ("remember", "memo", "don't forget", "do not forget"),
    "zh": ("记住", "记忆", "别忘", "不要忘记"),
}
_QUOTED = re.compile(
    r"^[ \t]*>[^\n]*|\"[^\"\n]{1,400}\"|\u201c[^\u201d\n]{1,400}\u201d"
    r"|\u300c[^\u300d\n]{1,400}\u300d",
    re.MULTILINE,
)
_NO_REQUEST = re.compile(
    r"\b(?:(?:do|did|can|could|would)\s+you(?:\s+still)?"
    r"|can't|(?:could|do|did|does)n't|(?:can|could|do|did|does)\s?not"
    r"|as\s+(?:i|you|we|far\s+as\s+i)|if\s+i|i|we)\s+remember\b",
    re.IGNORECASE,
)
_LATIN = re.compile(r"[A-Za-z' ]+")


def sayings(text: str) -> str:
    """The part of a user's text in which a word counts."""
    return _NO_REQUEST.sub(" ", _QUOTED.sub(" ", prose_of(text).replace("’", "'")))


def signalled(text: str, more: Sequence[str] = ()) -> str:
    """The first signal word in the user's text, "" for none; ``more``: further ones."""
    said = sayings(text).casefold()
    words = (*(word for table in SIGNALS.values() for word in table), *more)
    return next((word for word in words if _stands(word.casefold(), said)), "")


def _stands(word: str, said: str) -> bool:
    if word not in said:
        return False
    if not _LATIN.fullmatch(word):
        return True
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", said, re.ASCII) is not None


def finished_turns(messages: Iterable[Message]) -> int:
    """The turns that ended in an assistant's message without calls."""
    count, open_turn = 0, False
    for message in messages:
        if message.role == "user" and not message.results and not message.injected:
            open_turn = True
        elif message.role == "assistant":
            count += open_turn and not message.calls
            open_turn = open_turn and bool(message.calls)
    return count


def newest_turns(messages: Sequence[Message], count: int) -> list[Message]:
    """The messages of the newest turns; all where there are not so many."""
    starts = [
        at
        for at, message in enumerate(messages)
        if message.role == "user" and not message.results and not message.injected
    ]
    first = starts[-count] if len(starts) >= count else 0
    return list(messages[first:])
