"""What the exit code of a shell command is worth. Pure.

A pipe hides the code of the program that matters behind its filter's; a search that
finds nothing ends with 1 and has not failed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypeAlias

from mewctl.history.shell import subcommand

if TYPE_CHECKING:
    from mewctl.history.shell import Script, Simple

#: ``own``: it is the code of what matters. ``hidden``: it is another program's, but the
#: output shows how the run ended. ``lost``: neither.
Worth: TypeAlias = Literal["own", "hidden", "lost"]

_LOSES = ("|", "|&", "||", ";", "\n", "&")
_SHOW_THE_END = ("tail", "tee", "cat")
_FILTERS = re.compile(
    r"\s*2>&1\s*$|\s*(?:2>&1\s*)?(?:\|\s*(?:tail|head|grep|tee|cat|less)\b[^|;&\n]*)+$"
)
_COUNT = re.compile(r"(?:-n?)?(\d{1,6})")
_HEAD_LINES = 10  # what head shows if nobody says otherwise
_JOINED = re.compile(r"[|;&\n]")

#: Programs that show what is there: a failure word in their output is no failure.
_SHOWS = frozenset(
    {
        "ack", "ag", "awk", "bat", "cat", "cd", "cmp", "column", "comm", "curl", "cut",
        "date", "df", "diff", "du", "echo", "egrep", "env", "export", "fd", "fgrep",
        "file", "find", "gh", "grep", "head", "hexdump", "journalctl", "jq",
        "kubectl", "less", "ls", "more", "nl", "od", "pgrep", "printf", "ps", "pwd",
        "rg", "sed", "set", "sleep", "sort", "stat", "strings", "tac", "tail", "tee",
        "test", "time", "tr", "tree", "true", "uname", "uniq", "wc", "wget", "which",
        "whoami", "xargs", "xxd", "yq", "zgrep",
    }
)  # fmt: skip
_GIT_SHOWS = frozenset(
    {
        "blame", "branch", "cat-file", "config", "describe", "diff", "for-each-ref",
        "grep", "log", "ls-files", "ls-tree", "reflog", "remote", "rev-list",
        "rev-parse", "show", "show-ref", "shortlog", "stash", "status", "tag",
    }
)  # fmt: skip
_SEARCHES = frozenset(
    {
        "grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "diff", "cmp", "test",
        "which", "pgrep",
    }
)  # fmt: skip
_KEYWORDS = frozenset(
    (
        "[",
        "[[",
        "for",
        "while",
        "if",
        "elif",
        "case",
        "esac",
        "fi",
        "done",
        "{",
        "}",
        "!",
    )
)
_GIT_SEARCHES = frozenset(("grep", "diff"))


def worth(script: Script) -> Worth:
    """What the exit code of a command tells.

    Only programs that do something count: of ``ls | head`` nobody needs to know.
    """
    if not _JOINED.search(script.text):
        return "own"
    parts = script.parts
    if not any(part.after in _LOSES and not shows(part) for part in parts[:-1]):
        return "own"
    last = parts[-1]
    if last.program in _SHOW_THE_END or "-v" in last.arguments or not shows(last):
        return "hidden"
    return "lost"


def head_lines(script: Script) -> int:
    """How many lines ``head`` at a command's end lets through; 0 for no ``head``."""
    last = script.parts[-1] if script.parts else None
    if last is None or last.program != "head":
        return 0
    count = next((c for c in map(_COUNT.fullmatch, last.arguments) if c), None)
    return int(count.group(1)) if count else _HEAD_LINES


def without_filters(command: str) -> str:
    """``command`` without what only shapes its output, to know it again by."""
    if "|" in command or "2>&1" in command:
        command = _FILTERS.sub("", command)
    return command.strip()


def only_shows(script: Script) -> bool:
    """Whether a command does nothing but show what is there."""
    parts = script.parts
    return bool(parts) and all(shows(part) for part in parts)


def is_search(script: Script) -> bool:
    """Whether the exit code of a command is a search's: 1 says "nothing found"."""
    if not script.parts:
        return False
    last = script.parts[-1]
    if last.program == "git":
        return subcommand(last) in _GIT_SEARCHES
    return last.program in _SEARCHES or last.program == "["


def shows(part: Simple) -> bool:
    """Whether a simple command does nothing but show what is there."""
    if part.program == "git":
        return subcommand(part) in _GIT_SHOWS
    if part.program in _SHOWS or part.program in _KEYWORDS:
        return True
    return not part.program and all("=" in word for word in part.words)  # assigns only
