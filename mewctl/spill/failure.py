"""The lines by which the preview of a failed command tells why it failed. Pure.

What an exit code looks like and which lines matter is known elsewhere (``history``);
here a long output is narrowed down to lines worth asking about.
"""

from __future__ import annotations

import re
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.history.error_lines import matter
from mewctl.history.results import exit_code

if TYPE_CHECKING:
    from collections.abc import Iterator

_TROUBLE = re.compile(
    rb"error|exception|fatal|panic|fail|traceback|denied|undefined|no such|not found"
    rb"|cannot|refused|timed out|segmentation fault",
    re.IGNORECASE,
)


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
        lines.append(f"exit code {code}")
    return [line for line in lines if line not in shown]


def _ends(data: bytes) -> str:
    """Head and tail of an output, enough to find its exit code."""
    near = limits.RESULT_HEAD
    part = data if len(data) <= 2 * near else data[:near] + b"\n" + data[-near:]
    return part.decode("utf-8", "replace")


def _candidates(data: bytes, start: int, end: int) -> str:
    """Lines of ``data[start:end]`` that speak of trouble: the first and the last."""
    half = limits.PREVIEW_ERROR_FOUND // 2
    reach = limits.PREVIEW_ERROR_SEARCH
    spans = list(islice(_spans(data, start, min(end, start + reach)), half))
    after = max(spans[-1][1] if spans else start, end - reach)
    spans += deque(_spans(data, after, end), maxlen=half)
    most = limits.PREVIEW_LINE_BYTES
    lines = (data[i : min(j, i + most)].decode("utf-8", "replace") for i, j in spans)
    return "\n".join(lines)


def _spans(data: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The lines that speak of trouble, as offsets."""
    while match := _TROUBLE.search(data, start, end):
        begin = max(data.rfind(b"\n", 0, match.start()) + 1, start)
        stop = data.find(b"\n", match.end(), end)
        stop = end if stop < 0 else stop
        yield begin, stop
        start = stop + 1
