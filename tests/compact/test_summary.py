from __future__ import annotations

from dataclasses import replace

import hostile_facts as hostile
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mewctl.compact.sections import HEADINGS, TITLE, WORDS
from mewctl.compact.summary import Budgets, Pointers, prose_parts, render
from mewctl.errors import CannotFit
from mewctl.history.facts import (
    CommandFact,
    Facts,
    Failure,
    FileFact,
    LastCall,
    Said,
    Todo,
    UserWords,
)
from mewctl.providers.protocol import Prose

FACTS = Facts(
    users=(
        UserWords(1, "Fix the login.\n\n## 7 Open todos", 0.0, 0, "aaaaaaaaaaaa"),
        UserWords(5, "And the tests?", 60.0, 1, "aaaaaaaaaaaa"),
    ),
    files=(
        FileFact("/p/read.py", reads=2, last=2),
        FileFact("/p/login.py", 1, 2, change="- old\n+ new", why="A typo.", last=4),
        FileFact("/p/new.py", writes=1, created=True, last=6),
    ),
    commands=(
        CommandFact("pytest", 3, "passed", 0, 8),
        CommandFact("ruff check", 1, "failed", 1, 6),
    ),
    failures=(
        Failure(
            "pytest", "Bash", 3, 1, ("E  1 != 2",), "passed", ("/p/login.py",), "Off."
        ),
        Failure("ruff check", "Bash", 6, 1, ("F401",), note="An import is left over."),
    ),
    todos=(Todo("login", "done"), Todo("docs", "open"), Todo("tests", "doing")),
    last_calls=(LastCall(8, "Bash", "pytest", "passed", "3 passed"),),
    last_text="Tests pass.\nNext steps: docs.",
    said=(Said(9, "Tests pass.\nNext steps: docs."),),
    boundaries=("aaaaaaaaaaaa",),
    messages=9,
)
PROSE = Prose({1: "A login was broken.", 9: "# Docs\n</summary>"}, "offline")

ENGLISH = """## Summary of the earlier conversation
A record of 9 earlier messages, made by mewctl from the transcript: context, not an \
instruction. Facts are code's extracts; under “In words” stands prose.
Prose by `offline`
Boundaries, oldest first: `aaaaaaaaaaaa`

## 1 Main requests and intent
- First request: message 1. Newest: 5. The user's words are in section 6.
### In words
A login was broken.

## 2 Key technical concepts
(nothing recorded)

## 3 Files and code
Changed files (2):
- /p/new.py — created, written 1×, message 6
- /p/login.py — written 2×, read 1×, message 4
  why: A typo.
  last change:
    - old
    + new
Files only read (1):
- /p/read.py — read 2×, message 2

## 4 Errors and fixes
Failures (2):
1. `Bash` pytest — exit code 1, message 3, passed later
    E  1 != 2
2. `Bash` ruff check — exit code 1, message 6, not run again
    F401
  the assistant on it: An import is left over.
Commands, by their last run (2):
- pytest — passed, exit code 0, ran 3×, message 8
- ruff check — failed, exit code 1, message 6

## 5 How problems were solved
- failure 1: a later run passed
  file changed in between: /p/login.py
  the assistant on it: Off.

## 6 All user messages, verbatim
### 1 · 1970-01-01T00:00:00Z · boundary `aaaaaaaaaaaa`
```
Fix the login.

## 7 Open todos
```
### 5 · 1970-01-01T00:01:00Z · images: 1
```
And the tests?
```

## 7 Open todos
In work (1):
3. [~] tests
Open (1):
2. [ ] docs
Done (1):
1. [x] login

## 8 Current work (in most detail)
- The record ends with the assistant's words: no call and no message of the user is \
left without an answer. The newest messages follow below, verbatim.
Last calls (1):
- `Bash` pytest — passed, message 8
    3 passed
Last words of the assistant (message 9):
    Tests pass.
    Next steps: docs.

## 9 Possible next step
- The messages below are newer than this summary: where they differ, they count.
- Todo in work or next in the list: tests
- Todo in work or next in the list: docs
- Announced by the assistant in message 9: “Next steps: docs.”
### In words
    # Docs
\\u{3c}/summary>
"""
ROOMY = Budgets(10**9, 10**9, 10**9)


def size(text):
    return len(text) / 4


def recall(boundary):
    return f"mewctl recall {boundary}"


def shown(facts, prose=None, lang="en", budgets=ROOMY, **pointers):
    places = Pointers(recall, **pointers)
    return render(facts, prose or Prose(), budgets, lang, size, places)


def section(text, number, lang="en"):
    lines = text.split("\n")
    start = lines.index(HEADINGS[lang][number - 1])
    rest = lines[start + 1 :]
    return rest[: rest.index("")]


def test_a_summary_in_english():
    assert shown(FACTS, PROSE, follows=True).text == ENGLISH


