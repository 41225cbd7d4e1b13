"""The preview that stands in a history for a spilled body: made and recognised. Pure.

Each line of ours begins with a marker in square brackets, and no marker can come out
of a body: there its bracket gets a backslash. Must not know files.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from mewctl import limits
from mewctl.history import offloaded
from mewctl.history.offloaded import BEGIN, ERRORS, HEAD, RECALL, TAIL
from mewctl.streams.jsonvalue import utf8_size

if TYPE_CHECKING:
    from collections.abc import Callable

Lang: TypeAlias = Literal["en", "zh"]
Mode: TypeAlias = Literal["both", "head", "tail"]


@dataclass(frozen=True, slots=True)
class Style:
    """How a preview looks. ``short``: of a result that is spilled for its age."""

    mode: Mode = "both"
    lang: Lang = "en"
    short: bool = False


@dataclass(frozen=True, slots=True)
class Body:
    """A spilled body and its address: the file, and the command that brings it back.

    ``failed``: the result is marked as an error. ``digest``: sha256 in hex.
    """

    data: bytes
    digest: str
    path: str
    command: str
    failed: bool = False


_CLOSING: dict[Lang, str] = {
    "en": f"{offloaded.FULL_TEXT}This is a part only. The whole text is in the file"
    " above: read it with a file tool, or run the next line in a shell, before you rely"
    " on anything that is not shown here. Do not guess it from the preview.",
    "zh": f"{offloaded.FULL_TEXT_ZH}以上只是片段，完整内容在上面的文件里。"
    "需要用到没有显示的部分时，请用读文件工具读取该文件，或在终端运行下一行的命令，"
    "不要根据片段猜测。",
}
_IMAGE_CLOSING: dict[Lang, str] = {
    "en": f"{offloaded.FULL_TEXT}The data is in the file above: look at it with a tool"
    " that opens such files, or run the next line in a shell. Do not guess what it"
    " shows.",
    "zh": f"{offloaded.FULL_TEXT_ZH}数据在上面的文件里：请用能打开该类文件的工具查看，"
    "或在终端运行下一行的命令，不要猜测其内容。",
}
_WORDS = (
    "content offloaded", "saved to", "sha256", "head preview", "tail preview",
    "error lines", "recall", "full text", "完整内容",
)  # fmt: skip
#: Tags of ours that mean something elsewhere; words may follow before the bracket.
_TAGS = ("mewctl boundary", "mewctl notice")
# Control characters, and what Unicode calls default ignorable (DerivedCoreProperties).
_NO_WIDTH = (
    r"\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    r"\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)


# A bracket that something but plain ASCII follows, before another bracket comes.
_ODD = re.compile(r"\[[ -Z\\^-~\n\t]*[^ -~\n\t]")


def _loosely(word: str) -> str:
    """A pattern for ``word`` as a reader sees it: characters without width may hide."""
    gap = rf"[\s{_NO_WIDTH}]"
    letters = (gap + "+" if c == " " else c + f"[{_NO_WIDTH}]*" for c in word)
    return f"{gap}*{''.join(letters)}{gap}*"


def _plainly(word: str) -> str:
    """The same where all is plain ASCII."""
    return r"\s*" + word.replace(" ", r"\s+") + r"\s*"


def _bracket(spelled: Callable[[str], str]) -> re.Pattern[str]:
    """The bracket that begins a marker, whose words are ``spelled`` so."""
    words = "|".join(map(spelled, _WORDS))
    tags = "|".join(map(spelled, _TAGS))
    cut = rf"{spelled('cut:')}\d+{spelled(' bytes')}"
    return re.compile(rf"\[(?=(?:{words}|{cut})\]|{tags})", re.IGNORECASE)


@cache
def _markers() -> re.Pattern[str]:
    """The bracket of a marker. Made late: it takes its time."""
    return _bracket(_loosely)


@cache
def _plain_markers() -> re.Pattern[str]:
    """The same for text that ``_ODD`` does not find, twenty times as quick to make."""
    return _bracket(_plainly)


# --- making ---


def make(body: Body, style: Style) -> str | None:
    """The preview of ``body``; None where it would not be smaller than the body."""
    from mewctl.spill.failure import failure_lines  # what it knows takes time to load

    data = body.data
    head, tail, hidden = _ends(data, style)
    shown = "\n".join((*head, *tail))
    why = failure_lines(data, hidden, shown, failed=body.failed)
    lines = [_header(body), f"[sha256] {body.digest}, {_count_lines(data)} lines"]
    if style.mode != "tail":
        lines += [HEAD, *head]
    if why:
        lines += [ERRORS, *map(_harmless, why)]
    if style.mode != "head":
        lines += [TAIL, *tail]
    lines += [_CLOSING[style.lang], f"{RECALL}{body.command}"]
    return _if_smaller("\n".join(lines), data)


def make_for_data(body: Body, media_type: str, style: Style) -> str | None:
    """The preview of an image or document: what it is, and where."""
    kind = _harmless(re.sub(r"\s", " ", media_type[:80]))
    lines = [
        _header(body),
        f"[sha256] {body.digest}, {kind}",
        _IMAGE_CLOSING[style.lang],
        f"{RECALL}{body.command}",
    ]
    return _if_smaller("\n".join(lines), body.data)


def _header(body: Body) -> str:
    size = len(body.data)
    return f"{BEGIN}{size} bytes\n[saved to] {body.path}"


def _if_smaller(text: str, data: bytes) -> str | None:
    most = min(limits.PREVIEW_MAX, len(data) - 1)
    return text if utf8_size(text) <= most else None


def _count_lines(data: bytes) -> int:
    return data.count(b"\n") + (not data.endswith(b"\n") and bool(data))


@dataclass(frozen=True, slots=True)
class _Cut:
    """A line of a body as it is shown, and our words before and after it."""

    line: bytes
    before: str = ""
    after: str = ""


def _ends(data: bytes, style: Style) -> tuple[list[str], list[str], tuple[int, int]]:
    """Head and tail lines, and the offsets between which nothing is shown."""
    head: list[_Cut] = []
    tail: list[_Cut] = []
    start, end = 0, len(data)
    small = limits.AGE_PREVIEW_BYTES
    if style.mode != "tail":
        most = small if style.short else limits.PREVIEW_HEAD_BYTES
        head, start = _head(data, limits.PREVIEW_HEAD_LINES, most)
    if style.mode != "head":
        most = small if style.short else limits.PREVIEW_TAIL_BYTES
        tail, end = _tail(data, start, limits.PREVIEW_TAIL_LINES, most)
    return _texts(head), _texts(tail), (start, end)


def _texts(cuts: list[_Cut]) -> list[str]:
    """Lines of a body as text that holds no marker of ours; all at once is quicker."""
    joined = b"\n".join([cut.line.removesuffix(b"\r") for cut in cuts])
    lines = _harmless(joined.decode("utf-8", "surrogatepass")).split("\n")
    return [c.before + line + c.after for c, line in zip(cuts, lines, strict=False)]


def _head(data: bytes, lines: int, most: int) -> tuple[list[_Cut], int]:
    """Up to ``lines`` lines and ``most`` bytes from the front; where they end."""
    shown: list[_Cut] = []
    at = 0
    while at < len(data) and len(shown) < lines and most > 0:
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        keep = min(end - at, limits.PREVIEW_LINE_BYTES)
        if keep > most:
            if shown:
                break
            keep = most
        keep = _border(data, at + keep) - at
        mark = f" [cut: {end - at - keep} bytes]" if keep < end - at else ""
        shown.append(_Cut(data[at : at + keep], after=mark))
        most -= keep + 1
        if mark and end == len(data):  # its end is for the tail
            return shown, at + keep
        at = end + 1
    return shown, min(at, len(data))


def _tail(data: bytes, start: int, lines: int, most: int) -> tuple[list[_Cut], int]:
    """Up to ``lines`` lines and ``most`` bytes from the back; where they begin."""
    shown: list[_Cut] = []
    at = len(data) - data.endswith(b"\n")
    while at > start and len(shown) < lines and most > 0:
        begin = max(start, data.rfind(b"\n", start, at) + 1)
        keep = min(at - begin, limits.PREVIEW_LINE_BYTES)
        if keep > most:
            if shown:
                break
            keep = most
        first = _border(data, at - keep, forward=True)
        mark = f"[cut: {first - begin} bytes] " if first > begin else ""
        shown.append(_Cut(data[first:at], before=mark))
        most -= keep + 1
        at = begin - 1
    return shown[::-1], min(len(data), max(start, at + 1))


def _border(data: bytes, at: int, *, forward: bool = False) -> int:
    """The border between two UTF-8 characters next to ``at``."""
    while 0 < at < len(data) and data[at] & 0xC0 == 0x80:  # noqa: PLR2004 - UTF-8
        at += 1 if forward else -1
    return at


def _harmless(text: str) -> str:
    """``text`` without a marker of ours."""
    if "[" not in text:
        return text
    markers = _markers() if _ODD.search(text) else _plain_markers()
    # A function, because a template is looked up by the pattern's hash for each call.
    return markers.sub(lambda _: "\\[", text)
