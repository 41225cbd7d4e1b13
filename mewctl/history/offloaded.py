"""The text that stands in a history for a body in a file, as far as all must know it.

Owns how such a preview begins and when a text is one. ``spill`` makes them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mewctl import limits
from mewctl.streams.jsonvalue import utf8_size

#: How a preview begins; the size in bytes follows.
BEGIN = "[content offloaded] original size: "

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
