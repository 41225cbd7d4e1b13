"""What a collector learns beside the calls themselves: results, places, ids."""

from __future__ import annotations

import pytest
from speech import answer, bash, collected, says, user

from mewctl import limits
from mewctl.history.facts import Facts, Todo, from_json, to_json
from mewctl.history.tools import ToolRule
from mewctl.history.view import Call, Message, Text


@pytest.mark.parametrize(
    ("text", "created"),
    [
        ("File created successfully at: /a", True),
        ("Successfully created and wrote to new file: /a.", True),
        ("The file /a has been updated successfully.", False),
        ("Successfully wrote 9 bytes to /a", False),
    ],
)
def test_the_result_says_whether_a_written_file_is_new(text: str, created) -> None:
    write = Call("1", "Write", {"file_path": "/a", "content": "x"})
    (fact,) = collected(says("", write), answer("1", text)).files
    assert fact.created is created


def test_deleted_and_moved_files_make_reads_stale() -> None:
    read = Call("1", "Read", {"file_path": "/a"})
    gone = collected(says("", read), answer("1", "x"), says("", bash("2", "rm /a")),
                     answer("2"))  # fmt: skip
    assert [read.stale for read in gone.reads] == ["deleted"]
    moved = collected(says("", read), answer("1", "x"), says("", bash("2", "mv /a /b")),
                      answer("2"))  # fmt: skip
    assert [(f.path, f.deleted, f.created) for f in moved.files] == [
        ("/a", True, False),
        ("/b", False, True),
    ]
    assert [read.stale for read in moved.reads] == ["deleted"]


def test_where_calls_run_is_learned_from_the_environment() -> None:
    environment = "<environment_context>\n  <cwd>/w</cwd>\n</environment_context>"
    call = Call(
        "1", "apply_patch", "*** Begin Patch\n*** Delete File: a\n*** End Patch"
    )
    facts = collected(user(environment), says("", call), answer("1", "Success"))
    assert [fact.path for fact in facts.files] == ["/w/a"]
    later = collected(says("", bash("2", "rm b")), answer("2"), earlier=facts)
    assert [fact.path for fact in later.files] == ["/w/a", "/w/b"]
    without = collected(user("<environment_context>x</environment_context>"))
    assert without.extra == {}


def test_where_calls_run_is_learned_from_system_text() -> None:
    system = Message("system", (Text("# Env\n - Primary working directory: /w\n"),))
    other = Message("system", (Text("Working directory: /v"),))
    facts = collected(system, other, says("", bash("1", "rm a")), answer("1"))
    assert [fact.path for fact in facts.files] == ["/w/a"]


def test_a_command_in_the_background_ends_with_its_notification() -> None:
    note = (
        "<task-notification>\n<task-id>b7</task-id>\n<status>failed</status>\n"
        "<summary>failed with exit code 3</summary>\n</task-notification>"
    )
    facts = collected(
        says("", bash("1", "make")),
        answer("1", "Command running in background with ID: b7. Output is written to"),
        user(note, injected=True),
    )
    assert [(c.outcome, c.exit_code, c.runs) for c in facts.commands] == [
        ("failed", 3, 1)
    ]


def test_a_reason_grows_old() -> None:
    def edit(name: str) -> Call:
        return Call(name, "Edit", {"file_path": f"/{name}", "new_string": "x"})

    waiting = [says("", bash(str(n), "ls")) for n in range(limits.FACT_WHY_AGE)]
    facts = collected(
        says("Because of this.", edit("1")),
        answer("1"),
        says("", edit("2")),
        answer("2"),
        *waiting,
        says("", edit("3")),
        answer("3"),
        says("Because of that.", edit("4")),
        user("stop"),
        says("", edit("5")),
        answer("4"),
        answer("5"),
    )
    assert {f.path: f.why for f in facts.files} == {
        "/1": "Because of this.",
        "/2": "Because of this.",
        "/3": "",
        "/4": "Because of that.",
        "/5": "",
    }


