"""The lines by which the preview of a failed command tells why it failed. Pure.

What an exit code looks like and which lines matter is known elsewhere (``history``);
here a long output is narrowed down to lines worth asking about.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.history.error_lines import matter
from mewctl.history.offloaded import EXIT_CODE
from mewctl.history.results import exit_code

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORDS = (
    b"error", b"exception", b"fatal", b"panic", b"fail", b"traceback", b"denied",
    b"undefined", b"no such", b"not found", b"cannot", b"refused", b"timed out",
    b"segmentation fault",
)  # fmt: skip
_TROUBLE = re.compile(b"|".join(_WORDS), re.IGNORECASE)


def failure_lines(
    data: bytes, hidden: tuple[int, int], shown: str, *, failed: bool
) -> list[str]:
    """Exit code and error lines of a failed command, as far as ``shown`` lacks them.

    ``hidden``: the part of ``data`` that the preview does not show, as offsets.
    ``failed``: the result is marked as an error; else the exit code tells.
    """
    code, _ = exit_code(_ends(data))
    if not failed and not code:
        return []
    candidates = _candidates(data, *hidden)
    lines = [line for line in matter(candidates) if line] if candidates else []
    if code is not None and exit_code(shown)[0] != code:
        lines.append(f"{EXIT_CODE}{code}")
    return [line for line in lines if line not in shown]


def _ends(data: bytes) -> str:
    """Head and tail of an output, enough to find its exit code."""
    near = limits.RESULT_HEAD
    part = data if len(data) <= 2 * near else data[:near] + b"\n" + data[-near:]
    return part.decode("utf-8", "replace")


def _candidates(data: bytes, start: int, end: int) -> str:
    """Lines of ``data[start:end]`` that speak of trouble: the first and the last."""
    half = limits.PREVIEW_ERROR_FOUND // 2
    parts = list(_parts(data, start, end))
    found = (span for part in parts for span in _spans(data, *part))
    spans = list(islice(found, half))
    last: list[tuple[int, int]] = []
    after = spans[-1][1] if spans else end
    for begin, stop in reversed(parts):
        if len(last) >= half or stop <= after:
            break
        last[:0] = _spans(data, max(begin, after), stop)
    spans += last[-half:]
    most = limits.PREVIEW_LINE_BYTES
    lines = (data[i : min(j, i + most)].decode("utf-8", "replace") for i, j in spans)
    return "\n".join(lines)


def _parts(data: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Offsets that cut ``data[start:end]`` at line borders, into parts to search."""
    while start < end:
        stop = data.find(b"\n", min(start + limits.PREVIEW_ERROR_SEARCH, end), end) + 1
        yield start, stop or end
        start = stop or end


def _spans(data: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The lines that speak of trouble, as offsets."""
    low = data[start:end].lower()  # looking for words in it is faster than the pattern
    if not any(word in low for word in _WORDS):
        return
    while match := _TROUBLE.search(data, start, end):
        begin = max(data.rfind(b"\n", 0, match.start()) + 1, start)
        stop = data.find(b"\n", match.end(), end)
        stop = end if stop < 0 else stop
        yield begin, stop
        start = stop + 1
