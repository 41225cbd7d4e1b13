from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl.history import boundary
from mewctl.history.boundary import Boundary
from mewctl.history.view import Message, Result, Text

TITLE = boundary.SUMMARY_TITLES[0]
TAG = "[mewctl boundary 0123456789ab tail=3]"


def user(text: str) -> Message:
    return Message("user", (Text(text),))


@given(st.from_regex(r"[0-9a-f]{12}", fullmatch=True), st.integers(0, 10**9 - 1))
def test_a_tag_reads_back(name: str, tail: int) -> None:
    cut = Boundary(name, tail)
    assert boundary.parse("text\n" + boundary.make(cut)) == cut


@pytest.mark.parametrize(
    "text",
    [
        "",
        f"{TAG}\nmore",
        f"see {TAG}",
        f"{TAG} and",
        "[mewctl boundary 0123456789AB tail=3]",
        "[mewctl boundary 0123456789ab tail=-3]",
        "[mewctl boundary 0123 tail=3]",
        "[mewctl boundary 0123456789ab tail=١]",
    ],
)
def test_a_tag_counts_only_as_the_whole_last_line(text: str) -> None:
    assert boundary.parse(text) is None


def test_blanks_behind_a_tag_do_not_matter() -> None:
    assert boundary.parse(f"a\n{TAG}\n \n") == Boundary("0123456789ab", 3)


def test_only_the_first_user_message_has_the_boundary() -> None:
    system = Message("system", (Text(f"s\n{TAG}"),))
    results = Message("user", (Result("c", (Text(TAG),)), Text(TAG)))
    other = TAG.replace("tail=3", "tail=4")
    summary = f"{TITLE}\na\n{other}"
    assert boundary.find([system, results, user(summary)]) == Boundary(
        "0123456789ab", 4
    )
    assert boundary.find([user("first"), user(summary)]) is None
    assert boundary.find([user(f"a\n{TAG}")]) is None
    assert boundary.find([]) is None


@pytest.mark.parametrize(
    ("message", "is_one"),
    [
        (user("## Summary of the earlier conversation\n\nx"), True),
        (user("\n## 历史会话摘要\nx"), True),
        (user(f"a reminder\n{TITLE}\n{TAG}"), True),
        (user(f"look at this:\n{TAG}"), False),
        (user(f"look at this:\n{TITLE}\n{TAG}\nWhat is it?"), False),
        (user(f"look at this: {TITLE}\n{TAG}"), False),
        (user("what is ## Summary of the earlier conversation?"), False),
        (Message("assistant", (Text("## 历史会话摘要"),)), False),
        (Message("user", (Result("c", (Text(TAG),)), Text(TAG))), False),
    ],
)
def test_a_summary_is_known_by_its_title_and_place(message: Message, is_one) -> None:
    assert boundary.is_summary(message) is is_one


@pytest.mark.parametrize(
    ("text", "others"),
    [
        (f"{TITLE}\nx\n{TAG}", ""),
        (f"{TITLE}\nx", ""),
        (f"{TITLE}\n```\n{TAG}\n```\nx\n{TAG}\n\ngo on\n", "go on"),
        (f"a reminder\n{TITLE}\nx\n{TAG}\n", "a reminder"),
        (f"see\n{TITLE}\nx", f"see\n{TITLE}\nx"),
        (f"see\n{TAG}", f"see\n{TAG}"),
    ],
)
def test_what_stands_around_a_summary_is_not_of_it(text: str, others: str) -> None:
    assert boundary.outside(text) == others
