"""Cutting a text short where a reader would cut it. Pure; sizes are UTF-8 bytes.

Every cut is marked, so that nobody takes a part for the whole.
"""

from __future__ import annotations

import re

from mewctl.streams.jsonvalue import utf8

MARK = " …"
_ENDS = re.compile(r"[.!?:;](?=\s)|[。！？；：]|\n")
_BLANK = re.compile(r"\s+")


def head(text: str, size: int) -> str:
    """The first characters of ``text`` that fit into ``size`` bytes, without a mark."""
    start = text[:size]
    if start.isascii():
        return start
    return utf8(start)[:size].decode("utf-8", "ignore")


def tail(text: str, size: int) -> str:
    """The last characters of ``text`` that fit into ``size`` bytes, without a mark."""
    end = text[-size:]
    if end.isascii():
        return end
    return utf8(end)[-size:].decode("utf-8", "ignore")


def fits(text: str, size: int) -> bool:
    """Whether ``text`` has at most ``size`` bytes."""
    return len(text) <= size and (text.isascii() or len(utf8(text)) <= size)


def clip(text: str, size: int) -> str:
    """``text``, or its first ``size`` bytes and a mark."""
    return text if fits(text, size) else head(text, size) + MARK


def sentences(text: str, size: int) -> str:
    """The first whole sentences of ``text`` within ``size`` bytes, marked if cut.

    Without a sentence end in the second half, the cut falls between words.
    """
    text = text.strip()
    if fits(text, size):
        return text
    start = head(text, size)
    half = len(start) // 2
    stop = 0
    for end in _ENDS.finditer(start, max(0, half - 1)):
        stop = end.end()
    if stop < half:
        stop = max(start.rfind(" "), 0) or len(start)
    return start[:stop].rstrip() + MARK


def line(text: str, size: int) -> str:
    """``text`` on one line, runs of white space as one blank, within ``size`` bytes."""
    return clip(_BLANK.sub(" ", text[: size * 4]).strip(), size)


def lines(text: str, size: int) -> str:
    """The first whole lines of ``text`` within ``size`` bytes, and how many follow.

    A first line that alone is too long is clipped.
    """
    if fits(text, size):
        return text
    start = head(text, size)
    stop = start.rfind("\n")
    shown = start[:stop] if stop > 0 else start + MARK
    rest = text.count("\n", len(shown) if stop > 0 else len(start), len(text) - 1)
    return f"{shown}\n… (+{rest} lines)" if rest else shown


def last_lines(text: str, size: int) -> str:
    """The last whole lines of ``text`` within ``size`` bytes, marked if cut."""
    text = text[-4 * size :].rstrip() if len(text) > 4 * size else text.rstrip()
    if fits(text, size):
        return text
    end = tail(text, size)
    start = end.find("\n") + 1
    return "…\n" + end[start:] if start else MARK.strip() + end
