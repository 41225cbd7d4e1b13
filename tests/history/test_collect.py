from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from speech import answer, bash, collected, says, user

from mewctl import limits
from mewctl.history.collect import Collector
from mewctl.history.facts import (
    Facts,
    FileFact,
    LastCall,
    Todo,
    UserWords,
    from_json,
    to_json,
)
from mewctl.history.view import Call, Image, Message, Opaque, Result, Text, Thinking

STORY = (
    user("Fix the parser, please.", time=1.0),
    says("I run the tests first.", bash("1", "make test")),
    answer("1", "Exit code 2\n--- FAIL: TestParse\nparse_test.go:9: got 1, want 2",
           failed=True),
    says("The loop ends one entry early; I change its bound.",
         Call("2", "Read", {"file_path": "/w/parse.go"})),
    answer("2", "     1→package parse\n     2→var n = 1"),
    says("", Call("3", "Edit", {"file_path": "/w/parse.go", "old_string": "n = 1",
                                "new_string": "n = 2"})),
    answer("3", "The file /w/parse.go has been updated."),
    says("", bash("4", "make test")),
    answer("4", "ok"),
    says("", Call("5", "TodoWrite", {"todos": [
        {"content": "Fix the parser", "status": "completed"},
        {"content": "Say so", "status": "in_progress"}]})),
    answer("5", "Todos have been modified successfully."),
    says("The parser is fixed: it read one entry too few."),
    user("Thank you. And the docs?"),
)  # fmt: skip


def test_a_story_is_told_by_its_facts() -> None:
    facts = collected(*STORY)
    assert facts.messages == len(STORY)
    assert facts.users == (
        UserWords(1, "Fix the parser, please.", 1.0),
        UserWords(13, "Thank you. And the docs?"),
    )
    assert facts.files == (
        FileFact(
            "/w/parse.go", reads=1, writes=1, change="-n = 1\n+n = 2",
            why="The loop ends one entry early; I change its bound.", last=7,
        ),
    )  # fmt: skip
    (command,) = facts.commands
    assert (command.command, command.runs, command.outcome) == (
        "make test",
        2,
        "passed",
    )
    (failure,) = facts.failures
    assert failure.lines == ("--- FAIL: TestParse", "parse_test.go:9: got 1, want 2")
    assert (failure.n, failure.exit_code, failure.later) == (3, 2, "passed")
    assert failure.fixed_by == ("/w/parse.go",)
    assert failure.note == "The loop ends one entry early; I change its bound."
    assert facts.todos == (Todo("Fix the parser", "done"), Todo("Say so", "doing"))
    assert facts.last_text == "The parser is fixed: it read one entry too few."
    assert facts.said[-1].text == facts.last_text
    (read,) = facts.reads
    assert (read.path, read.content) == ("/w/parse.go", "package parse\nvar n = 1")
    assert (read.stale, read.time) == ("written", 9.0)
    assert facts.language == "en"


def test_the_last_calls_say_how_they_ended() -> None:
    facts = collected(*STORY, says("", bash("6", "make docs")))
    assert [(c.n, c.tool, c.target, c.outcome) for c in facts.last_calls] == [
        (2, "Bash", "make test", "failed"),
        (4, "Read", "/w/parse.go", "passed"),
        (6, "Edit", "/w/parse.go", "passed"),
        (8, "Bash", "make test", "passed"),
        (10, "TodoWrite", "", "passed"),
        (14, "Bash", "make docs", "unknown"),
    ]
    excerpts = [call.excerpt for call in facts.last_calls]
    assert excerpts[0].startswith("--- FAIL: TestParse\n")
    assert excerpts[1:] == ["", "", "ok", "", ""]


def test_only_the_newest_calls_are_the_last() -> None:
    calls = [bash(str(n), f"x {n}") for n in range(limits.FACT_LAST_CALLS + 5)]
    old = Facts(last_calls=(LastCall(1, "Old", "x"),))
    facts = collected(*(says("", call) for call in calls), earlier=old)
    assert len(facts.last_calls) == limits.FACT_LAST_CALLS
    assert facts.last_calls[-1].target == calls[-1].input["command"]  # type: ignore[index]


def test_collecting_goes_on_where_it_ended() -> None:
    for cut in range(len(STORY)):
        if STORY[cut].role == "tool":  # a cut never parts a call from its result
            continue
        first = collected(*STORY[:cut])
        again = collected(*STORY[cut:], earlier=from_json(to_json(first)))
        whole = collected(*STORY)
        assert again.users == whole.users
        assert again.messages == whole.messages
        assert again.todos == whole.todos
        assert again.language == whole.language
        assert again.last_text == whole.last_text


