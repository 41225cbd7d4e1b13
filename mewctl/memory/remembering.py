"""What the user said to remember, prefer, always or never do: proposals by rule. Pure.

The sentence itself is the note and its evidence; nothing is worded anew. Knows no
model; must not guess what a sentence means beyond its kind.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.memory.actions import Action
from mewctl.memory.signals import sayings
from mewctl.memory.words import clean, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SENTENCE = re.compile(r"[^\n.!?。！？]+(?:[.!?](?!\s|$)[^\n.!?。！？]*)*[.!?。！？]*")
_QUESTION = re.compile(r"[?？]\s*$")
_IF = re.compile(r"\s*(?:if|suppose|what if|imagine|如果|假如|假设)", re.IGNORECASE)
#: Kinds in the order in which they are looked for.
_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "user_preference",
        re.compile(
            r"\b(?:i|we)(?:'d)?\s+(?:\w+\s+)?prefer\b|\bi'd\s+rather\b"
            r"|\bmy\s+preference\b|我(?:更|比较)?(?:喜欢|偏好|偏爱|习惯)",
            re.IGNORECASE,
        ),
    ),
    (
        "correction_feedback",
        re.compile(
            r"^\W*(?:(?:please|and|so|no|ok|okay)[,\s]+)*(?:you\s+(?:should|must)\s+)?"
            r"(?:always|never)\b|\bfrom\s+now\s+on\b|\b(?:don't|do\s+not)\s+ever\b"
            r"|从现在起|以后(?:都|请|不要|别|一律)|永远(?:不要|别)|千万(?:不要|别)"
            r"|^\W*(?:请)?(?:总是|始终|一定要|绝不|绝对不要)",
            re.IGNORECASE,
        ),
    ),
    (
        "project_knowledge",
        re.compile(
            r"\bremember\b|\bmemo\b|\b(?:don't|do\s+not)\s+forget\b"
            r"|\bkeep\s+in\s+mind\b|记住|别忘|不要忘记|请记得",
            re.IGNORECASE,
        ),
    ),
)
_LEAD = re.compile(
    r"^\W*(?:(?:please|and|so|ok|okay)[,\s]+)*"
    r"(?:remember|memo|don't forget|keep in mind)(?:\s+that)?\b[\s,:]*"
    r"|^\W*(?:请)?(?:记住|别忘了?|不要忘记|请记得)[，,:：\s]*",
    re.IGNORECASE,
)
_TITLE = 60  # characters


def proposals(texts: Iterable[str]) -> Iterator[Action]:
    """One create for each sentence in the user's texts that asks for it."""
    seen: set[str] = set()
    for text in texts:
        for match in _SENTENCE.finditer(text):
            sentence = match[0].strip()
            kind = _kind(sentence)
            if kind and sentence not in seen:
                seen.add(sentence)
                yield _create(kind, sentence)


def _kind(sentence: str) -> str:
    if len(sentence) > limits.REMEMBERED or _QUESTION.search(sentence):
        return ""
    said = sayings(sentence)
    if _IF.match(said):
        return ""
    return next((kind for kind, shape in _KINDS if shape.search(said)), "")


def _create(kind: str, sentence: str) -> Action:
    title = one_line(_LEAD.sub("", sentence)) or one_line(sentence)
    if len(title) > _TITLE:
        title = title[:_TITLE].rsplit(" ", 1)[0]
    title = title.rstrip(" .!。！,，")
    return Action(
        "create",
        type=kind,
        title=title[:1].upper() + title[1:],
        content=clean(sentence),
        evidence=sentence,
        source="user",
    )
