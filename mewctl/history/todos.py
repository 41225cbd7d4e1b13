"""The todo list that an agent keeps with its tools, as the transcript last shows it.

Knows the shapes of whole lists (TodoWrite, update_plan, write_todos, …), also as a
checklist in one text (update_todo), and of lists that are changed item by item
(TaskCreate, TaskUpdate). Checklists in prose are no list.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mewctl import limits
from mewctl.history import excerpt
from mewctl.history import tool_args as given
from mewctl.history import tool_names as names
from mewctl.history.facts import Todo, TodoState

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mewctl.history.tool_args import Args
    from mewctl.history.tools import Action

_TEXTS = ("content", "step", "subject", "description", "title", "text", "task", "name")
_STATES: dict[str, TodoState] = {
    "completed": "done",
    "complete": "done",
    "done": "done",
    "finished": "done",
    "inprogress": "doing",
    "doing": "doing",
    "active": "doing",
    "started": "doing",
}
_GONE = ("cancelled", "canceled", "deleted", "removed")
_CREATED = re.compile(r"Task #(\w{1,64}) created")
_CHECK = re.compile(
    r"^[ \t]*(?:[-*+]|\d{1,3}[.)])?[ \t]*\[([ xX~/-])\][ \t]+(.+)$", re.MULTILINE
)
_LISTED = re.compile(r"^#(\w{1,64}) \[([\w -]{1,32})\] (.+)$", re.MULTILINE)


class Todos:
    """The list as it stands, changed by each call that worked.

    Items have the ids that the agent gave them, where it gave any.
    """

    def __init__(self, items: Sequence[Todo] = (), ids: Sequence[str] = ()) -> None:
        self._items: list[tuple[str, Todo]] = []
        for at, item in enumerate(items):
            self._items.append((ids[at] if at < len(ids) else "", item))

    def apply(self, action: Action, result: str) -> None:
        """Take over what a call with this result did to the list."""
        args = action.args or {}
        if action.use == "new task":
            self._add(args, result)
        elif action.use == "set task":
            self._set(args)
        elif action.use == "list tasks":
            self._listed(result)
        elif isinstance(given.first(args, names.LIST_KEYS), (list, str)):
            self._replace(args)

    def facts(self) -> tuple[Todo, ...]:
        """The items, in order."""
        return tuple(item for _, item in self._items)

    def ids(self) -> list[str]:
        """The ids of the items, in the same order; empty where there are none."""
        return [name for name, _ in self._items]

    def _replace(self, args: Args) -> None:
        entries = given.first(args, names.LIST_KEYS)
        if isinstance(entries, str):
            entries = _checklist(entries)
        found = [(_id(entry), item) for entry in entries if (item := _item(entry))]
        if args.get("merge") is True:  # Cursor: the named items only
            known = {name: item for name, item in found if name}
            kept = [(name, known.pop(name, item)) for name, item in self._items]
            found = kept + [(name, item) for name, item in found if name in known]
        self._items = found[: limits.FACT_TODOS]

    def _add(self, args: Args, result: str) -> None:
        made = _CREATED.search(result[: limits.RESULT_HEAD])
        item = _item(args)
        if item and len(self._items) < limits.FACT_TODOS:
            self._items.append((made.group(1) if made else _id(args), item))

    def _set(self, args: Args) -> None:
        name = _id(args)
        at = next((i for i, (known, _) in enumerate(self._items) if known == name), -1)
        if not name or at < 0:
            return
        old = self._items[at][1]
        state = _state(args.get("status"), old.state)
        if state is None:
            del self._items[at]
            return
        text = given.text(args, ("subject", "title", "content")) or old.text
        self._items[at] = (name, Todo(_clipped(text), state))

    def _listed(self, result: str) -> None:
        """``#1 [completed] Subject`` lines: the whole list, as the tool shows it."""
        found = list(_shown(result[: limits.READ_KEPT]))
        if found:
            self._items = found[: limits.FACT_TODOS]


def _shown(result: str) -> Iterator[tuple[str, Todo]]:
    for name, status, text in _LISTED.findall(result):
        state = _state(status, "open")
        if state:
            yield name, Todo(_clipped(text), state)


def _checklist(text: str) -> list[dict[str, str]]:
    """The items of a checklist, as objects of a list would have them."""
    marks = {" ": "pending", "-": "doing", "~": "doing", "/": "doing"}
    return [
        {"content": words, "status": marks.get(mark, "done")}
        for mark, words in _CHECK.findall(text[: limits.READ_KEPT])
    ]


def _item(entry: Any) -> Todo | None:
    """An item of a list: an object with a text and a state, or a text alone."""
    if isinstance(entry, str):
        return Todo(_clipped(entry), "open") if entry.strip() else None
    if not isinstance(entry, Mapping):
        return None
    text = given.text(entry, _TEXTS)
    state = _state(entry.get("status", entry.get("state")), "open")
    if entry.get("completed") is True or entry.get("done") is True:
        state = "done"
    return Todo(_clipped(text), state) if text and state else None


def _id(entry: Any) -> str:
    value = None
    if isinstance(entry, Mapping):
        value = given.first(entry, ("taskid", "id", "task_id"))
    return str(value)[:64] if isinstance(value, (str, int)) else ""


def _state(status: Any, before: TodoState) -> TodoState | None:
    """The state of an item; None for one that was called off."""
    if not isinstance(status, str):
        return before
    word = given.bare_key(status)
    return None if word in _GONE else _STATES.get(word, "open")


def _clipped(text: str) -> str:
    return excerpt.line(text, limits.FACT_TODO)
