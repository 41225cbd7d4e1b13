"""Inside a paragraph: what is a code span or a comment. Pure.

As CommonMark has it: what begins first wins, a backslash hides the next character, a
run of backticks ends at the next run of the same length, and tags and addresses in
angle brackets hold no code.
"""

from __future__ import annotations

import re

from mewctl.instructions.html import TAG

_TOKEN = re.compile(
    r"\\[!-/:-@\[-`{-~]"
    r"|(?P<ticks>`+)"
    r"|(?P<comment><!--(?:>|->|.*?-->))"
    r"|<[A-Za-z][A-Za-z0-9.+-]{1,31}:[^<>\x00-\x20]*+>"  # an address
    rf"|{TAG}|<\?.*?\?>|<!\[CDATA\[.*?\]\]>|<![A-Za-z][^>]*+>",
    re.DOTALL | re.ASCII,
)
_TICKS = re.compile("`+")


def hidden(text: str, wanted: int) -> bool:
    """Whether what stands at ``wanted`` in a paragraph is in a code span or comment."""
    runs: dict[int, list[int]] = {}
    for run in _TICKS.finditer(text):
        runs.setdefault(len(run.group()), []).append(run.start())
    at = 0
    while token := _TOKEN.search(text, at):
        start, at = token.span()
        if start > wanted:
            return False
        if token["ticks"]:
            same = runs.get(len(token["ticks"]), ())
            close = next((run for run in same if run >= at), None)
            if close is None:
                continue
            at = close + len(token["ticks"])
        if at > wanted and (token["ticks"] or token["comment"]):
            return True
    return False
