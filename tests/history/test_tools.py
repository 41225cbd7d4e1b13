from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl import limits
from mewctl.history.tools import ToolRule, bare, classify
from mewctl.history.view import Call

PATCH = "*** Begin Patch\n*** Update File: a.py\n-x\n+y\n*** End Patch"


def call(name: str, given: Any) -> Call:
    return Call("c1", name, given)


@pytest.mark.parametrize(
    ("name", "given", "kind", "touched"),
    [
        # Claude Code
        ("Read", {"file_path": "/a.py"}, "read", [("read", "/a.py")]),
        (
            "Write",
            {"file_path": "/a.py", "content": "x"},
            "change",
            [("write", "/a.py")],
        ),
        (
            "Edit",
            {"file_path": "/a", "old_string": "x", "new_string": "y"},
            "change",
            [("edit", "/a")],
        ),
        (
            "MultiEdit",
            {"file_path": "/a", "edits": [{"old_string": "x"}]},
            "change",
            [("edit", "/a")],
        ),
        (
            "NotebookEdit",
            {"notebook_path": "/n.ipynb", "new_source": "1"},
            "change",
            [("edit", "/n.ipynb")],
        ),
        ("Bash", {"command": "rm a", "description": "d"}, "run", [("delete", "a")]),
        ("Grep", {"pattern": "x", "path": "/src"}, "search", []),
        ("Glob", {"pattern": "**/*.py"}, "search", []),
        ("LS", {"path": "/src"}, "search", []),
        ("TodoWrite", {"todos": []}, "todo", []),
        ("TaskCreate", {"subject": "x"}, "todo", []),
        ("TaskOutput", {"task_id": "b1"}, "poll", []),
        ("Task", {"description": "x", "prompt": "y"}, "other", []),
        ("WebFetch", {"url": "https://x", "prompt": "y"}, "search", []),
        # Codex
        (
            "shell",
            {"command": ["bash", "-lc", "rm a"], "workdir": "/w"},
            "run",
            [("delete", "/w/a")],
        ),
        (
            "shell",
            {"command": ["apply_patch", PATCH], "workdir": "/w"},
            "run",
            [("edit", "/w/a.py")],
        ),
        ("exec_command", {"cmd": "cat a", "workdir": "/w"}, "run", [("read", "/w/a")]),
        ("write_stdin", {"session_id": 12}, "poll", []),
        ("apply_patch", PATCH, "change", [("edit", "a.py")]),
        ("apply_patch", {"input": PATCH}, "change", [("edit", "a.py")]),
        ("update_plan", {"plan": []}, "todo", []),
        ("exec", "ls -la", "run", []),
        # Gemini CLI
        ("read_file", {"absolute_path": "/a"}, "read", [("read", "/a")]),
        (
            "read_many_files",
            {"paths": ["a", "b", 7]},
            "read",
            [("read", "a"), ("read", "b")],
        ),
        ("write_file", {"file_path": "a", "content": ""}, "change", [("write", "a")]),
        (
            "replace",
            {"file_path": "a", "old_string": "x", "new_string": "y"},
            "change",
            [("edit", "a")],
        ),
        ("run_shell_command", {"command": "ls", "directory": "/w"}, "run", []),
        ("write_todos", {"todos": []}, "todo", []),
        # pi
        ("read", {"path": "a", "offset": 3, "limit": 4}, "read", [("read", "a")]),
        (
            "edit",
            {"path": "a", "oldText": "x", "newText": "y"},
            "change",
            [("edit", "a")],
        ),
        ("bash", {"command": "ls"}, "run", []),
        # Copilot CLI
        ("view", {"path": "/a"}, "read", [("read", "/a")]),
        ("edit", {"path": "/a", "old_str": "x"}, "change", [("edit", "/a")]),
        ("powershell", {"command": "rm a"}, "run", [("delete", "a")]),
        ("rg", {"pattern": "x", "path": "/a"}, "search", []),
        ("write_bash", {"shellId": "1", "input": "y"}, "poll", []),
        ("report_intent", {"intent": "x"}, "other", []),
        # Kimi CLI, Kimi Code, Qwen Code
        ("Shell", {"command": "ls"}, "run", []),
        ("ReadMediaFile", {"path": "/a"}, "read", [("read", "/a")]),
        ("SearchWeb", {"query": "x"}, "search", []),
        ("SetTodoList", {"todos": []}, "todo", []),
        ("TodoList", {"todos": []}, "todo", []),
        ("read_many_files", {"paths": ["/a"]}, "read", [("read", "/a")]),
        ("save_memory", {"fact": "x"}, "other", []),
        # OpenHands' old actions, SWE-agent's windowed tools
        ("run_ipython", {"code": "1 + 1"}, "run", []),
        ("task_tracking", {"command": "plan", "task_list": []}, "todo", []),
        ("open", {"path": "/a", "line_number": 3}, "read", [("read", "/a")]),
        ("search_dir", {"search_term": "x", "dir": "/a"}, "search", []),
        ("find_file", {"file_name": "a.py"}, "search", []),
        ("submit", {}, "other", []),
        # OpenHands, SWE-agent
        ("execute_bash", {"command": "ls"}, "run", []),
        (
            "str_replace_editor",
            {"command": "view", "path": "/a"},
            "read",
            [("read", "/a")],
        ),
        (
            "str_replace_editor",
            {"command": "create", "path": "/a", "file_text": "x"},
            "change",
            [("write", "/a")],
        ),
        (
            "str_replace_editor",
            {"command": "str_replace", "path": "/a", "old_str": "x"},
            "change",
            [("edit", "/a")],
        ),
        ("str_replace_editor", {"command": "dance", "path": "/a"}, "other", []),
        # opencode
        ("write", {"filePath": "/a", "content": "x"}, "change", [("write", "/a")]),
        ("patch", {"patchText": "--- a/x\n+++ b/x\n-1\n+2"}, "change", [("edit", "x")]),
        # others by name
        (
            "mcp__fs__move_file",
            {"source": "/a", "destination": "/b/"},
            "change",
            [("move", "/a")],
        ),
        ("delete_file", {"target_file": "a"}, "change", [("delete", "a")]),
        ("functions.bash", {"command": "ls"}, "run", []),
        # unknown names, by their arguments
        (
            "foo",
            {"path": "a", "old_str": "x", "new_str": "y"},
            "change",
            [("edit", "a")],
        ),
        ("foo", {"path": "a", "diff": "--- x"}, "change", [("edit", "a")]),
        ("foo", {"path": "a", "content": "x"}, "change", [("write", "a")]),
        ("foo_view", {"path": "a"}, "read", [("read", "a")]),
        ("foo_remove", {"path": "a"}, "change", [("delete", "a")]),
        ("foo_rename", {"path": "a", "to": "b"}, "change", [("move", "a")]),
        ("foo_rename", {"path": "a"}, "other", []),
        ("foo_list", {"path": "a"}, "search", []),
        ("foo", {"path": "a", "command": "ls"}, "run", []),
        ("foo", {"path": "a", "command": "view"}, "read", [("read", "a")]),
        ("foo", {"cmd": "ls"}, "run", []),
        ("foo", {"input": PATCH}, "change", [("edit", "a.py")]),
        ("foo", {"query": "x"}, "search", []),
        ("foo", {"path": "a"}, "other", []),
        ("foo", {"a": 1}, "other", []),
        # a known name without what it needs
        ("Read", {"uri": "x"}, "other", []),
        ("Bash", {}, "other", []),
        ("write", {"text": "to a database"}, "other", []),
        ("apply_patch", {}, "change", []),
        (
            "apply_patch",
            {"command": ["apply_patch", PATCH]},
            "change",
            [("edit", "a.py")],
        ),
        # no JSON
        ("foo", "free text", "other", []),
    ],
)
def test_a_call_is_seen_as_an_act(
    name: str, given: Any, kind: str, touched: list[tuple[str, str]]
) -> None:
    action = classify(call(name, given))
    assert action.kind == kind
    assert [(touch.kind, touch.path) for touch in action.touches] == touched
    assert list(action.paths) == [path for _, path in touched]


