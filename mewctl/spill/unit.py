"""One record under the scanner's eyes: parsed once, written anew only if it changed.

Must not decide anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mewctl.history.view import Call, Result
from mewctl.spill.parts import Path, with_body, with_images, with_leaves
from mewctl.streams.jsonvalue import BadJSON, dumps, loads
from mewctl.streams.records import BOM

if TYPE_CHECKING:
    from mewctl.history.formats import Format
    from mewctl.history.view import Message, Part

_BIG = 2.0**63  # a float of this size may be an integer that the parser has bent


class Unit:
    """A line, with its end and blank lines before it, as a message of ``form``.

    Raises ``ValueError`` for a line that is no such record.
    """

    def __init__(self, line: bytes, form: Format) -> None:
        self.line = line
        self._form = form
        self.value = _parse(line, exact=False)
        self.message: Message = form.view(self.value)
        self.bodies: dict[int, str] = {}  # number of a result -> its new text
        self.images: dict[int, dict[int, str]] = {}  # ... -> number in it -> text
        self.leaves: dict[int, dict[Path, str]] = {}  # number of a call -> its texts

    @property
    def results(self) -> tuple[Result, ...]:
        """The results in it."""
        return self.message.results

    def rendered(self) -> bytes:
        """The line as it is to be written: its very bytes where nothing is new.

        Raises ``BadJSON`` for a record that cannot be written (nested too deep).
        """
        if not (self.bodies or self.images or self.leaves):
            return self.line
        value, message = self.value, self.message
        if _is_bent(value):
            value = _parse(self.line, exact=True)
            message = self._form.view(value)
        record = self._form.rebuild(value, self._parts(message))
        blank = self.line[: len(self.line) - len(self.line.lstrip())]
        kept = blank[: blank.rfind(b"\n") + 1]
        return kept + dumps(value if record is None else record) + b"\n"

    def _parts(self, message: Message) -> list[Part]:
        parts: list[Part] = []
        results = calls = -1
        for part in message.parts:
            if isinstance(part, Result):
                results += 1
                parts.append(self._result(part, results))
            elif isinstance(part, Call):
                calls += 1
                parts.append(self._call(part, calls))
            else:
                parts.append(part)
        return parts

    def _result(self, result: Result, number: int) -> Result:
        if number in self.images:
            result = with_images(result, self.images[number])
        if number in self.bodies:
            result = with_body(result, self.bodies[number])
        return result

    def _call(self, call: Call, number: int) -> Call:
        if number in self.leaves:
            return call.with_input(with_leaves(call.input, self.leaves[number]))
        return call


def _parse(line: bytes, *, exact: bool) -> dict[str, Any]:
    value = loads(line.removeprefix(BOM), exact=exact)
    if not isinstance(value, dict):
        raise BadJSON("not an object")
    return value


def _is_bent(value: object) -> bool:
    """Whether a number in ``value`` may not be the one that was written.

    Instead of searching the record's bytes for digits, which costs more than parsing.
    """
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
        elif isinstance(item, float) and abs(item) >= _BIG:
            return True
    return False
