"""Sentences that compaction puts into a history, in English and Chinese."""

from __future__ import annotations

from typing import Literal, TypeAlias

Lang: TypeAlias = Literal["en", "zh"]

PLACEHOLDER: dict[Lang, str] = {
    "en": "The summary and the recovery information are loaded; I go on from there.",
    "zh": "摘要和恢复信息已载入，我将从那里继续。",
}


#: Stands for the content of a file that the messages after the summary show.
IN_TAIL: dict[Lang, str] = {
    "en": "read in the messages after this one",
    "zh": "在此消息之后的消息中读取",
}


def is_placeholder(text: str) -> bool:
    """Whether an assistant text is the one that stands after a summary."""
    return text.strip() in PLACEHOLDER.values()