def test_facts_may_be_asked_for_at_any_time() -> None:
    collector = Collector()
    for message in STORY:
        collector.add(message)
        assert collector.facts() == collector.facts()


def test_our_own_summary_is_no_message_and_has_its_boundary() -> None:
    text = (
        "## Summary of the earlier conversation\n[mewctl boundary 0123456789ab tail=1]"
    )
    facts = collected(user(text), user(text), user("go on"), earlier=Facts(messages=7))
    assert facts.boundaries == ("0123456789ab",)
    assert facts.users == (UserWords(8, "go on"),)
    assert facts.messages == 8
    assert collected(user("## 历史会话摘要\nx")).boundaries == ()


def test_markers_are_no_messages() -> None:
    assert collected(Message("user", (), marker=True)).messages == 0


def test_injected_text_is_not_the_users() -> None:
    facts = collected(
        user("reminder", injected=True),
        user("<system-reminder>x</system-reminder>"),
        user("real"),
        Message("system", (Text("be good"),)),
    )
    assert facts.users == (UserWords(3, "real"),)


def test_images_of_the_user_are_counted() -> None:
    image = Image(data="x")
    facts = collected(
        Message("user", (Text("look"), image, image)),
        Message("user", (image,)),
        Message("user", (image,), injected=True),
        Message("user", (Opaque("document", 1, {}),)),
    )
    assert [(u.n, u.text, u.images) for u in facts.users] == [
        (1, "look", 2),
        (2, "", 1),
    ]


def test_failed_changes_change_nothing() -> None:
    facts = collected(
        says("", Call("1", "Edit", {"file_path": "/a", "new_string": "x"})),
        answer("1", "<tool_use_error>File has not been read yet.</tool_use_error>",
               failed=True),
        says("", bash("2", "rm /b")),
        answer("2", "Exit code 1\nrm: /b: denied", failed=True),
        says("", bash("3", "echo x > /c; make")),
        answer("3", "Exit code 2", failed=True),
        says("", Call("4", "Read", {"file_path": "/d"})),
        answer("4", "<tool_use_error>File does not exist.", failed=True),
    )  # fmt: skip
    assert [fact.path for fact in facts.files] == ["/c"]
    assert facts.reads == ()


PARTS = st.one_of(
    st.builds(Text, st.text(max_size=40)),
    st.builds(Thinking, st.text(max_size=5)),
    st.builds(
        Call,
        st.sampled_from("abc"),
        st.sampled_from(
            ["Bash", "Edit", "TodoWrite", "TaskUpdate", "apply_patch", "x"]
        ),
        st.text(max_size=40)
        | st.dictionaries(
            st.sampled_from(["command", "file_path", "todos", "new_string"]),
            st.text(max_size=20) | st.lists(st.text(max_size=5)) | st.none(),
        ),
    ),
    st.builds(
        Result,
        st.sampled_from("abc"),
        st.lists(st.builds(Text, st.text(max_size=40))).map(tuple),
        st.booleans(),
    ),
)
MESSAGES = st.lists(
    st.builds(
        Message,
        st.sampled_from(["user", "assistant", "tool", "system"]),
        st.lists(PARTS, max_size=4).map(tuple),
        injected=st.booleans(),
    ),
    max_size=8,
)


@given(MESSAGES)
def test_any_messages_give_facts_that_survive_json(messages: list[Message]) -> None:
    facts = collected(*messages)
    assert from_json(to_json(facts)) == facts


def edits(*paths: str, text: str = "") -> list[Message]:
    """One message that edits files, and what came of it."""
    calls = [
        Call(p, "Edit", {"file_path": p, "old_string": "a", "new_string": "b"})
        for p in paths
    ]
    return [says(text, *calls), *(answer(path, "edited") for path in paths)]


def test_words_are_the_reason_of_the_first_changes_after_them_and_of_what_they_name():
    facts = collected(
        says("Now the loop, and later c.py:"),
        says("", bash("look", "ls")),
        answer("look"),
        *edits("/p/a.py", "/p/b.py"),
        *edits("/p/a.py"),
        *edits("/p/c.py"),
        *edits("/p/d.py"),
        *edits("/p/e.py", text="Then the rest:"),
    )
    assert {fact.path: fact.why for fact in facts.files} == {
        "/p/a.py": "Now the loop, and later c.py:",
        "/p/b.py": "Now the loop, and later c.py:",
        "/p/c.py": "Now the loop, and later c.py:",
        "/p/d.py": "",
        "/p/e.py": "Then the rest:",
    }
