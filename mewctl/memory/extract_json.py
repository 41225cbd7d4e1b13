"""The objects in a model's answer, whatever stands around them. Pure.

One pass from the left that knows strings and nesting, instead of a search from the
first bracket to the last, which prose with brackets breaks. An object counts when all
of it is there; one that is cut short or broken is reported and never completed by a
guess. What is mended cannot change what was said: see ``json_tokens`` and ``_Reader``.
Must not know what an object means.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any

from mewctl import limits
from mewctl.memory.json_tokens import END, MORE, NOTHING, Token, token_at

#: Keys of an object around the list that was asked for.
_WRAPPERS = frozenset(
    {"actions", "memories", "memory_actions", "operations", "updates", "results"}
)
_MARK = re.compile(
    r"[{\[]|`+|</?(?:think|thinking|reasoning|scratchpad)>", re.IGNORECASE
)
_FENCE = re.compile(r"[ \t]*(?:>[ \t]*)?(`{3,})[ \t]*([^\s`]*)[^\n`]*\Z")
_DATA = frozenset({"", "json", "jsonl", "json5", "jsonc", "ndjson"})
_LINE = 2_000  # characters of a line that are looked at around code
_RESTART = re.compile(r"\n[ \t]*(?=[{\[`])")


@dataclass(frozen=True, slots=True)
class Found:
    """What an answer holds.

    ``objects`` in order: those of lists, and of a list in a wrapping object, one by
    one. ``truncated``: an object or a list was cut short. ``nothing``: the answer says
    so, with an empty list. ``broken``: objects that could not be read, by their
    beginnings.
    """

    objects: tuple[dict[str, Any], ...] = ()
    truncated: bool = False
    nothing: bool = False
    broken: tuple[str, ...] = ()


@dataclass(slots=True)
class _Frame:
    """A list or an object that is being read. ``emits``: its objects are results."""

    start: int
    value: Any
    emits: bool
    state: str  # what comes next: key, colon, value or comma
    key: str = ""
    wraps: bool = False
    quoted: bool = False  # the key stood in quotes

    @property
    def is_object(self) -> bool:
        return isinstance(self.value, dict)

    @property
    def looks_real(self) -> bool:
        """Whether it is an object for sure, and not a word in braces."""
        begun = bool(self.value) or self.state == "value" or self.quoted
        return self.is_object and begun


@dataclass(slots=True)
class _Reader:
    """One pass over an answer. Outside of all brackets it is prose, and skipped."""

    text: str
    at: int = 0
    stack: list[_Frame] = field(default_factory=list)
    objects: list[dict[str, Any]] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    truncated: bool = False
    nothing: bool = False
    endless: float = math.inf  # ticks of a fence that was looked for and has no end

    def read(self) -> Found:
        while self.at < len(self.text):
            if self.stack:
                self._step()
            else:
                self._prose()
        if self.stack:
            self.truncated = True
        nothing = self.nothing and not (self.objects or self.broken or self.truncated)
        return Found(tuple(self.objects), self.truncated, nothing, tuple(self.broken))

    # --- prose ---

    def _prose(self) -> None:
        """Go to the next bracket, over code in other languages and over thoughts."""
        match = _MARK.search(self.text, self.at)
        if match is None:
            self.at = len(self.text)
            return
        mark, self.at = match[0], match.end()
        if mark in "{[":
            self._open(mark, match.start(), emits=True)
        elif mark[0] == "`":
            self._code(match.start(), mark)
        elif mark[1] == "/":  # a thought whose beginning was in the prompt
            self.objects.clear()
            self.nothing = False
        else:
            close = re.compile(f"</{mark[1:]}", re.IGNORECASE).search(
                self.text, self.at
            )
            self.truncated = self.truncated or close is None
            self.at = close.end() if close else len(self.text)

    def _code(self, start: int, ticks: str) -> None:
        """Over a fence of code that is no JSON, and over code within a sentence."""
        line_end = self.text.find("\n", self.at, self.at + _LINE)
        line_end = min(len(self.text), self.at + _LINE) if line_end < 0 else line_end
        line_start = self.text.rfind("\n", max(0, start - _LINE), start) + 1
        line_start = line_start or max(0, start - _LINE)
        fence = _FENCE.match(self.text[line_start:line_end])
        if fence is not None:
            self._fence(fence[1], fence[2].lower(), line_end)
            return
        close_at = self.text.find(ticks, self.at, line_end)
        if close_at < 0:
            return
        after = close_at + len(ticks)
        if (self.text[line_start:start] + self.text[after:line_end]).strip():
            self.at = after

    def _fence(self, ticks: str, language: str, line_end: int) -> None:
        """Over a fence in a language that is no JSON, if it has an end."""
        if language in _DATA or len(ticks) >= self.endless:
            return
        ending = re.compile(rf"\n[ \t]*(?:>[ \t]*)?{ticks}`*[ \t]*(?=\n|\Z)")
        close = ending.search(self.text, line_end)
        if close is None:
            self.endless = len(ticks)  # nor has any that comes later
        else:
            self.at = close.end()

    # --- inside brackets ---

    def _open(self, bracket: str, start: int, *, emits: bool) -> None:
        value: Any = {} if bracket == "{" else []
        state = "key" if bracket == "{" else "value"
        self.stack.append(_Frame(start, value, emits, state))

    def _step(self) -> None:
        """Take one token in; a wrong one ends the list or object it stands in."""
        token = token_at(self.text, self.at, self.stack[-1].state)
        if token.kind == END:
            self.truncated, self.at = True, len(self.text)
            return
        if not self._take(token, self.stack[-1]):
            self._wrong(token)
        elif self.at < token.end:
            self.at = token.end

    def _take(self, token: Token, frame: _Frame) -> bool:
        """Whether a token fits where it stands."""
        kind, state = token.kind, frame.state
        if kind in ("}", "]"):
            return self._close(kind, frame)
        if kind in (",", ":"):
            return _mark(kind, frame)
        if state == "comma" and token.apart and kind != MORE:  # a forgotten comma
            state = frame.state = "key" if frame.is_object else "value"
        if state == "key":
            frame.key, frame.state = token.value, "colon"
            frame.quoted = kind == "string"
            return kind in ("string", "name")
        if state != "value" or kind in ("name", MORE, NOTHING):
            return False
        self._value(token, frame)
        return True

    def _value(self, token: Token, frame: _Frame) -> None:
        if token.kind in "{[":
            inside = frame.emits and not frame.is_object
            if frame.is_object and frame.emits and "action" not in frame.value:
                inside = token.kind == "[" and frame.key in _WRAPPERS
                frame.wraps = frame.wraps or inside
            self.at = token.end
            self._open(token.kind, token.start, emits=inside)
            return
        self._put(token.value)

    def _put(self, value: Any) -> None:
        frame = self.stack[-1]
        if frame.is_object:
            frame.value[frame.key] = value
        else:
            frame.value.append(value)
        frame.state = "comma"

    def _close(self, bracket: str, frame: _Frame) -> bool:
        wrong = (bracket == "}") is not frame.is_object
        if frame.is_object and (wrong or frame.state in ("colon", "value")):
            return False
        self.stack.pop()
        self._done(frame)
        if wrong and self.stack and self.stack[-1].is_object:
            return self._close(bracket, self.stack[-1])  # the ] was forgotten
        return True

    def _done(self, frame: _Frame) -> None:
        """A list or an object is complete: a result, or a part of one."""
        if frame.emits and not frame.value:
            self.nothing = True
        elif frame.emits and frame.is_object and not frame.wraps:
            self.objects.append(frame.value)
        if self.stack:
            self._put(frame.value)

    def _wrong(self, token: Token) -> None:
        """Give up what cannot be read, and go on behind it where that is safe."""
        frame = self.stack[-1]
        if token.kind == MORE and frame.emits and not frame.is_object:
            self.truncated, frame.state, self.at = True, "comma", token.end
            return
        outer = next((one for one in self.stack if one.looks_real), None)
        if outer is None:  # a sentence with brackets
            self.stack.clear()
            self.at = token.start if token.kind in "{[" else token.end
            return
        self.broken.append(self.text[outer.start : outer.start + limits.BROKEN_SHOWN])
        if not self._again(token, frame):
            # Nobody knows whether what follows stands in a string: a new line does.
            self.stack.clear()
            match = _RESTART.search(self.text, token.start)
            self.at = match.end() if match else len(self.text)

    def _again(self, token: Token, frame: _Frame) -> bool:
        """Whether only the end of an object was forgotten; then the list goes on."""
        if not (frame.is_object and frame.emits) or token.kind not in ("{", "]"):
            return False
        self.stack.pop()
        if self.stack:
            self.stack[-1].state = "value" if token.kind == "{" else "comma"
        self.at = token.start
        return token.kind == "{" or bool(self.stack)


def _mark(kind: str, frame: _Frame) -> bool:
    """Whether a comma or colon fits; a comma too many is nothing."""
    state = frame.state
    if kind == ":":
        frame.state = "value"
        return state == "colon"
    frame.state = "key" if frame.is_object else "value"
    return not frame.is_object or state not in ("colon", "value")


def extract(answer: str) -> Found:
    """The objects in ``answer``, of which ``limits.ANSWER_SCAN`` characters count."""
    found = _Reader(answer[: limits.ANSWER_SCAN]).read()
    if not found.objects and answer.lstrip().startswith('"'):
        inner = token_at(answer, 0, "value")  # JSON in a JSON string
        if inner.kind == "string" and not answer[inner.end :].strip():
            return _Reader(str(inner.value)[: limits.ANSWER_SCAN]).read()
    return found
