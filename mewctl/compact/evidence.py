"""What a transcript holds, to be asked whether a model's claim stands in it. Pure.

Compares as a reader would: blanks joined, case ignored, quotation marks and dashes in
any shape. Must not judge what to do about a claim that does not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_SPACE = re.compile(r"\s+")
_SAME = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "–": "-", "—": "-"})
_DIGITS = re.compile(r"\d(?:[\d,_]*\d)?(?:\.\d+)?")
_SEPARATORS = re.compile(r"[,_](?=\d{3})")
_ROOTS = ("./", "a/", "b/")


def plain(text: str) -> str:
    """``text`` as it is compared."""
    return _SPACE.sub(" ", text.translate(_SAME)).casefold().strip()


class Evidence:
    """The texts of a transcript. ``cwd``: where its calls ran, for absolute paths."""

    def __init__(self, texts: Iterable[str], cwd: str = "") -> None:
        self._text = "\n".join(map(plain, texts))
        self._packed = self._text.replace("\\\\", "\\").replace('\\"', '"')
        self._cwd = plain(cwd).rstrip("/") + "/" if cwd else ""
        self._numbers = frozenset(map(number, _DIGITS.findall(self._text)))

    def says(self, words: str) -> bool:
        """Whether a quotation, command or piece of code stands there."""
        wanted = plain(words)
        unescaped = wanted.replace("\\n", " ")
        return wanted in self._text or wanted in self._packed or unescaped in self._text

    def names(self, path: str) -> bool:
        """Whether a path stands there, as it is or from another directory."""
        wanted = plain(path).rstrip("/")
        forms = [wanted, *(wanted.removeprefix(root) for root in _ROOTS)]
        if self._cwd:
            forms.append(wanted.removeprefix(self._cwd))
        return any(form and form in self._text for form in forms)

    def counts(self, digits: str) -> bool:
        """Whether a number stands there, however its digits are grouped."""
        return number(digits) in self._numbers


def number(digits: str) -> str:
    """A number without the marks that group its digits: ``1,234`` and ``1_234``."""
    return _SEPARATORS.sub("", digits)
