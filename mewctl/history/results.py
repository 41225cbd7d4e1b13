"""What a tool's result says: did it work, with which exit code, and which lines matter.

Reads the ways the supported agents write an exit code. Conservative: what an agent does
not mark as failed has failed only if its exit code says so, or if the exit code was
hidden by a pipe and the output ends as failures end. Looks at the head and the tail of
a result, never at a whole long text. Must not know files or commands beyond a call.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.frozen import cheap
from mewctl.history.error_lines import failed_at_end, matter
from mewctl.history.offloaded import shown
from mewctl.history.shell_exit import head_lines, is_search, only_shows, worth
from mewctl.streams.jsonvalue import BadJSON, loads, utf8

if TYPE_CHECKING:
    from mewctl.history.facts import Outcome
    from mewctl.history.shell import Script
    from mewctl.history.tools import Action

# Codex (unified exec), before ``Output:``; a session that still runs has an id.
_CODEX = ("Chunk ID:", "Command:", "Wall time:", "Process ")
_CODEX_EXIT = re.compile(r"^Process exited with code (-?\d{1,9})$", re.MULTILINE)
_CODEX_RUNS = re.compile(r"^Process running with session ID (\S{1,64})$", re.MULTILINE)
_CODEX_HEAD = 16 * limits.RESULT_HEAD  # the command itself stands before the exit code
# Codex (shell): one JSON object, the exit code behind the output.
_JSON_EXIT = re.compile(
    r'"metadata":\s*\{[^{}]*"exit_code":\s*(-?\d{1,9})[^{}]*\}\s*\}\s*$'
)
# Claude Code and Codex (older) first; mini-swe-agent; Kimi CLI before the output.
_HEAD_EXIT = re.compile(
    r"\s*(?:Exit code:? (-?\d{1,9})$|<returncode>(-?\d{1,9})</returncode>"
    r"|<system>ERROR: Command failed with exit code: (-?\d{1,9})\.?</system>)",
    re.MULTILINE,
)
_RETURNED = re.compile(r"<returncode>-?\d{1,9}</returncode>\n<output>\n")
_TAG_EXIT = re.compile(r"^<exit_code>(-?\d{1,9})</exit_code>$", re.MULTILINE)
# Gemini CLI: a block of fields behind the output.
_GEMINI = ("Command:", "Output:", "Directory:")
_FRAMED = ("{", "<", *_GEMINI)
_GEMINI_EXIT = re.compile(r"^Exit Code: (-?\d{1,9})$", re.MULTILINE)
_GEMINI_FIELDS = re.compile(
    r"(?:\nError: ([^\n]*(?:\n(?!Exit Code: |Signal: |Process Group)[^\n]*)*))?"
    r"(?:\n(?:Exit Code|Signal|Background PIDs|Process Group PGID): [^\n]*)+\s*\Z"
)
# The very last line: pi, Copilot CLI, OpenHands, SWE-agent's kin, home-made loops.
_LAST_EXIT = re.compile(
    r"Command exited with code (-?\d{1,9})"
    r"|<exited with exit code (-?\d{1,9})>"
    r"|<(?:command with )?shellId: [^\s>]{1,64} completed with exit code (-?\d{1,9})>"
    r"|\[Command finished with exit code (-?\d{1,9})\]"
    r"|[\[(]?[Ee]xit code:? (-?\d{1,9})[\])]?"
    r"|<system>ERROR: Command failed with exit code: (-?\d{1,9})\.?</system>"
)
_OPENHANDS_EXIT = re.compile(r"\[The command completed with exit code (-?\d{1,9})\.\]")
_STOPPED = ("Command aborted", "Command timed out", "[Operation Cancelled]")
_BACKGROUND = re.compile(r"Command running in background with ID: (\w{1,64})")
_NOTIFIED = re.compile(r"\(exit code (-?\d{1,9})\)|failed with exit code (-?\d{1,9})")
# How a tool without exit code says that it failed where nothing else marks it.
_ERRORS = (
    "Error:", "ERROR:", "error:", "<tool_use_error>", "<error>", "execution error:",
    "patch rejected", "apply_patch verification failed", "Failed to ", "failed to ",
    "<system>ERROR", "Tool execution failed",
)  # fmt: skip
_RUN_ERRORS = ("execution error:", "patch rejected", "apply_patch verification failed")
# Claude Code's web search tells an error below what it searched for.
_SEARCH_ERROR = re.compile(r"Web search results for query: .*\n\nWeb search error: ")
_PREVIEW = "[content offloaded]"


@cheap
@dataclass(frozen=True, slots=True)
class Verdict:
    """How a call ended.

    ``lines``: its error lines. ``running``: the id under which it goes on.
    ``nothing_found``: a search ended with 1 and no output, which is no failure.
    """

    outcome: Outcome
    exit_code: int | None = None
    lines: tuple[str, ...] = ()
    running: str = ""
    nothing_found: bool = False


def judge(text: str, action: Action, *, marked: bool) -> Verdict:
    """What became of ``action``, by the text of its result.

    ``marked``: the agent's own format says that it failed.
    """
    text = shown_text(text)
    code, running = exit_code(text) if action.kind in ("run", "poll") else (None, "")
    if running:
        return Verdict("unknown", running=running)
    outcome: Outcome = "failed" if marked or code else _unmarked(text, action, code)
    if outcome != "failed":
        return Verdict(outcome, code)
    shown = only_shows(action.script)
    lines = matter(output(text), content=shown)
    nothing = code == 1 and not lines and (shown or is_search(action.script))
    return Verdict("failed", code, lines, nothing_found=nothing)


def notified(text: str, status: str) -> Verdict:
    """What a notification says about a command that ran in the background."""
    found = _NOTIFIED.search(text[: limits.RESULT_HEAD])
    code = int(found.group(1) or found.group(2)) if found else None
    failed = bool(code) or status == "failed"
    done = status == "completed"
    outcome: Outcome = "failed" if failed else "passed" if done else "unknown"
    return Verdict(outcome, code)


def shown_text(text: str) -> str:
    """A result's text; of a spilled one, what its preview shows."""
    return shown(text) if text.startswith(_PREVIEW) else text