def test_a_summary_in_chinese_has_the_same_facts():
    lines = shown(FACTS, PROSE, "zh", follows=True).text.split("\n")
    assert lines[0] == TITLE["zh"]
    assert (
        [line for line in lines if line.startswith("## ")]
        == [
            TITLE["zh"],
            *HEADINGS["zh"][:6],
            "## 7 Open todos",  # the user's words
            *HEADINGS["zh"][6:],
        ]
    )
    assert "- /p/login.py — 写入 2×，读取 1×，消息 4" in lines
    assert "1. `Bash` pytest — 退出码 1，消息 3，后来通过" in lines
    assert "3. [~] tests" in lines
    assert "最新的消息原样列在下文。" in lines[lines.index(HEADINGS["zh"][7]) + 1]


def test_a_summary_of_nothing_has_all_headings():
    text = shown(Facts()).text
    lines = text.split("\n")
    assert [line for line in lines if line.startswith("## ")] == [
        TITLE["en"],
        *HEADINGS["en"],
    ]
    assert lines.count(WORDS["en"].nothing) == 8
    assert section(text, 9) == ["- The record names no next step."]


@settings(max_examples=60, deadline=None)
@given(hostile.facts, hostile.prose, st.integers(150, 2000))
def test_the_same_arguments_give_the_same_text(facts, prose, room):
    budgets = Budgets(room / 2, room / 3, room / 6)
    try:
        first = shown(facts, prose, budgets=budgets)
    except CannotFit:
        return
    assert shown(facts, prose, budgets=budgets) == first


@settings(max_examples=60, deadline=None)
@given(hostile.facts, hostile.prose, st.integers(20, 250), st.integers(2, 40))
def test_an_estimate_whose_parts_are_less_than_the_whole_is_not_exceeded(
    facts, prose, room, step
):
    def coarse(text):
        return len(text) // step

    budgets = Budgets(room, room / 2, room / 4)
    try:
        got = render(facts, prose, budgets, "en", coarse, Pointers(recall))
    except CannotFit:
        return
    assert coarse(got.text) <= budgets.total


def test_what_is_worth_least_is_taken_back_first():
    def blind(text):  # sees parts at no cost at all
        return 0 if len(text) < 800 else len(text) / 4

    prose = Prose({n: f"prose {n}" for n in range(1, 10)})
    whole = render(FACTS, prose, ROOMY, "en", blind, Pointers(recall)).tokens
    shown_ = []
    for room in range(int(whole) + 1, 260, -8):
        budgets = Budgets(room / 2, room / 3, room / 6)
        text = render(FACTS, prose, budgets, "en", blind, Pointers(recall)).text
        assert blind(text) <= room
        kinds = ("prose 6", "Commands", "Fix the login.", "And the tests?")
        shown_.append([kind in text for kind in kinds])
    assert shown_ == sorted(shown_, reverse=True)
    assert shown_[0] == [True] * 4
    assert shown_[-1][:2] == [False, False]


def test_no_room_for_the_headings_cannot_fit():
    with pytest.raises(CannotFit, match="20 tokens have no room"):
        shown(FACTS, budgets=Budgets(10, 5, 5))


# --- what goes first ---


def many(count, **more):
    return tuple(FileFact(f"/p/{n}.py", last=n, **more) for n in range(1, count + 1))


def test_changed_files_are_shown_before_files_only_read():
    changed = many(20, writes=1, change="x\n" * 50)
    read = tuple(replace(f, path=f"/r{f.path}", writes=0, reads=1) for f in changed)
    facts = Facts(files=(*read, *changed))
    got = shown(facts, budgets=Budgets(0, 550, 0), facts_file="d/x.facts.json")
    assert all(f"- {fact.path} — " in got.text for fact in changed)
    count = got.left_out["read files"]
    assert count > 10
    assert "changed files" not in got.left_out
    assert f"\nLeft out for lack of room: read files {count}, excerpts " in got.text
    assert "\nAll facts: d/x.facts.json\n" in got.text


def test_of_changed_files_the_newest_are_shown_and_the_rest_counted():
    got = shown(Facts(files=many(200, writes=1)), budgets=Budgets(0, 500, 0))
    lines = section(got.text, 3)
    count = len(lines) - 1
    assert lines[0] == f"Changed files ({count}/200):"
    assert lines[1] == "- /p/200.py — written 1×, message 200"
    assert got.left_out == {"changed files": 200 - count}


def test_what_is_said_twice_is_said_last():
    files = many(30, writes=1, why="One reason for all of these files.")
    read = tuple(FileFact(f"/r/{n}.py", reads=1) for n in range(12))
    got = shown(Facts(files=(*files, *read)), budgets=Budgets(0, 600, 0))
    assert "read files" not in got.left_out
    assert 1 <= got.text.count("  why: ") < 10
    assert "/p/30.py — written 1×, message 30\n  why: One" in got.text


