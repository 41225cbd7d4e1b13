"""Which language mewctl speaks in a history: the user's, as far as it has two. Pure.

The environment's locale never decides. Only words count: code, paths and addresses are
the same in every language and must not outvote the sentence around them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

_SAMPLE = 4_000  # characters of one message that are looked at
_PROSE = 0.85  # part of a Latin sentence that is letters, blanks and stops
_HAN_PER_WORD = 1.6  # Chinese characters of an average word
_FOREIGN = 0.05  # kana or hangul beyond this part make Han another language's

# Each alternative starts where a word starts, so that no text costs more than linear.
_NOT_WORDS = re.compile(
    r"```.*?(?:```|\Z)"  # fenced code
    r"|`[^`\n]*`"
    r"|<[^<>\n]{1,200}>"
    r"|(?<![\w.~/-])(?:\w++://\S++|[\w.~-]*+/[\w./~-]++)"  # addresses, paths
    r"|(?<![\w.])[A-Za-z]\w*+\.\w[\w.]*+"  # file.names
    r"|\b[A-Za-z]+_\w++",  # snake_case
    re.DOTALL | re.ASCII,
)
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_KANA_HANGUL = re.compile(
    "[\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f\u1100-\u11ff\uac00-\ud7af]"
)
_LATIN_WORD = re.compile("[A-Za-z\u00c0-\u024f]{2,}")
_PLAIN = re.compile("[A-Za-z\u00c0-\u024f ,.'’\"?!-]+")


def detect(texts: Iterable[str]) -> Literal["en", "zh"]:
    """``zh`` when most of the user's messages are Han without kana or hangul."""
    votes = Votes()
    for text in texts:
        votes.add(text)
    return votes.language


class Votes:
    """The user's messages counted by language, one by one."""

    __slots__ = ("_chinese", "_other")

    def __init__(self) -> None:
        self._chinese = self._other = 0

    def add(self, text: str) -> None:
        """The next message."""
        vote = _vote(text[:_SAMPLE])
        self._chinese += vote > 0
        self._other += vote < 0

    @property
    def language(self) -> Literal["en", "zh"]:
        """As ``detect`` says it of all of them."""
        return "zh" if self._chinese > self._other else "en"


def prose_of(text: str) -> str:
    """``text`` without code, paths and addresses."""
    return _NOT_WORDS.sub(" ", text)


def _vote(text: str) -> int:
    """1 for a Chinese message, -1 for one in another language, 0 for neither."""
    prose = prose_of(text)
    if prose.isascii():  # most are, and a search for Han takes its time
        return -1 if any(map(_sentence, prose.split("\n"))) else 0
    han = len(_HAN.findall(prose))
    foreign = len(_KANA_HANGUL.findall(prose))
    if foreign > _FOREIGN * (han + foreign):
        return -1
    words = sum(_sentence(line) for line in prose.split("\n"))
    if not han and not words:
        return 0
    return 1 if han > words * _HAN_PER_WORD else -1


def _sentence(line: str) -> int:
    """The Latin words of a line that reads as words; 0 for logs and tables."""
    plain = sum(map(len, _PLAIN.findall(line)))
    plain += 0 if line.isascii() else len(_HAN.findall(line))
    if plain < _PROSE * len(line.strip()):
        return 0
    return len(_LATIN_WORD.findall(line))