def exit_code(text: str) -> tuple[int | None, str]:
    """The exit code that a result states, and the id of a command that still runs."""
    head = text[: limits.RESULT_HEAD]
    if head.startswith(_CODEX):
        top = text[:_CODEX_HEAD].partition("\nOutput:")[0]
        runs = _CODEX_RUNS.search(top)
        if runs:
            return None, runs.group(1)
        found = _CODEX_EXIT.search(top)
        if found:
            return int(found.group(1)), ""
    runs = _BACKGROUND.match(head)
    if runs:
        return None, runs.group(1)
    found = _HEAD_EXIT.match(head) or _exit_at_end(text)
    if found is None:
        return None, ""
    return next(int(code) for code in found.groups() if code is not None), ""


def _exit_at_end(text: str) -> re.Match[str] | None:
    last = _last_line(text)
    found = _LAST_EXIT.fullmatch(last)
    if found or not (last.startswith("[") or text.startswith(_FRAMED)):
        return found
    tail = text[-limits.RESULT_TAIL :]
    if last.startswith("["):
        return _OPENHANDS_EXIT.search(tail)
    if text.startswith("{"):
        return _JSON_EXIT.search(tail)
    if text.startswith("<"):
        return _TAG_EXIT.search(text[: limits.RESULT_HEAD]) or _TAG_EXIT.search(tail)
    return next(reversed(list(_GEMINI_EXIT.finditer(tail))), None)


def _last_line(text: str) -> str:
    """The last line that is not blank, or its end if it is very long."""
    tail = text[-limits.FACT_EXCERPT :].rstrip()
    return tail[tail.rfind("\n") + 1 :]


def output(text: str) -> str:
    """The output in a result: the text inside the frame that some agents give it."""
    if text.startswith("{"):
        return _json_output(text)
    head = text[:_CODEX_HEAD]
    if head.startswith(_CODEX) and "\nOutput:\n" in head:
        return text[head.index("\nOutput:\n") + len("\nOutput:\n") :]
    if head.startswith(_GEMINI):
        return _gemini_output(text)
    inner = _RETURNED.match(head)
    if inner:
        return text[inner.end() :].removesuffix("</output>").removesuffix("\n")
    return text


def _json_output(text: str) -> str:
    try:
        whole = loads(utf8(text))
    except BadJSON:
        return text
    value = whole.get("output") if isinstance(whole, dict) else None
    return value if isinstance(value, str) else text


def _gemini_output(text: str) -> str:
    """The field ``Output:``, and ``Error:`` where that says anything."""
    start = (
        0
        if text.startswith("Output: ")
        else text.find("\nOutput: ", 0, _CODEX_HEAD) + 1
    )
    at = max(0, len(text) - limits.RESULT_TAIL)
    fields = _GEMINI_FIELDS.search(text, at)
    if fields is None or not text.startswith("Output: ", start):
        return text
    shown = text[start + len("Output: ") : fields.start()]
    error = fields.group(1) or ""
    parts = ("" if shown == "(empty)" else shown, "" if error == "(none)" else error)
    return "\n".join(part for part in parts if part)


def _unmarked(text: str, action: Action, code: int | None) -> Outcome:
    """The outcome where neither a mark nor an exit code says "failed"."""
    if action.kind == "run":
        return _ran(text, action.script, code)
    if _SEARCH_ERROR.match(text):
        return "failed"
    if len(text) > limits.RESULT_HEAD or not text.startswith(_ERRORS):
        return "passed"
    if action.kind == "read" and text.count("\n") > 1:  # a file that begins so
        return "passed"
    return "failed"


def _ran(text: str, script: Script, code: int | None) -> Outcome:
    if _last_line(text).startswith(_STOPPED):
        return "failed"
    if code is None and text.startswith(_RUN_ERRORS):
        return "failed"
    told = worth(script)
    if told == "own":
        return "passed"
    shown = output(text)
    if failed_at_end(shown[-limits.RESULT_TAIL :]):
        return "failed"
    whole = told == "hidden" or shown.count("\n") + 1 < head_lines(script)
    return "passed" if whole else "unknown"