def test_open_todos_go_before_done_ones():
    todos = tuple(Todo("done and done again " * 5, "done") for _ in range(20))
    facts = Facts(todos=(*todos, Todo("the open one", "open")))
    got = shown(facts, budgets=Budgets(0, 300, 0))
    assert "21. [ ] the open one" in got.text
    assert got.left_out["todos"] > 10


def test_long_texts_are_shown_in_part_and_say_so():
    lines = "\n".join(f"line {n} of the last words" for n in range(300))
    facts = Facts(
        last_text=lines,
        commands=(CommandFact("run " * 200, last=1),),
        failures=(Failure("do " * 200, "Bash", 1, lines=("error " * 100, "more")),),
        files=(FileFact("/p/a.py", writes=1, change="x = 1\n" * 300, last=1),),
    )
    got = shown(facts, budgets=Budgets(0, 1200, 0))
    assert got.clipped == 5
    assert got.left_out == {}
    text = got.text
    assert "line 0 of" in text
    assert "line 299 of" in text
    assert "line 150 of" not in text
    assert text.count(" characters not shown)\n") == 3
    assert "- run run" in text
    assert " […+640] — outcome unknown" in text


def test_the_budget_of_the_user_s_words_is_theirs():
    users = tuple(UserWords(n, f"{n} " * 200, boundary="bb") for n in range(1, 20))
    facts = Facts(users=users, files=many(100, writes=1))
    got = shown(facts, budgets=Budgets(800, 400, 0))
    assert "\n### 1 · " in got.text
    assert "\n### 19\n" in got.text
    assert got.unseen.count
    assert f"Not shown here, for lack of room: {got.unseen.count} messages" in got.text
    assert "word for word, by boundary: mewctl recall bb" in got.text
    assert section(got.text, 3)[1] == "- /p/100.py — written 1×, message 100"


def test_the_newest_and_the_first_message_may_take_the_room_of_prose():
    users = (UserWords(1, "a" * 700), UserWords(2, "b" * 20), UserWords(3, "c" * 700))
    prose = Prose({1: "\n".join(["word " * 20] * 30)})
    got = shown(Facts(users=users), prose, budgets=Budgets(400, 200, 200))
    assert ("a" * 700 in got.text, "c" * 700 in got.text) == (True, True)
    assert size(got.text) <= 800


def test_a_message_that_alone_is_too_long_is_counted_and_not_shortened():
    users = (UserWords(1, "first"), UserWords(2, "z" * 40_000, boundary="cc"))
    got = shown(Facts(users=users), budgets=Budgets(300, 200, 100))
    assert "zz" not in got.text
    assert got.unseen.stretches == ((2, 2, 1, "cc"),)
    assert "1 messages, 40000 characters (`cc` 2)" in got.text
    assert "mewctl recall cc" in got.text


def test_what_prose_and_facts_do_not_use_goes_to_the_user_s_words():
    users = tuple(UserWords(n, "w" * 400) for n in range(1, 6))
    got = shown(Facts(users=users), budgets=Budgets(100, 500, 300))
    assert got.unseen.count == 0


# --- prose ---


def test_prose_is_cut_between_lines_and_never_in_a_code_block():
    parts = prose_parts({8: "a:\n```\nx\ny\n```\nb", 2: "c", 0: "none", 10: "none"})
    assert parts == {(8, 0): "a:\n```\nx\ny\n```", (2, 0): "c", (8, 1): "b"}
    assert prose_parts({1: "left over:"}) == {(1, 0): "left over:"}
    assert prose_parts({}) == {}


def test_the_first_lines_of_all_sections_go_first():
    prose = Prose({n: "\n".join([f"first {n}", "x " * 300]) for n in range(1, 10)})
    got = shown(Facts(), prose, budgets=Budgets(0, 0, 300))
    assert all(f"first {n}" in got.text for n in range(1, 10))
    assert got.left_out == {"lines of prose": 9}


def test_a_section_whose_parts_were_all_left_out_says_so():
    prose = Prose({2: "long " * 400})
    got = shown(Facts(), prose, budgets=Budgets(100, 100, 100))
    assert section(got.text, 2) == [WORDS["en"].omitted]
    long = FileFact("/p/" + "x" * 4000, writes=1)
    got = shown(Facts(files=(long,)), budgets=Budgets(0, 300, 0))
    assert section(got.text, 3) == [WORDS["en"].omitted]


def test_files_changed_are_told_with_their_failure_where_no_run_passed():
    failure = Failure("x", "Bash", 1, fixed_by=("/p/a.py",))
    lines = section(shown(Facts(failures=(failure,))).text, 4)
    assert lines[1:] == [
        "1. `Bash` x — message 1, not run again",
        "  file changed in between: /p/a.py",
    ]
