from __future__ import annotations

from dataclasses import replace

import hostile_facts as hostile
from hypothesis import given, settings
from hypothesis import strategies as st
from unseen import unseen

from mewctl.compact.quote import neutralise
from mewctl.compact.sections import HEADINGS, TITLE
from mewctl.compact.summary import Budgets, Pointers, render
from mewctl.compact.summary_read import read
from mewctl.compact.user_words import unseen_before
from mewctl.errors import CannotFit
from mewctl.history.facts import Facts, Failure, UserWords
from mewctl.providers.protocol import Prose

ROOMY = Budgets(10**9, 10**9, 10**9)
TAG = "[mewctl boundary 0123456789ab tail=2]"


def size(text):
    return len(text) / 4


def recall(boundary):
    return f"mewctl recall {boundary}"


def shown(facts, prose=None, lang="en", budgets=ROOMY, pointers=Pointers(recall)):  # noqa: B008 - a frozen value
    return render(facts, prose or Prose(), budgets, lang, size, pointers)


def newest_first(items):
    return sorted(items, key=lambda item: -item.last)


@settings(max_examples=100, deadline=None)
@given(
    hostile.facts,
    hostile.prose,
    hostile.langs,
    st.sampled_from(
        ["", "\n", "\n## Recently read files\n### /a\n## 7 Open todos\n1. [x] faked\n"]
    ),
)
def test_a_summary_reads_back_whatever_its_texts_hold(facts, prose, lang, rest):
    pointers = Pointers(recall, "dropped/x.facts.json", follows=bool(rest))
    got = shown(facts, prose, lang, pointers=pointers)
    back = read(got.text + rest + TAG)
    assert back.users == facts.users
    assert back.boundaries == facts.boundaries
    assert back.messages == facts.messages
    assert newest_first(back.commands) == newest_first(facts.commands)
    assert back.failures == facts.failures
    assert back.todos == facts.todos
    assert back.last_calls == facts.last_calls
    assert back.last_text == facts.last_text
    assert sorted(map(repr, back.files)) == sorted(map(repr, facts.files))
    neutral = {n: neutralise(text) for n, text in prose.sections.items()}
    assert back.prose == {n: text for n, text in neutral.items() if text}
    assert back.language == lang
    assert (got.left_out, got.unseen.count, got.clipped) == ({}, 0, 0)
    for user in facts.users:
        assert user.text in got.text


@settings(max_examples=100, deadline=None)
@given(
    hostile.facts,
    hostile.prose,
    hostile.langs,
    st.integers(150, 900),
    st.lists(st.floats(0, 1), min_size=2, max_size=2).map(sorted),
)
def test_a_summary_in_little_room_fits_reads_back_and_counts_the_rest(
    facts, prose, lang, room, cuts
):
    facts = replace(
        facts,
        boundaries=facts.boundaries[:1],
        users=tuple(
            replace(user, n=n, boundary="ab" * 6)
            for n, user in enumerate(facts.users, 1)
        ),
    )
    low, high = cuts
    budgets = Budgets(room * low, room * (high - low), room * (1 - high))
    try:
        got = shown(facts, prose, lang, budgets)
    except CannotFit:
        return
    assert size(got.text) <= budgets.total + 1e-6
    assert got.tokens == size(got.text)
    back = read(got.text)
    kept = {user.n: user for user in back.users}
    hidden = {n for n, _ in unseen(back)}
    assert hidden == {stretch.first for stretch in got.unseen.stretches}
    assert got.left_out.get("user messages", 0) == len(hidden)
    for user in facts.users:
        assert (kept.get(user.n) == user) is (user.n not in hidden)
    assert {fact.path for fact in back.files} <= {fact.path for fact in facts.files}
    assert {todo.text for todo in back.todos} <= {todo.text for todo in facts.todos}
    neutral = {n: neutralise(text).split("\n") for n, text in prose.sections.items()}
    for number, text in back.prose.items():
        assert set(text.split("\n")) <= set(neutral[number])


@settings(max_examples=100, deadline=None)
@given(hostile.texts)
def test_no_text_makes_the_reader_raise(text):
    read(text)
    read(f"{TITLE['en']}\n{text}")
    assert read(f"no summary {text}\n{text}".replace("#", "")) == Facts()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(hostile.HOSTILE), max_size=30), st.integers(0, 8))
def test_foreign_lines_in_a_section_make_the_reader_raise_nothing(lines, section):
    whole = shown(Facts()).text
    heading = HEADINGS["en"][section]
    head, _, _ = whole.partition(heading)
    found = read("\n".join([head + heading, *lines]))
    assert found.messages == read(whole).messages


def test_ten_rounds_through_the_text_keep_every_message_once_and_in_order():
    facts = Facts()
    for round_ in range(10):
        boundary = f"{round_:012x}"
        users = [
            UserWords(round_ * 10 + i, f"words {round_}.{i}\n```\n", 100.0 * i, i % 2)
            for i in range(1, 4)
        ]
        facts = replace(
            facts,
            users=(*facts.users, *(replace(u, boundary=boundary) for u in users)),
            boundaries=(*facts.boundaries, boundary),
            messages=facts.messages + 10,
        )
        back = read(shown(facts, lang="zh" if round_ % 2 else "en").text)
        assert back == replace(facts, language=back.language)
        facts = back
    assert [user.text[:9] for user in facts.users] == [
        f"words {round_}.{i}" for round_ in range(10) for i in range(1, 4)
    ]
    assert len(facts.boundaries) == 10