@pytest.mark.parametrize(
    ("name", "given", "target"),
    [
        ("Bash", {"command": "ls\n  -la"}, "ls -la"),
        ("Read", {"file_path": "/a"}, "/a"),
        ("read_many_files", {"paths": ["a", "b", "c"]}, "a (+2)"),
        ("Grep", {"pattern": "x", "path": "/a"}, "x"),
        ("LS", {"path": "/a"}, "/a"),
        ("Agent", {"prompt": "long words", "description": "short"}, "short"),
        ("foo", {"b": "longer", "a": "x", "n": 3}, "x"),
        ("foo", {}, ""),
        ("write_stdin", {"session_id": 12}, "12"),
        ("write_stdin", {"session_id": [1]}, ""),
        ("exec", "ls", "ls"),
        ("foo", "free  text", "free text"),
    ],
)
def test_a_call_has_a_target_to_show(name: str, given: Any, target: str) -> None:
    assert classify(call(name, given)).target == target


@pytest.mark.parametrize(
    ("given", "change"),
    [
        ({"old_string": "a\nb", "new_string": "a\nc"}, "-b\n+c"),
        ({"old_string": "", "new_string": "c"}, "+c"),
        ({"edits": [{"oldText": "q"}, {"oldText": "a", "newText": "b"}]}, "-a\n+b"),
        ({"edit": {"old": "a", "new": "b"}}, "-a\n+b"),
        ({"edits": [7]}, ""),
        ({"diff": "-a\n+b"}, "-a\n+b"),
        ({"content": "all"}, "+all"),
        ({}, ""),
    ],
)
def test_an_edit_shows_its_last_replacement(given: dict[str, Any], change: str) -> None:
    (touch,) = classify(call("Edit", {"file_path": "/a", **given})).touches
    assert touch.change == change


