from __future__ import annotations

from typing import Any

import pytest

from mewctl import limits
from mewctl.history.facts import Todo
from mewctl.history.todos import Todos
from mewctl.history.tools import classify
from mewctl.history.view import Call


def change(todos: Todos, name: str, given: Any, result: str = "ok") -> None:
    todos.apply(classify(Call("c", name, given)), result)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        (
            "TodoWrite",
            {
                "todos": [
                    {"content": "a", "status": "completed", "activeForm": "doing a"},
                    {"content": "b", "status": "in_progress"},
                    {"content": "c", "status": "pending"},
                ]
            },
        ),
        (
            "update_plan",
            {
                "explanation": "x",
                "plan": [
                    {"step": "a", "status": "completed"},
                    {"step": "b", "status": "in_progress"},
                    {"step": "c", "status": "pending"},
                ],
            },
        ),
        (
            "write_todos",
            {
                "todos": [
                    {"description": "a", "status": "completed"},
                    {"description": "b", "status": "in_progress"},
                    {"description": "c", "status": "blocked"},
                    {"description": "d", "status": "cancelled"},
                ]
            },
        ),
        ("update_todo", {"todos": "Plan:\n- [x] a\n- [~] b\n\n  1. [ ] c\n[?] d"}),
        ("update_todo_list", {"todos": "[X] a\n[-] b\n[ ] c"}),
        (
            "manage_todo_list",
            {
                "todoList": [
                    {"id": 1, "title": "a", "status": "completed"},
                    {"id": 2, "title": "b", "status": "in-progress"},
                    {"id": 3, "title": "c", "status": "not-started"},
                ]
            },
        ),
        (
            "task_tracker",
            {
                "command": "plan",
                "task_list": [
                    {"id": "1", "title": "a", "status": "done"},
                    {"title": "b", "state": "Doing"},
                    "c",
                    "",
                    7,
                    {"status": "done"},
                ],
            },
        ),
        (
            "SetTodoList",
            {
                "todos": [
                    {"title": "a", "done": True},
                    {"title": "b", "status": "in_progress"},
                    {"title": " c ", "status": 9},
                ]
            },
        ),
    ],
)
def test_a_whole_list_replaces_the_list(name: str, given: Any) -> None:
    todos = Todos([Todo("old", "open")])
    change(todos, name, given)
    assert todos.facts() == (Todo("a", "done"), Todo("b", "doing"), Todo("c", "open"))


def test_tasks_are_created_and_changed_one_by_one() -> None:
    todos = Todos()
    change(todos, "TaskCreate", {"subject": "a"}, "Task #1 created successfully: a")
    change(todos, "TaskCreate", {"subject": "b"}, "Task #2 created successfully: b")
    change(todos, "TaskCreate", {"subject": "c", "id": 3}, "made")
    change(todos, "TaskUpdate", {"taskId": "1", "status": "completed"})
    change(todos, "TaskUpdate", {"taskId": 2, "status": "in_progress", "subject": "B"})
    change(todos, "TaskUpdate", {"taskId": "3", "description": "no state"})
    change(todos, "TaskUpdate", {"taskId": "9", "status": "completed"})
    change(todos, "TaskUpdate", {"status": "completed"})
    assert todos.facts() == (Todo("a", "done"), Todo("B", "doing"), Todo("c", "open"))
    assert todos.ids() == ["1", "2", "3"]
    change(todos, "TaskUpdate", {"taskId": "2", "status": "deleted"})
    assert todos.ids() == ["1", "3"]


def test_ids_survive_from_one_collection_to_the_next() -> None:
    todos = Todos([Todo("a", "open"), Todo("b", "open")], ["7"])
    change(todos, "TaskUpdate", {"taskId": "7", "status": "completed"})
    assert todos.facts() == (Todo("a", "done"), Todo("b", "open"))


def test_a_shown_list_is_taken_over() -> None:
    todos = Todos([Todo("old", "open")])
    change(todos, "TaskList", {}, "nothing like a list")
    assert todos.facts() == (Todo("old", "open"),)
    shown = "#1 [completed] a\n#2 [in_progress] b\n#3 [deleted] x\n#4 [pending] c"
    change(todos, "TaskList", {}, shown)
    assert todos.facts() == (Todo("a", "done"), Todo("b", "doing"), Todo("c", "open"))
    assert todos.ids() == ["1", "2", "4"]


def test_a_merge_changes_the_named_items_and_adds_the_new() -> None:
    todos = Todos()
    change(todos, "todo_write", {"todos": [
        {"id": "1", "content": "a", "status": "pending"},
        {"id": "2", "content": "b", "status": "pending"}]})  # fmt: skip
    change(todos, "todo_write", {"merge": True, "todos": [
        {"id": "2", "content": "b", "status": "completed"},
        {"id": "3", "content": "c", "status": "pending"},
        {"content": "no id"}]})  # fmt: skip
    assert todos.facts() == (Todo("a", "open"), Todo("b", "done"), Todo("c", "open"))


@pytest.mark.parametrize("given", [{"todos": "- [ ] a"}, {"todos": None}, {}])
def test_what_is_no_list_changes_nothing(given: Any) -> None:
    todos = Todos([Todo("a", "open")])
    change(todos, "TodoWrite", given)
    assert todos.facts() == (Todo("a", "open"),)


def test_a_list_is_bounded() -> None:
    todos = Todos()
    change(todos, "TodoWrite", {"todos": ["x" * 9_000] * 900})
    assert len(todos.facts()) == limits.FACT_TODOS
    change(todos, "TaskCreate", {"subject": "one more"}, "Task #1 created")
    assert len(todos.facts()) == limits.FACT_TODOS
    assert len(todos.facts()[0].text) <= limits.FACT_TODO + 2
    change(todos, "TaskCreate", {}, "Task #2 created")
    assert len(todos.facts()) == limits.FACT_TODOS
