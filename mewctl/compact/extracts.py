"""Sentences of the assistant: cut from its text, and what kind of sentence each is.

Extracts only: every result is a piece of the given text, with white space joined. Must
not word anything itself.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# A sentence ends at a full stop before white space, or at a Chinese one anywhere.
_END = re.compile(r"(?<=[.!?])[\"'”’)*_]*\s+(?=\S)|(?<=[。！？])[”’」』）*_]*\s*(?=\S)")
_NOT_AN_END = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|No)|\b[A-Z])\.$")
_ABBREVIATION = 8  # characters; longer than any abbreviation known here
_BULLET = re.compile(
    r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX~]\]\s+)?|^\s*#{1,6}\s+|^\s*>\s?"
)
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_HEADING = re.compile(r"^\s*#{1,6}\s")
_TABLE = re.compile(r"^\s*\|")
_SPACE = re.compile(r"\s+")

# What is about to be done; the next call does it.
_AT_ONCE = re.compile(
    r"\b(?:let me\b|let's\b|i'll\b|i will\b|i'm going to\b|now (?:i|let|to|for)\b"
    r"|on to\b)"
    r"|现在(?:我|让我|来)|让我|我(?:将|会|来|先)",
    re.IGNORECASE,
)
# What is left for later, or for the user to decide.
_LATER = re.compile(
    r"\b(?:next(?: steps?\b|[:,]| (?:i|we|up)\b)|(?:we|you) (?:should|need to|still)\b"
    r"|remain(?:s|ing)\b|still (?:needs?|to do|open|missing)|left to do\b|follow-?up\b"
    r"|ready (?:to|for)\b|when(?:ever)? you(?:'re| are)\b|once you\b|say the word\b"
    r"|let me know\b|not (?:yet )?(?:done|fixed|implemented|committed)\b)"
    r"|接下来|下一步|然后我|还(?:需要|要|剩|没)|待完成|尚未|请告诉我|需要你",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"[?？][\"'”’)）*_]*$")
_REASON = re.compile(
    r"\b(?:because|since|due to|caused?|root cause|the (?:problem|issue|bug)"
    r"|turns out|so that|instead of|rather than|decided|chose|the reason|which means"
    r"|found (?:the|it|a)|the fix)\b"
    r"|因为|由于|所以|根本原因|问题(?:在于|是|出在)|决定|改为|改成|而不是|发现|导致",
    re.IGNORECASE,
)
_RESULT = re.compile(
    r"\b(?:done|fixed|complete[d]?|finished|pass(?:es|ed|ing)?|fail(?:s|ed|ing)?|summary"
    r"|verified|confirmed|works?|added|removed|changed|updated|created|implemented"
    r"|committed|merged|green"
    r"|un(?:fixed|resolved)|ready|remains?|blocked|missing)\b"
    r"|完成|已修复|修复了|通过|失败|总结|验证|确认|添加了|新增|删除了|修改了|更新了|创建了|实现了|提交",
    re.IGNORECASE,
)
_FILLER = re.compile(
    r"^(?:ok(?:ay)?|good|great|perfect|sure|right|yes|excellent|alright"
    r"|now (?:i|let)|let me|i'll|i will|let's|first|sounds good"
    r"|you're (?:absolutely )?right"
    r"|好(?:的)?|让我|我来|现在|首先|明白)\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"`[^`\n]{2,80}`|(?<![\w-])[\w-]++/[\w./-]+|\b\w++\.[a-z]{1,4}\b")
_NUMBER = re.compile(r"\d")
_BOLD_ONLY = re.compile(r"\*\*[^*]+\*\*:?")
SHORT = 40  # characters; below, a sentence says little
SHORTEST = 16  # characters; below, hardly anything


def sentences(text: str) -> list[str]:
    """The sentences of a text, outside of code blocks and tables, in order."""
    pieces = [piece for line in _prose_lines(text) for piece in split_line(line)]
    found = [_SPACE.sub(" ", piece.strip()) for piece in pieces]
    return [sentence for sentence in found if sentence]


def split_line(line: str) -> list[str]:
    """A line cut behind each of its sentences; joined, the pieces are the line."""
    found: list[str] = []
    start = 0
    for end in _END.finditer(line):
        before = max(start, end.start() - _ABBREVIATION)
        if _NOT_AN_END.search(line, before, end.start()):
            continue
        found.append(line[start : end.end()])
        start = end.end()
    return [*found, line[start:]]


def _prose_lines(text: str) -> Iterator[str]:
    in_code = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            in_code = not in_code
        elif not in_code and not _TABLE.match(line):
            yield _BULLET.sub("", "" if _HEADING.match(line) else line)


def announced(text: str) -> list[str]:
    """Sentences that say what comes at once or later, in order."""
    return [s for s in _statements(text) if _AT_ONCE.search(s) or _LATER.search(s)]


def left_for_later(text: str) -> list[str]:
    """Sentences that name what is left, or what waits for the user, in order."""
    return [s for s in _statements(text) if _LATER.search(s)]


def _statements(text: str) -> Iterator[str]:
    """What is neither a question nor the head of a list or a block."""
    ends = ("?", "？", ":", "：")
    return (s for s in sentences(text) if not s.rstrip("*\"'”)").endswith(ends))


def questions(text: str) -> list[str]:
    """Sentences that ask, in order."""
    return [sentence for sentence in sentences(text) if _QUESTION.search(sentence)]


def explains(sentence: str) -> bool:
    """Whether a sentence gives a reason or a decision."""
    return bool(_REASON.search(sentence))


def worth(sentence: str, focus: Iterable[str] = ()) -> float:
    """How much a sentence says: reasons, outcomes, names and numbers count.

    A figure to compare by, about -2 to 6. ``focus``: words asked for, in lower case.
    """
    value = 2.0 * explains(sentence) + 1.5 * bool(_RESULT.search(sentence))
    value += 0.5 * min(3, len(_CODE.findall(sentence)))
    value += 0.25 * bool(_NUMBER.search(sentence))
    value -= 1.5 * bool(_FILLER.match(sentence))
    value -= (len(sentence) < SHORT) + (len(sentence) < SHORTEST)
    value -= 1.5 * sentence.rstrip("*").endswith((":", "："))
    value -= 2.0 * bool(_BOLD_ONLY.fullmatch(sentence))
    lowered = sentence.casefold()
    return value + 1.5 * sum(word in lowered for word in focus)
