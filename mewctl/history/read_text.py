"""The content of a file in the text of a read: without what tools put around it. Pure.

Takes off line numbers, wrappers, notices and reminders, and says which lines are there.
A text that is not exactly of a known form is left as it is: better a number too many
than a line of the file too few.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# How tools number lines: Claude Code (arrow), cat -n and newer Claude Code (tab),
# opencode (bar, or colon inside <content>), Codex (L), Cursor and oh-my-pi (bar).
_ARROW = re.compile(r" {0,8}(\d{1,9})→(.*)")
_TAB = re.compile(r" {0,8}(\d{1,9})\t(.*)")
_BAR = re.compile(r" {0,8}(\d{1,9})\| ?(.*)")
_COLON = re.compile(r"L?(\d{1,9}): ?(.*)")

_REMINDER = "\n<system-reminder>"
_CAT_N = re.compile(
    r"\A(?:\[[^\n]*\]\n)?Here's the (?:result of running|content of)[^\n]*:\n"
)
_OPENCODE = re.compile(
    r"\A(?:<path>[^\n]*</path>\n<type>file</type>\n)?<(?P<tag>file|content)>\n+"
    r"(?P<body>.*?)(?:\n?</(?P=tag)>\s*)?\Z",  # no end where the text was cut
    re.DOTALL,
)
_GEMINI = re.compile(
    r"\A\s*IMPORTANT: The file content has been truncated\.\n"
    r"Status: Showing lines (\d{1,9})-(\d{1,9}) of (\d{1,9}) total lines\.\n"
    r"[^\n]*\n\n--- FILE CONTENT \(truncated\) ---\n"
)
# The last line of a read that was cut: pi, opencode, and their kin.
_NOTICES = (
    re.compile(r"\n\n\[Showing lines (\d{1,9})-(\d{1,9}) of \d{1,9}[^\n]*\]\s*\Z"),
    re.compile(r"\n\n\((?:[^\n()]*\. )?Showing lines (\d{1,9})-(\d{1,9})[^\n]*\)\s*\Z"),
)
_MORE = re.compile(
    r"\n\n?(?:\.\.\. \(|\[|\()\d{1,9} more lines? [^\n]*[\])]\s*\Z"
    r"|\n\n\(File has more lines\.[^\n]*\)\s*\Z"
)
_END = re.compile(r"\n\n\(End of file[^\n]*\)\s*\Z")
_PREVIEW = "[content offloaded]"
_DIRECTORY = "Here's the files and directories"
_EMPTY = ("<system-reminder>", "(empty file)", "<empty>")


@dataclass(frozen=True, slots=True)
class ReadText:
    """A file's content; ``first`` and ``last`` line where the text numbers them.

    ``cut``: the tool said that more follows.
    """

    content: str
    first: int = 0
    last: int = 0
    cut: bool = False


def unwrapped(text: str, *, numbered: bool) -> ReadText | None:
    """What a read showed; None where that is no file's content.

    ``numbered``: the tool puts a number and a tab before each line.
    """
    if text.startswith((_PREVIEW, _DIRECTORY)):
        return None
    body = _without_reminder(text)
    gemini = _GEMINI.match(body)
    if gemini:
        first, last, whole = (int(number) for number in gemini.groups())
        return ReadText(body[gemini.end() :], first, last, cut=last < whole)
    wrapped = _OPENCODE.match(body)
    if wrapped:
        body = wrapped.group("body")
    elif numbered:
        body = _CAT_N.sub("", body, count=1)
    body, first, last, cut = _without_notice(body)
    styles = [_ARROW]
    if wrapped:
        styles += [_BAR, _COLON]
    elif numbered:
        styles += [_TAB, _BAR]
    for style in styles:
        plain = _without_numbers(body, style)
        if plain:
            return ReadText(plain[0], plain[1], plain[2], cut=cut)
    return ReadText(body, first, last, cut=cut)


def _without_reminder(text: str) -> str:
    """Reminders behind the content go; inside the content they stay."""
    if text.startswith(_EMPTY):
        return ""
    while text.endswith(("</system-reminder>", "</system-reminder>\n")):
        at = text.rfind(_REMINDER)
        if at < 0:
            break
        text = text[:at].rstrip("\n")
    return text


def _without_notice(body: str) -> tuple[str, int, int, bool]:
    tail_at = max(0, len(body) - 1_000)
    for notice in _NOTICES:
        found = notice.search(body, tail_at)
        if found:
            first, last = int(found.group(1)), int(found.group(2))
            return body[: found.start()], first, last, True
    found = _MORE.search(body, tail_at)
    if found:
        return body[: found.start()], 0, 0, True
    found = _END.search(body, tail_at)
    return (body[: found.start()] if found else body), 0, 0, False


def _without_numbers(body: str, style: re.Pattern[str]) -> tuple[str, int, int] | None:
    """The lines without numbers, if every line has one and they count up by one."""
    lines = body.split("\n")
    if lines and not lines[-1]:
        del lines[-1]
    plain: list[str] = []
    first = expected = 0
    for line in lines:
        found = style.fullmatch(line)
        if found is None:
            return None
        number = int(found.group(1))
        if plain and number != expected:
            return None
        first = first if plain else number
        plain.append(found.group(2))
        expected = number + 1
    return ("\n".join(plain), first, expected - 1) if plain else None
