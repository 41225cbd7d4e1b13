"""The notice of a pause: how long, and what may be stale. Pure.

It goes to the model as the last message of a history and is never stored; it begins
like every notice of mewctl, so that nobody takes it for the user's words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from mewctl.history.boundary import NOTICE
from mewctl.history.view import Message, Text

if TYPE_CHECKING:
    from collections.abc import Mapping

_UNITS = (("day", "天", 86_400), ("hour", "小时", 3_600), ("minute", "分钟", 60))
_WORDS: dict[Literal["en", "zh"], str] = {
    "en": "This session was paused for {time}. Files, command output, services and "
    "dates in the context may be out of date; re-read what matters before you rely on "
    "it.",
    "zh": "本会话已暂停{time}。上下文中的文件、命令输出、服务状态和日期可能已经过时；"
    "在依赖它们之前，请重新读取重要内容。",
}


def notice(seconds: float, lang: Literal["en", "zh"]) -> Message:
    """The message that says how long a session was paused."""
    text = f"{NOTICE} {_WORDS[lang].format(time=duration(seconds, lang))}"
    return Message("user", (Text(text),), injected=True)


def duration(seconds: float, lang: Literal["en", "zh"] = "en") -> str:
    """A length of time in its largest unit, rounded down: ``3 days``."""
    for english, chinese, size in _UNITS:
        count = int(seconds // size)
        if count:
            plural = "" if count == 1 else "s"
            return (
                f"{count} {chinese}" if lang == "zh" else f"{count} {english}{plural}"
            )
    return "不到一分钟" if lang == "zh" else "less than a minute"


def is_notice(value: Mapping[str, object]) -> bool:
    """Whether a record of any message format is such a notice and nothing else."""
    content = value.get("content")
    if isinstance(content, list) and len(content) == 1:
        block = content[0]
        content = block.get("text") if isinstance(block, dict) else None
    user = value.get("role") == "user"
    return user and isinstance(content, str) and content.startswith(NOTICE)
