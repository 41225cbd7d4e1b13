"""Groups in consecutive records, one result each: ``openai`` and ``responses``.

Records of results are held from the first one on. A group is complete when each call
of the assistant message before it is answered, or when another kind of record comes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.history.offloaded import BEGIN
from mewctl.spill.unit import Unit
from mewctl.spill.weave import Held, Setting, Weaver, may_hold_calls, size_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mewctl.history.formats import Format
    from mewctl.spill.past import Mark, Past

# A role or a type of results, or a letter of these words in disguise.
_RESULT = re.compile(
    rb'"role"\s*:\s*"(?:tool|function)"'
    rb'|"type"\s*:\s*"(?:function|custom_tool|local_shell|shell|apply_patch)_call_output"'
)
_ESCAPED = re.compile(rb"\\u00[567]")
_BLANK = re.compile(rb"\s*")
_PREVIEW = BEGIN.encode()
#: What no record of a format holds, but calls and results of the others do.
_FOREIGN: dict[str, tuple[bytes, ...]] = {
    "openai": (b'"tool_result', b'"tool_use', b'_call_output"'),
    "responses": (b'"tool_result', b'"tool_use', b'"tool_call_id"', b'"tool_calls"'),
}
_LINES = re.compile(rb"\s*\S[^\n]*\n|\s+")  # a line with the blank ones before it


class Apart(Weaver):
    """Holds an open group; all other lines pass."""

    def __init__(self, setting: Setting, form: Format, past: Past) -> None:
        super().__init__(setting, form, past)
        self._raw: list[bytes] = []  # lines that look like results, not yet parsed
        self._open: list[Held] = []  # the open group: units, and blank lines
        self._mark: Mark | None = None  # where the open group began
        self._missing: set[str] = set()  # calls that the open group still waits for

    def run(self, data: bytes, start: int, end: int) -> None:
        """Take short lines. Whole stretches without a big group pass at once."""
        self._refuse_foreign(data, start, end)
        if data.find(_PREVIEW, start, end) >= 0:
            self._run_of_previews(_LINES.findall(data, start, end))
            return
        at = start
        if self._raw or self._open:
            at = _results_to(data, start, end)
            self._raw += _LINES.findall(data, start, at)
            if at == end:
                return
            self._close()
        passed = at  # up to here all went out or is held
        while at < end:
            border = _window(data, at, end, self._base)
            first = _results_from(data, at, border)
            if first == border:  # the window does not end in results
                at = border
                continue
            stop = _results_to(data, border, end)
            if stop < end and stop - first <= self._base:
                at = stop
                continue
            if first > passed:
                self._pass_run(data, passed, first)
            self._raw += _LINES.findall(data, first, stop)
            passed = at = stop
            if stop < end:
                self._close()
        if at > passed:
            self._pass_run(data, passed, at)

    def _run_of_previews(self, lines: list[bytes]) -> None:
        """Take short lines with previews among them: their groups were big once.

        They are looked at, for a text that comes again is told apart by its number.
        """
        for line in lines:
            held = bool(self._raw or self._open)
            if _may_be_result(line) or (held and line.isspace()):
                self._raw.append(line)
            else:
                self._close()
                self._pass(line)

    def long(self, line: bytes) -> None:
        """Take a line that may matter."""
        if _may_be_result(line):
            self._raw.append(line)
            return
        self._close()
        unit = None
        if (self._with_calls and may_hold_calls(line)) or self._suspects(line):
            unit = self._parse(line)
        self._calls(unit)
        self._pass(unit or line)

    def _held(self) -> Sequence[Held]:
        return [*self._open, *self._raw]

    def _refuse_foreign(self, data: bytes, start: int, end: int) -> None:
        """Look at short lines that only another kind has. Raises ``BadInput``."""
        if self._set.detector is None:
            return
        for word in _FOREIGN[self._form.NAME]:
            at = data.find(word, start, end)
            while at >= 0:
                begin = max(start, data.rfind(b"\n", start, at) + 1)
                stop = data.find(b"\n", at) + 1
                self._parse(data[begin:stop], [*self._held(), data[start:begin]])
                at = data.find(word, stop, end)

    def pause(self) -> None:
        """Decide and write all groups that are complete."""
        self._bound()
        super().pause()

    def breathe(self) -> None:
        """Write what need not wait."""
        self._bound()
        super().breathe()

    def _bound(self) -> None:
        """Hold no more than one open group, and no endless one."""
        self._split()
        if sum(map(size_of, self._open)) > limits.MAX_RECORD:
            self._finish(complete=False)  # no honest group is that big

    def end(self) -> None:
        """Decide and write everything; a last group may not be complete."""
        self._split()
        self._finish(complete=False)
        super().end()

    def _close(self) -> None:
        """Another kind of record came: what is held is complete."""
        sizes = [len(line) for line in self._raw]
        big = sum(sizes) > self._base or max(sizes, default=0) > self.short
        if big or self._open or any(_PREVIEW in line for line in self._raw):
            self._split()
            self._finish(complete=True)
        else:
            for line in self._raw:
                self._pass(line)
            self._raw.clear()

    def _split(self) -> None:
        """Parse what is held, and finish the groups that are complete."""
        raw, self._raw = self._raw, []
        for line in raw:
            if line.isspace():
                self._open.append(line)
                continue
            unit = self._parse(line, self._open)
            if unit is not None and unit.message.role == "tool" and unit.results:
                self._take(unit)
                continue
            self._finish(complete=True)
            self._calls(unit)
            self._pass(unit or line)

    def _take(self, unit: Unit) -> None:
        """Put a result into the open group; finish it if that was the last one."""
        if self._mark is None:
            self._mark = self._past.mark()
            self._missing = set(self._mark.calls(self._form))
        self._open.append(unit)
        waited = bool(self._missing)
        self._missing -= {result.call_id for result in unit.results}
        if waited and not self._missing:
            self._finish(complete=True)

    def _finish(self, *, complete: bool) -> None:
        """End the open group and have it decided."""
        units = [piece for piece in self._open if isinstance(piece, Unit)]
        if self._mark is not None:
            for unit in units:
                self._images(unit, self._mark)
            counts = any(_PREVIEW in unit.line for unit in units)
            self._group(units, self._mark, complete=complete, counts=counts)
        for piece in self._open:
            self._pass(piece)
        self._open, self._mark, self._missing = [], None, set()
        self._write_if_many()


def _may_be_result(line: bytes) -> bool:
    return bool(_RESULT.search(line) or (b"\\u00" in line and _ESCAPED.search(line)))


def _window(data: bytes, at: int, end: int, most: int) -> int:
    """The end of whole lines of ``data[at:end]``, of about ``most`` bytes."""
    if end - at <= most:
        return end
    return data.rfind(b"\n", at, at + most) + 1 or data.find(b"\n", at) + 1


def _results_from(data: bytes, at: int, end: int) -> int:
    """Where the results begin that ``data[at:end]`` ends in; ``end`` if in none."""
    first = probe = end
    while probe > at:
        begin = max(at, data.rfind(b"\n", at, probe - 1) + 1)
        line = data[begin:probe]
        if line.isspace():  # skip all blank lines at once
            text = data[at:probe].rstrip()
            probe = data.find(b"\n", at + len(text)) + 1 if text else at
        elif _may_be_result(line):
            first = probe = begin
        else:
            break
    return first


def _results_to(data: bytes, at: int, end: int) -> int:
    """Where the results end that begin at ``at``, blank lines between them included."""
    while True:
        blank = _BLANK.match(data, at, end)
        text = blank.end() if blank else at
        if text == end:
            return end
        stop = data.find(b"\n", text) + 1
        if not _may_be_result(data[text:stop]):
            return at
        at = stop
