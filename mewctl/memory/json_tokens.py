r"""The words of JSON as models write it, one at a time. Pure.

Beside JSON's own: comments, strings in single or curly quotes, full-width punctuation,
names without quotes, ``True``, ``False`` and ``None``. In strings: raw line breaks, and
escapes that JSON does not know, which stand for themselves. No character is lost or
made up, but for half a surrogate pair, which becomes U+FFFD.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from mewctl.streams.jsonvalue import BadJSON, loads

END = "end"  # the text is over
MORE = "more"  # three dots, where something was left out
NOTHING = "nothing"  # a character that means nothing here
_MARKS = {mark: mark for mark in "{}[],:"} | {"\uff0c": ",", "\uff1a": ":"}
_BLANK = re.compile(r"(?:\s|//[^\n]*|/\*.{0,999}?\*/|#[^\n]*)*", re.DOTALL)
_WORD = re.compile(r"[-+.\w$\u2026]+")
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_WORDS = {
    "true": True, "false": False, "null": None,
    "True": True, "False": False, "None": None,
}  # fmt: skip
_INSIDE = {
    '"': re.compile(r'(?:[^"\\]|\\.)*+"', re.DOTALL),
    # No possessive repeat: before Python 3.11.5 one with a look-ahead fails.
    "'": re.compile(r"(?:[^'\\]|\\.|'(?!\s*[,:}\]]))*'(?=\s*[,:}\]])", re.DOTALL),
    "\u201c": re.compile("[^\u201d]*\u201d"),
}
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPES = {
    '"': '"', "'": "'", "\\": "\\", "/": "/",
    "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
}  # fmt: skip
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_LONE = re.compile("[\ud800-\udfff]")
_LONGEST = 40  # characters of a number


@dataclass(frozen=True, slots=True)
class Token:
    """A word: a bracket or mark, ``string``, ``plain`` (a value), ``name`` and so on.

    ``apart``: a blank stands before it.
    """

    kind: str
    start: int
    end: int
    value: Any = None
    apart: bool = False


def token_at(text: str, at: int, state: str) -> Token:
    """The next word of ``text`` from ``at`` on; ``state``: what is waited for.

    A word before a colon is a name, so that state matters.
    """
    blank = _BLANK.match(text, at)
    start = blank.end() if blank else at
    apart = start > at
    if start >= len(text):
        return Token(END, start, start)
    char = text[start]
    if char in _MARKS:
        kind = _MARKS[char]
        return Token(kind, start, start + 1, None, apart or kind in "{[")
    if char in _INSIDE:
        return _string(text, start, apart=apart)
    word = _WORD.match(text, start)
    if word is None:
        return Token(NOTHING, start, start + 1)
    token = _word(word[0], start, word.end(), state, apart=apart)
    if token.kind == NOTHING and token.end == len(text):
        return Token(END, start, len(text))  # the beginning of a word
    return token


def _string(text: str, start: int, *, apart: bool) -> Token:
    inside = _INSIDE[text[start]].match(text, start + 1)
    if inside is None:
        return Token(END, start, len(text))
    return Token("string", start, inside.end(), _unescaped(inside[0][:-1]), apart)


def _word(word: str, start: int, end: int, state: str, *, apart: bool) -> Token:
    if set(word) <= {".", "\u2026"}:
        return Token(MORE, start, end)
    if state in ("key", "comma") and _NAME.fullmatch(word):
        return Token("name", start, end, word, apart)
    if word in _WORDS:
        return Token("plain", start, end, _WORDS[word], apart)
    try:
        number = loads(word[:_LONGEST].encode()) if len(word) < _LONGEST else None
    except (BadJSON, UnicodeEncodeError):
        number = None
    if number is None:
        return Token(NOTHING, start, end)
    return Token("plain", start, end, number, apart)


def _unescaped(text: str) -> str:
    if "\\" in text:
        text = _ESCAPE.sub(_escape, text)
    text = _PAIR.sub(_joined, text)
    return _LONE.sub("\ufffd", text)


def _escape(match: re.Match[str]) -> str:
    if match[1] is not None:
        return chr(int(match[1], 16))
    return _ESCAPES.get(match[2], match[0])


def _joined(match: re.Match[str]) -> str:
    return match[0].encode("utf-16", "surrogatepass").decode("utf-16")
