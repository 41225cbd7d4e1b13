"""Fact lines read back: what ``items`` and ``ending`` write, in either language. Pure.

Takes the lines of one section and gives what they say. A line that is none of ours is
passed over; nothing here raises on any text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from mewctl.compact.piece import DASH, LATER, OUTCOMES
from mewctl.compact.quote import INDENT, read_block, read_inline
from mewctl.compact.sections import WORDS, number_in
from mewctl.history.facts import CommandFact, Failure, FileFact, LastCall, Todo

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_CALL = re.compile(r"`([^`]*)` (.*)", re.DOTALL)
_NUMBERED = re.compile(r"(\d{1,9})\. (.*)", re.DOTALL)
_COMMA = re.compile("|".join(words.comma for words in WORDS.values()))
_TODO = re.compile(r"\[([ ~x])\] (.*)", re.DOTALL)
_STATES: dict[str, Literal["open", "doing", "done"]] = {
    " ": "open",
    "~": "doing",
    "x": "done",
}
_LABELS = ("why", "change", "note", "fixed_by")


@dataclass(slots=True)
class FactLines:
    """What the fact lines said. Failures and todos stand under their numbers."""

    files: list[FileFact] = field(default_factory=list)
    commands: list[CommandFact] = field(default_factory=list)
    failures: dict[int, dict[str, Any]] = field(default_factory=dict)
    todos: dict[int, Todo] = field(default_factory=dict)
    calls: list[LastCall] = field(default_factory=list)
    last_text: str = ""
    earlier: str = ""

    def read(self, section: int, lines: Sequence[str]) -> None:
        """Take in the fact lines of ``section``; sections without facts have none."""
        for item in _items(lines):
            match section:
                case 1:
                    self._request(item)
                case 3:
                    self._file(item)
                case 4:
                    self._error(item)
                case 5:
                    self._solved(item)
                case 7:
                    self._todo(item)
                case 8:
                    self._current(item)

    def all_failures(self) -> tuple[Failure, ...]:
        """The failures, in the order of their numbers."""
        return tuple(Failure(**fact) for _, fact in sorted(self.failures.items()))

    def all_todos(self) -> tuple[Todo, ...]:
        """The todos, in the order of their numbers."""
        return tuple(todo for _, todo in sorted(self.todos.items()))

    def _request(self, item: _Item) -> None:
        if any(item.head == words.earlier for words in WORDS.values()):
            quoted = [line for _, _, lines in item.details for line in lines]
            self.earlier = read_block(quoted)

    def _file(self, item: _Item) -> None:
        text, notes = _notes(item.head[2:])
        if not item.head.startswith("- ") or not notes:
            return
        said = {label: value for label, value, _ in item.details}
        quoted = [line for _, _, lines in item.details for line in lines]
        self.files.append(
            FileFact(
                read_inline(text),
                created=_has(notes, "created"),
                deleted=_has(notes, "deleted"),
                why=read_inline(said.get("why", "")),
                change=read_block(quoted),
                **_numbers(notes, reads="read", writes="written", last="message"),
            )
        )

    def _error(self, item: _Item) -> None:
        numbered = _NUMBERED.fullmatch(item.head)
        if numbered is not None:
            self._failure(int(numbered.group(1)), numbered.group(2), item)
            return
        text, notes = _notes(item.head[2:])
        outcome = _one_of(notes, "outcomes", OUTCOMES)
        if item.head.startswith("- ") and outcome is not None:
            numbers = _numbers(notes, runs="ran", exit_code="exit_code", last="message")
            command: dict[str, Any] = {"outcome": outcome, **numbers}
            self.commands.append(CommandFact(read_inline(text), **command))

    def _failure(self, number: int, rest: str, item: _Item) -> None:
        text, notes = _notes(rest)
        call = _CALL.fullmatch(text)
        later = _one_of(notes, "later", LATER)
        if call is None or later is None:
            return
        self.failures[number] = {
            "tool": read_inline(call.group(1)),
            "what": read_inline(call.group(2)),
            "later": later,
            "n": 0,
            **_numbers(notes, n="message", exit_code="exit_code"),
        }
        _story(item, self.failures[number])

    def _solved(self, item: _Item) -> None:
        number = _numbers([item.head[2:]], failure="solved").get("failure", 0)
        if number in self.failures:
            _story(item, self.failures[number])

    def _todo(self, item: _Item) -> None:
        numbered = _NUMBERED.fullmatch(item.head)
        todo = _TODO.fullmatch(numbered.group(2)) if numbered else None
        if numbered is not None and todo is not None:
            state = _STATES[todo.group(1)]
            text = read_inline(todo.group(2))
            self.todos[int(numbered.group(1))] = Todo(text, state)

    def _current(self, item: _Item) -> None:
        quoted = [line for _, _, lines in item.details for line in lines]
        if any(item.head.startswith(words.last_text) for words in WORDS.values()):
            self.last_text = read_block(quoted)
            return
        call = _CALL.fullmatch(item.head[2:])
        text, notes = _notes(call.group(2)) if call else ("", [])
        outcome = _one_of(notes, "outcomes", OUTCOMES)
        if call is None or outcome is None:
            return
        fact: dict[str, Any] = {
            "n": 0,
            "outcome": outcome,
            **_numbers(notes, n="message"),
        }
        tool, target = read_inline(call.group(1)), read_inline(text)
        excerpt = read_block(quoted)
        self.calls.append(LastCall(tool=tool, target=target, excerpt=excerpt, **fact))


@dataclass(slots=True)
class _Item:
    """A head line; ``details``: label, text behind it, quoted lines under it."""

    head: str
    details: list[tuple[str, str, list[str]]] = field(default_factory=list)


def _items(lines: Sequence[str]) -> Iterator[_Item]:
    item: _Item | None = None
    for line in lines:
        if item is not None and line.startswith(INDENT):
            if not item.details:
                item.details.append(("", "", []))
            item.details[-1][2].append(line[len(INDENT) :])
        elif item is not None and line.startswith("  "):
            label, value = _label(line[2:])
            if label:
                item.details.append((label, value, []))
        elif line:
            if item is not None:
                yield item
            item = _Item(line)
    if item is not None:
        yield item


def _label(line: str) -> tuple[str, str]:
    for words in WORDS.values():
        for label in _LABELS:
            spelled = getattr(words, label)
            if line.startswith(spelled):
                return label, line[len(spelled) :]
    return "", ""


def _story(item: _Item, fact: dict[str, Any]) -> None:
    for label, value, quoted in item.details:
        if label == "fixed_by":
            fact["fixed_by"] = (*fact.get("fixed_by", ()), read_inline(value))
        elif label == "note":
            fact["note"] = read_inline(value)
        elif quoted:
            fact["lines"] = tuple(read_inline(line) for line in quoted)


def _notes(rest: str) -> tuple[str, list[str]]:
    """The text of an item, and the notes behind its last dash."""
    text, dash, notes = rest.rpartition(DASH)
    return (text, _COMMA.split(notes)) if dash else (rest, [])


def _numbers(notes: Sequence[str], **labels: str) -> dict[str, Any]:
    """Of each note that is a filled label, the number: ``{key: number}``."""
    found: dict[str, Any] = {}
    for note in notes:
        for words in WORDS.values():
            for key, label in labels.items():
                number = number_in(getattr(words, label), note)
                if number is not None:
                    found[key] = number
    return found


def _has(notes: Sequence[str], label: str) -> bool:
    return any(getattr(words, label) in notes for words in WORDS.values())


def _one_of(notes: Sequence[str], label: str, values: Sequence[str]) -> str | None:
    for words in WORDS.values():
        for value, spelled in zip(values, getattr(words, label), strict=True):
            if spelled in notes:
                return value
    return None
