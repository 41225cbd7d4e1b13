"""What the assistant said that a successor needs, within bounds.

The rule: the text that ends a turn is kept longest; a text that came with a change or
after a failure, and any text that explains, is kept in short; remarks between two calls
are not. When room runs out the oldest lose first, and a turn's end is the last to go.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.history import excerpt
from mewctl.history.facts import Said
from mewctl.streams.jsonvalue import utf8_size

if TYPE_CHECKING:
    from collections.abc import Sequence

_REMARK, _NOTE, _FINAL = 0, 1, 2
_THOUGHT = "<thinking>"  # some models write their thoughts into the text
_THOUGHT_END = "</thinking>"


@dataclass(slots=True)
class _Text:
    """``size`` in bytes; ``most``: what it was shortened to, which is done once."""

    n: int
    text: str
    size: int
    worth: int
    most: int


class Words:
    """The assistant's texts in order. The newest one is whole, up to its bound."""

    def __init__(self, said: Sequence[Said] = (), last_text: str = "") -> None:
        self.last_text = last_text
        self._kept = [_kept(s) for s in said]
        self._size = sum(text.size for text in self._kept)
        self._open: _Text | None = None  # the newest text: not known yet if it is final
        self._after_failure = False

    def said(self, text: str, n: int) -> None:
        """The assistant said ``text`` in message ``n``."""
        self._close()
        self.last_text = excerpt.lines(text, limits.FACT_LAST_TEXT)
        spoken = _spoken(text)
        worth = _NOTE if len(spoken) >= limits.FACT_SAID_WORTH else _REMARK
        self._open = _Text(n, spoken, 0, worth, 0)
        if self._after_failure:
            self._worthy()
        self._after_failure = False

    def changed(self) -> None:
        """A file was changed: the words before it say why."""
        self._worthy()

    def _worthy(self) -> None:
        """The newest text is worth a note, unless it says next to nothing."""
        text = self._open
        if text and text.worth == _REMARK and len(text.text) >= limits.FACT_SAID_NOTE:
            text.worth = _NOTE

    def failed(self) -> None:
        """Something failed: the words after it say what follows from it."""
        self._after_failure = True

    def turn(self) -> None:
        """The user speaks: the newest text was the end of a turn."""
        if self._open:
            self._open.worth = _FINAL
        self._close()
        self._after_failure = False

    def facts(self) -> tuple[Said, ...]:
        """The texts, oldest first; the newest counts as the end of a turn."""
        texts = self._kept
        if self._open:
            text = excerpt.sentences(self._open.text, limits.FACT_SAID_FINAL)
            texts = [*texts, _Text(self._open.n, text, 0, _FINAL, 0)]
        return tuple(Said(text.n, text.text) for text in texts)

    def _close(self) -> None:
        text, self._open = self._open, None
        if text is None or text.worth == _REMARK:
            return
        size = limits.FACT_SAID_FINAL if text.worth == _FINAL else limits.FACT_SAID
        text.text = excerpt.sentences(text.text, size)
        text.size = utf8_size(text.text)
        text.most = size
        self._kept.append(text)
        self._size += text.size
        if self._size > limits.FACT_SAID_TOTAL:
            self._thin()

    def _thin(self) -> None:
        """Make room for a while, among all but the newest quarter of the texts."""
        goal = limits.FACT_SAID_TOTAL * 3 // 4
        old = self._kept[: len(self._kept) - len(self._kept) // 4]
        for worth, size in _THINNING:
            for text in old:
                if self._size <= goal:
                    break
                if text.worth == worth and text.most > size:
                    self._shorten(text, size)
        self._kept = [text for text in self._kept if text.text]

    def _shorten(self, text: _Text, most: int) -> None:
        text.text = excerpt.sentences(text.text, most) if most else ""
        text.most = most
        size = utf8_size(text.text)
        self._size += size - text.size
        text.size = size


# What is shortened to how many bytes when room is short, in this order; 0 drops it.
_THINNING = (
    (_NOTE, limits.FACT_SAID_SHORT),
    (_FINAL, limits.FACT_SAID),
    (_NOTE, 0),
    (_FINAL, limits.FACT_SAID_SHORT),
    (_FINAL, 0),
)


def _kept(said: Said) -> _Text:
    size = utf8_size(said.text)
    return _Text(said.n, said.text, size, _NOTE, size)


def _spoken(text: str) -> str:
    """``text`` without a thought that stands in front of it."""
    if not text.startswith(_THOUGHT):
        return text
    end = text.find(_THOUGHT_END)
    rest = text[end + len(_THOUGHT_END) :] if end >= 0 else ""
    return rest if rest.strip() else text