def test_calls_written_into_text_are_calls() -> None:
    def block(command: str) -> Message:
        return says(f"I do it.\n\n```mswea_bash_command\n{command}\n```")

    facts = collected(
        user("do it"),
        block("cat a.py"),
        user("<returncode>0</returncode>\n<output>\nx = 1\n</output>"),
        block("make"),
        user("<returncode>2</returncode>\n<output>\nerror: no\n</output>"),
        block("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git diff"),
        user("diff --git a b"),
        user("well done"),
    )
    assert [u.text for u in facts.users] == ["do it", "well done"]
    assert [c.outcome for c in facts.commands] == ["passed", "failed", "passed"]
    assert [(r.path, r.content) for r in facts.reads] == [("a.py", "x = 1")]
    assert facts.said[-1].text == "I do it."


def test_a_written_call_may_stay_without_an_answer() -> None:
    facts = collected(says("```mswea_bash_command\nls\n```"), user("stop, please"))
    assert [u.text for u in facts.users] == ["stop, please"]


def test_reads_in_a_shells_frame_are_unwrapped() -> None:
    framed = (
        "Chunk ID: a\nWall time: 0.0 seconds\nProcess exited with code 0\n"
        "Original token count: 1\nOutput:\npackage x\n"
    )
    call = Call("1", "exec_command", {"cmd": "cat a.go", "workdir": "/w"})
    facts = collected(says("", call), answer("1", framed))
    assert [(r.path, r.content) for r in facts.reads] == [("/w/a.go", "package x\n")]


def test_a_read_among_other_things_counts_without_its_content() -> None:
    facts = collected(says("", bash("1", "cat /a; ls")), answer("1", "x"))
    assert [(fact.path, fact.reads) for fact in facts.files] == [("/a", 1)]
    assert facts.reads == ()


def test_configuration_extends_what_tools_are_known() -> None:
    call = Call("1", "keeper", {"path": "/a"})
    rules = (ToolRule("keeper", "delete"),)
    assert collected(says("", call), answer("1"), extra=rules).files[0].deleted
    assert collected(says("", call), answer("1")).files == ()


def test_tasks_keep_their_ids_across_collections() -> None:
    create = Call("1", "TaskCreate", {"subject": "a"})
    first = collected(says("", create), answer("1", "Task #4 created successfully: a"))
    assert first.extra == {"todo_ids": ["4"]}
    update = Call("2", "TaskUpdate", {"taskId": "4", "status": "completed"})
    again = collected(says("", update), answer("2"), earlier=from_json(to_json(first)))
    assert again.todos == (Todo("a", "done"),)


def test_a_failed_todo_call_leaves_the_list() -> None:
    call = Call("1", "TodoWrite", {"todos": ["a"]})
    assert collected(says("", call), answer("1", "bad", failed=True)).todos == ()


def test_results_without_a_known_call_are_passed_over() -> None:
    facts = collected(answer("nobody", "Error: x", failed=True))
    assert (facts.failures, facts.messages) == ((), 1)


def test_calls_that_wait_are_bounded() -> None:
    calls = [
        says("", bash(str(n), f"rm /{n}")) for n in range(limits.PENDING_CALLS + 1)
    ]
    facts = collected(*calls, answer("0"), answer("1"))
    assert [fact.path for fact in facts.files] == ["/1"]


def test_damaged_extra_facts_are_as_if_not_there() -> None:
    extra = {"todo_ids": "x", "cwd": 7, "other": 1}
    facts = collected(user("x"), earlier=Facts(todos=(Todo("a", "open"),), extra=extra))
    assert facts.extra["other"] == 1
    mixed = Facts(todos=(Todo("a", "open"),), extra={"todo_ids": [7]})
    assert collected(user("x"), earlier=mixed).todos == (Todo("a", "open"),)


def test_prose_and_overhead_of_earlier_facts_stay() -> None:
    earlier = Facts(prose={2: "x"}, overhead=5, language="zh", boundaries=("b",))
    facts = collected(says("x"), earlier=earlier)
    assert (facts.prose, facts.overhead, facts.boundaries) == ({2: "x"}, 5, ("b",))
    assert facts.language == "zh"
