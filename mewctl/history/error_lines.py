"""The few lines of an output that tell why something failed. Pure, bounded.

Looks at both ends of the output only. Must not decide whether it failed, except by the
words with which well-known tools end a failed run.
"""

from __future__ import annotations

import re

from mewctl import limits
from mewctl.history import excerpt

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\r")
# A line that is a diagnosis, not one that merely has such a word in it. This and other
# patterns see lines in lower case: that is faster than ignoring case.
_DIAGNOSIS = re.compile(
    r"^(?:fail|--- fail|error|e {3}|[✗✖×]|npm err|make(?:\[\d+\])?: \*\*\*)"
    r"|\b(?:error|fatal|panic|exception|failed|failure)\b(?: \w+)?:"
    r"|\] error\b|\bgot\b.*\bwant|\bexpected\b.*\b(?:got|but|to)\b"
    r"|^\w*(?:error|exception)\b"
    r"|: (?:command |file |module )?not found|no such file|permission denied|undefined:"
    r"|cannot find|could not|couldn't|no matches found|refused|timed out|rejected"
    r"|not been read|does not exist|modified since read"
)
# Also the gate of the pattern above: whatever that finds, this finds too.
_TROUBLE = re.compile(
    r"error|fail|fatal|panic|exception|traceback|undefined|not found|denied|can't"
    r"|cannot|could|unable|unexpected|expected|invalid|missing|mismatch|assert|abort"
    r"|conflict|unresolved|unknown|no match|no such|externally|must be|must not|doesn't"
    r"|refused|timed out|reject|not been|not exist|modified|npm err|\*\*\*|^e {3}"
    r"|[✗✖×]|\bwant\b|\bgot\b|should"
)
_PLACE = re.compile(r"\s*[\w./\\@-]+[:(]\d+[:,)]|\s*File \"[^\"]+\", line \d+")
_OF_PROGRAM = re.compile(
    r"(?:\(eval\)|(?:/\S*/)?(?:ba|z|da|k)?sh|rg|[ef]?grep|sed|cat|ls|find|head|tail|awk|jq"
    r"|curl|fatal|error|ssh|wc|git|cd|stat|diff|gh|xargs)(?::| )[^=(]*: ",
)
_NO_TROUBLE = re.compile(
    r"\b(?:0|no) (?:errors?|failures?|failed)\b"
    r"|^npm err(?:or|!) (?:path|workspace|location|a complete log)"
)
# Frames that agents put around an output.
_FRAME = re.compile(
    r"Exit code:? -?\d+|</?(?:tool_use_error|output|error|system|returncode)>"
    r"|<returncode>-?\d+</returncode>|Command: .*|Directory: .*|Error: \(none\)"
    r"|Exit Code: .*|Signal: .*|Background PIDs: .*|Process Group PGID: .*"
    r"|Command exited with code -?\d+|\(no output\)|\(empty\)|Output: \(empty\)"
    r"|Error: \(empty\)|<exited with exit code -?\d+>|\[Current working directory: .*"
    r"|\[Python interpreter: .*|\[Command finished with .*|\[The command completed .*"
)
# How failed runs end: go, npm, yarn, make, cargo, pytest, jest, unittest, gradle,
# maven, mise, just, Python, compilers, linters.
_ENDED = re.compile(
    r"^(?:FAIL(?:\s|$)|--- FAIL: |npm ERR!|npm error code| ?ELIFECYCLE"
    r"|error Command failed with exit|make(?:\[\d+\])?: \*\*\*"
    r"|error: could not compile|test result: FAILED"
    r"|FAILED \(|BUILD FAILED|\[ERROR\] BUILD FAILURE|FAILURE: Build failed"
    r"|Tests: +\d+ failed|=+ (?:\d+ \w+, )*\d+ (?:failed|errors?)\b.*=+$"
    r"|\d+ failed, |(?:\[[\w:.-]+\] )?ERROR task failed|fatal: |error: Recipe `"
    r"|(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception)(?:: |$)"
    r"|vet: \S+:\d|\S+\.go:\d+:\d+: |error\[E\d|[^\n]{0,200}: error(?: TS\d+)?: "
    r"|Found \d+ errors?|✖ \d+ problem|[1-9]\d* issues?:$)",
    re.MULTILINE,
)
_USER_SAID = "the user said:\n"  # Claude Code, when a call is refused with a reason
_FIRST = 5  # of the lines kept, how many may be the first ones of many
_STRONG = 2  # the weight of a diagnosis
_LAST = 3  # lines that are shown where none tells anything


def failed_at_end(tail: str) -> bool:
    """Whether the end of an output is how a failed run of a known tool ends."""
    return _ENDED.search(_ANSI.sub("", tail)) is not None


def matter(text: str, *, content: bool = False) -> tuple[str, ...]:
    """The lines that tell what went wrong, in order; the last lines if none does.

    ``content``: the text is what files hold, so that only what a program says of itself
    (``grep: x: No such file``) tells anything.
    """
    refused = text.find(_USER_SAID, 0, limits.RESULT_HEAD)
    if refused >= 0:
        said = _candidates(text[refused + len(_USER_SAID) :])
        lines = [
            "The user refused this call, and said:",
            *said[: limits.FACT_LINES - 1],
        ]
    else:
        found = _candidates(text)
        own = [line for line in found if _OF_PROGRAM.match(line)] if content else []
        lines = own[-limits.FACT_LINES :] or _chosen(found, content=content)
    return tuple(excerpt.clip(line, limits.FACT_LINE) for line in lines)


def _chosen(lines: list[str], *, content: bool) -> list[str]:
    """Diagnoses first; what else points at trouble fills up; order stays."""
    weights = [0 if content else _weight(line) for line in lines]
    strong = [at for at, weight in enumerate(weights) if weight == _STRONG]
    weak = [at for at, weight in enumerate(weights) if weight == 1]
    most = limits.FACT_LINES
    if len(strong) > most:
        strong = strong[:_FIRST] + strong[_FIRST - most :]
    chosen = sorted(strong + weak[: most - len(strong)])
    return [lines[at] for at in chosen] or lines[-_LAST:]


def _weight(line: str) -> int:
    low = line.lower()
    if not _TROUBLE.search(low):
        return 1 if _PLACE.match(line) else 0
    if _NO_TROUBLE.search(low):
        return 0
    return _STRONG if _DIAGNOSIS.search(low) else 1


def _candidates(text: str) -> list[str]:
    """The lines of both ends, without colours, frames, blank lines and repetitions."""
    window = limits.ERROR_WINDOW
    if len(text) > 2 * window:
        text = f"{text[:window]}\n{text[-window:]}"
    seen: dict[str, None] = {}
    for raw in _ANSI.sub("", text).split("\n"):
        line = raw[: limits.ERROR_WINDOW].strip()
        if line and not _FRAME.fullmatch(line):
            seen.setdefault(_unframed(line))
    return [line for line in seen if line]


def _unframed(line: str) -> str:
    """A line without the frame it stands in."""
    for mark in ("<tool_use_error>", "Output: ", "Error: "):
        line = line.removeprefix(mark)
    return line.removesuffix("</tool_use_error>").strip()