def test_ten_rounds_in_little_room_keep_or_count_every_message_once():
    facts = Facts()
    for round_ in range(10):
        boundary = f"{round_:012x}"
        users = tuple(
            UserWords(round_ * 10 + i, "words " * 30, boundary=boundary)
            for i in range(1, 4)
        )
        facts = replace(
            facts,
            users=(*facts.users, *users),
            boundaries=(*facts.boundaries, boundary),
        )
        facts = read(shown(facts, budgets=Budgets(300, 100, 50)).text)
    hidden = unseen(facts)
    numbers = [user.n for user in facts.users] + [n for n, _ in hidden]
    assert sorted(numbers) == [
        round_ * 10 + i for round_ in range(10) for i in (1, 2, 3)
    ]
    assert all(n // 10 == int(b, 16) for n, b in hidden)
    assert unseen_before(facts).characters == 180 * len(hidden)
    assert facts.users[-1].n == 93


def test_the_title_that_comes_first_counts():
    quoted = UserWords(1, f"{TITLE['en']}\n{HEADINGS['en'][0]}")
    assert read(shown(Facts(users=(quoted,)), lang="zh").text).users == (quoted,)


def test_who_wrote_the_prose_is_read_back():
    prose = Prose({1: "What was wanted."}, "anthropic", "claude-x")
    assert read(shown(Facts(), prose).text).extra == {"prose_by": "anthropic, claude-x"}


def test_the_original_s_summary_is_kept_as_prose():
    text = """## 历史会话摘要

## 1 主要请求和意图
修复登录。
### 3. 文件和代码段：
- a.py
## 8 当前工作
```
x = 1
## 最近读过的文件
## 9 可能的下一步
faked
"""
    facts = read(text)
    assert facts.prose == {1: "修复登录。", 3: "- a.py", 8: "```\nx = 1\n```"}
    assert facts.language == "zh"
    assert facts.extra == {"prose_by": "an earlier summary"}


def test_a_summary_of_another_writer_needs_a_title_or_three_headings():
    two = "## 1 Main requests and intent\na\n## 2 Key technical concepts\nb"
    assert read(two) == Facts()
    three = read(f"{two}\n## 9 Possible next step\nc")
    assert three.prose == {1: "a", 2: "b", 9: "c"}
    assert three.language == "en"
    assert (
        read("## 1 主要请求和意图\na\n## 2 关键技术概念\nb\n## 7 待办任务\nc").language
        == "zh"
    )
    assert read(f"{TITLE['en']}\n{two}").prose == {1: "a", 2: "b"}


def test_a_pointer_that_counts_the_world_costs_nothing():
    whole = shown(Facts()).text
    heading = HEADINGS["en"][5]
    line = (
        "Not shown here, for lack of room: 9 messages, 9 characters (`a` 1–999999999)"
    )
    facts = read(whole.replace(heading, f"{heading}\n{line}"))
    assert unseen_before(facts).stretches == ((1, 999999999, 999999999, "a"),)


def test_a_message_heading_without_its_fence_is_no_message():
    whole = shown(Facts()).text
    heading = HEADINGS["en"][5]
    for lines in (
        "### 3",
        "### 3\n```\nopen",
        "### x\n```\na\n```",
        "## 3\n```\na\n```",
    ):
        assert read(whole.replace(heading, f"{heading}\n{lines}")).users == ()
    facts = read(whole.replace(heading, f"{heading}\n### 3 · never\n```\na\n```"))
    assert facts.users == (UserWords(3, "a"),)


def test_lines_of_ours_that_were_changed_are_passed_over():
    facts = Facts(failures=(Failure("make", "Bash", 3, lines=("no",), note="Hm."),))
    text = shown(facts).text
    assert read(text).failures == facts.failures
    line = "1. `Bash` make — message 3, not run again"
    for changed in (
        "1. Bash make",
        "1. `Bash` make",
        "1. `Bash` make — message 3",
        "1) x",
    ):
        assert read(text.replace(line, changed)).failures == ()
    odd = text.replace("  the assistant on it: Hm.", "  why: Hm.\n  nothing known")
    assert read(odd).failures == (replace(facts.failures[0], note=""),)
    solved = HEADINGS["en"][4] + "\n- failure 7: a later run passed\n  why: x"
    assert read(text.replace(HEADINGS["en"][4], solved)) == read(text)


def test_a_summary_that_breaks_off_is_read_so_far():
    users = (UserWords(1, "one"), UserWords(2, "two"))
    text = shown(Facts(users=users, last_text="x")).text
    upto = text.index("two\n```") + len("two\n```")
    assert read(text[:upto]).users == users
    assert read(text[: upto - 1]).users == users[:1]
    assert read(text[:upto]).last_text == ""
