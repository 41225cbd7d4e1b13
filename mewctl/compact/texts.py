"""Sentences that compaction puts into a history, in English and Chinese."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, TypeAlias

Lang: TypeAlias = Literal["en", "zh"]

#: Stands for the content of a file that the messages after the summary show.
IN_TAIL: dict[Lang, str] = {
    "en": "read in the messages after this one",
    "zh": "在此消息之后的消息中读取",
}
_FOLLOW: dict[Lang, str] = {
    "en": "- The newest messages follow verbatim; the user's among them: {}.",
    "zh": "- 最新的消息原样列在其后，其中用户消息 {} 条。",
}
_EMERGENCY: dict[Lang, str] = {
    "en": "- This was cut in an emergency: the prompt had become too long.",
    "zh": "- 此次压缩为应急：提示已过长。",
}
_FOLLOWING = tuple(
    re.compile(re.escape(text).replace(r"\{\}", "([0-9]{1,9})"))
    for text in _FOLLOW.values()
)


class Ending(NamedTuple):
    """What the lines before the boundary tag say, for a later run.

    ``users``: how many of the user's messages the tail has, -1 if that is not said.
    ``emergency``: what triggered the compaction.
    """

    users: int = -1
    emergency: bool = False


def ending(said: Ending, lang: Lang) -> str:
    """The lines before the boundary tag."""
    lines = [_FOLLOW[lang].format(said.users)] if said.users >= 0 else []
    if said.emergency:
        lines.append(_EMERGENCY[lang])
    return "".join(line + "\n" for line in lines)


def read_ending(text: str) -> Ending:
    """What stands in the list that ends a summary message, before its tag."""
    users, emergency = -1, False
    for line in reversed(text.rstrip().split("\n")[:-1]):
        if not line.startswith("- "):
            break
        emergency = emergency or line in _EMERGENCY.values()
        found = next(filter(None, (form.fullmatch(line) for form in _FOLLOWING)), None)
        users = int(found.group(1)) if found else users
    return Ending(users, emergency)