def test_an_appending_write_is_an_edit() -> None:
    given = {"path": "a", "content": "x", "mode": "append"}
    assert classify(call("WriteFile", given)).touches[0].kind == "edit"


@pytest.mark.parametrize(
    ("given", "part"),
    [
        ({}, ""),
        ({"offset": 10, "limit": 5}, "lines 10-14"),
        ({"offset": "10"}, "lines 10-"),
        ({"limit": 5}, "lines 1-5"),
        ({"start_line": 3, "end_line": 9}, "lines 3-9"),
        ({"start_line": 1}, ""),
        ({"view_range": [3, 9]}, "lines 3-9"),
        ({"view_range": [3, -1]}, "lines 3-"),
        ({"view_range": [3]}, ""),
        ({"offset": True, "limit": "x"}, ""),
        ({"offset": -5, "limit": None}, ""),
    ],
)
def test_a_read_says_which_lines_were_asked_for(
    given: dict[str, Any], part: str
) -> None:
    (touch,) = classify(call("Read", {"file_path": "/a", **given})).touches
    assert touch.part == part
    assert touch.content
    assert touch.numbered


def test_relative_paths_are_seen_from_where_calls_run() -> None:
    action = classify(call("Edit", {"file_path": "a", "new_string": "x"}), cwd="/w")
    assert action.paths == ("/w/a",)
    given = {"source": "a", "destination": "b"}
    (touch,) = classify(call("move_file", given), cwd="/w").touches
    assert (touch.path, touch.to) == ("/w/a", "/w/b")
    run = classify(call("shell", {"command": "rm a", "workdir": "sub"}), cwd="/w")
    assert run.paths == ("/w/sub/a",)


def test_configuration_adds_tools_and_goes_first() -> None:
    rules = (ToolRule("my_saver", "write"), ToolRule("Grep", "read"))
    saved = classify(call("MySaver", {"path": "a"}), rules)
    assert [touch.kind for touch in saved.touches] == ["write"]
    assert classify(call("grep", {"path": "a"}), rules).kind == "read"
    assert classify(call("grep", {"pattern": "a"}), rules).kind == "search"


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("ReadFile", "readfile"),
        ("read_file", "readfile"),
        ("mcp__server__read-file", "readfile"),
        ("functions.read_file", "readfile"),
        ("server/read_file", "readfile"),
        ("name__", "name"),
        ("", ""),
    ],
)
def test_a_name_is_compared_without_its_dress(name: str, same: str) -> None:
    assert bare(name) == same


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
KEYS = st.sampled_from(
    [
        "path",
        "file_path",
        "command",
        "cmd",
        "content",
        "edits",
        "edit",
        "old_string",
        "new_string",
        "patch",
        "paths",
        "files",
        "offset",
        "limit",
        "view_range",
        "to",
        "todos",
        "plan",
        "session_id",
        "workdir",
        "mode",
        "query",
        "x",
    ]
)
NAMES = st.sampled_from(
    [
        "Read",
        "Write",
        "Edit",
        "apply_patch",
        "shell",
        "move_file",
        "delete_file",
        "write_stdin",
        "Grep",
        "TodoWrite",
        "TaskUpdate",
        "str_replace_editor",
        "foo",
        "",
    ]
)


@given(NAMES, st.dictionaries(KEYS, VALUES, max_size=5) | st.text(max_size=50))
def test_arguments_of_any_type_are_taken(name: str, given: Any) -> None:
    action = classify(call(name, given), cwd="/w")
    assert len(action.target) <= limits.FACT_TARGET + 2
    assert all(isinstance(path, str) for path in action.paths)


def test_keys_that_are_no_short_text_are_passed_over() -> None:
    given = {7: "a", "k" * 100: "b", "FilePath": "/a"}
    assert classify(call("Read", given)).paths == ("/a",)


def test_a_list_of_paths_is_bounded_and_may_hold_objects() -> None:
    given = {"files": [{"path": "a"}, {"file_path": "b"}, {}, *["c"] * 500]}
    paths = classify(call("read_files_custom", given)).paths
    assert paths[:3] == ("a", "b", "c")
    assert len(paths) <= limits.FACT_PATHS
