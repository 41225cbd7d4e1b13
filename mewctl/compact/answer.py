"""A model's answer, taken apart: what is kept of it, by section. Pure.

Owns the tags of the two phases. Must not judge; that is ``gate``.
"""

from __future__ import annotations

import re

from mewctl.compact.quote import open_fence
from mewctl.compact.sections import COUNT, USERS, heading_number

#: Sections whose prose a model is asked for; the user's words are never its business.
ASKED = tuple(number for number in range(1, COUNT + 1) if number != USERS)

#: Beginnings of words that tell a section's heading, however a model words it.
_TELLING = {
    1: ("request", "intent", "请求", "意图", "需求"),
    2: ("concept", "technical", "概念", "技术"),
    3: ("file", "code", "文件", "代码"),
    4: ("error", "fix", "错误", "修复"),
    5: ("problem", "solv", "问题", "解决"),
    6: ("user", "message", "用户", "消息"),
    7: ("todo", "pending", "task", "待办", "任务"),
    8: ("current", "work", "当前", "工作"),
    9: ("next", "step", "下一步", "后续"),
}
_LINE = re.compile(
    r"(?:#{1,4}[ \t]*|\*\*[ \t]*)([1-9])[ \t]*[.、:：)）]?[ \t]*(\S.{0,80})"
)

_ANALYSIS = re.compile(
    r"<(analysis|think|thinking)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE
)
_OPEN = re.compile(r"<summary>", re.IGNORECASE)
_CLOSE = re.compile(r"</summary>", re.IGNORECASE)


def kept(answer: str) -> str:
    """The part of an answer that counts.

    From ``<summary>`` to the last ``</summary>``; from an unclosed one to the end; of
    an answer with no such tag all but the analysis.
    """
    opened = _OPEN.search(_blank_analysis(answer))
    if opened is None:
        return _ANALYSIS.sub("", answer).strip()
    closed = list(_CLOSE.finditer(answer, opened.end()))
    end = closed[-1].start() if closed else len(answer)
    return answer[opened.end() : end].strip()


def _blank_analysis(answer: str) -> str:
    """The answer, as long as before, without tags inside a closed analysis."""
    return re.sub(
        r"<(analysis|think|thinking)>.*?</\1>",
        lambda found: " " * len(found.group()),
        answer,
        flags=re.DOTALL | re.IGNORECASE,
    )


def sections(text: str) -> dict[int, str]:
    """Section number to its text, stripped; sections with no text are there as "".

    What stands before the first heading belongs to none. Of a section that comes twice
    the parts are joined.
    """
    found: dict[int, list[str]] = {}
    number = 0
    block: list[str] = []
    for line in text.split("\n"):
        heading = 0 if open_fence(block) else _heading(line)
        if heading:
            number = heading
            block = []
            found.setdefault(number, [])
        elif number:
            block.append(line)
            found[number].append(line)
    return {n: "\n".join(body).strip("\n") for n, body in sorted(found.items())}


def _heading(line: str) -> int:
    """Which section a line opens, 0 for none: ``## 3 Files``, ``**3. Code**``."""
    exact = heading_number(line)
    if exact:
        return exact
    found = _LINE.match(line)
    if found is None:
        return 0
    number, title = int(found[1]), found[2].casefold()
    return number if any(word in title for word in _TELLING[number]) else 0
