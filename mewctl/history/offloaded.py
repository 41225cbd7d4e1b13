"""The text that stands in a history for a body in a file, as far as all must know it.

Owns how such a preview begins and ends, when a text is one, and which of its lines are
the body's. ``spill`` makes them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mewctl import limits
from mewctl.streams.jsonvalue import utf8_size

#: How a preview begins; the size in bytes follows.
BEGIN = "[content offloaded] original size: "

HEAD, ERRORS, TAIL = "[head preview]", "[error lines]", "[tail preview]"
#: How the lines begin that end a preview, in both languages.
FULL_TEXT, FULL_TEXT_ZH, RECALL = "[full text] ", "[完整内容] ", "[recall] "
#: The last of a preview's error lines, where none of them tells the exit code.
EXIT_CODE = "exit code "

_CLOSING = (FULL_TEXT, FULL_TEXT_ZH, RECALL)
_OURS = "\n[sha256] "
_TOP = 8 * 1024  # characters in which the first section begins: a path may be long
_PREVIEW = re.compile(
    r"\[content offloaded\] original size: (\d{1,15}) bytes\n"
    r"\[saved to\] ([^\n]+)\n"
    r"(?:\[sha256\] ([0-9a-f]{64}),|\[head preview\])"
)


@dataclass(frozen=True, slots=True)
class Known:
    """A preview met in a history: the body's size in bytes, its path, its sha256.

    ``digest`` is "" in previews of other makers.
    """

    size: int
    path: str
    digest: str


def recognise(text: str) -> Known | None:
    """The preview that ``text`` is, of our making or the original's; else None."""
    if not text.startswith(BEGIN):
        return None
    if len(text) > limits.PREVIEW_MAX or (size := utf8_size(text)) > limits.PREVIEW_MAX:
        return None
    match = _PREVIEW.match(text)
    if match is None or int(match[1]) <= size:
        return None
    return Known(int(match[1]), match[2], match[3] or "")


def shown(text: str) -> str:
    """What a preview shows of its body; ``text`` itself if it shows nothing.

    Head, error lines and tail, without our own lines between and behind them. An exit
    code of our wording comes last, where readers of results look for it.
    """
    starts = (text.find(f"\n{mark}\n", 0, _TOP) for mark in (HEAD, ERRORS, TAIL))
    start = min((at for at in starts if at >= 0), default=-1)
    if start < 0:
        return text
    lines = text[start + 1 :].split("\n")
    if text.find(_OURS, 0, start) < 0:  # of another maker: a head and no more
        return "\n".join(lines[1:])
    while lines and lines[-1].startswith(_CLOSING):
        lines.pop()
    own = [line for line in lines if line not in (HEAD, ERRORS, TAIL)]
    if ERRORS in lines:
        after = lines[lines.index(ERRORS) + 1 :]
        said = after[after.index(TAIL) - 1 if TAIL in after else -1]
        own += [said] if said.startswith(EXIT_CODE) else []
    return "\n".join(own)
