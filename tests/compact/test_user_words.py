from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl import limits
from mewctl.compact.sections import WORDS
from mewctl.compact.user_words import (
    Stretch,
    Unseen,
    blocks,
    choose,
    fewer,
    message_block,
    pointer,
    unseen_before,
    with_unseen,
)
from mewctl.history.facts import Facts, UserWords

EN = WORDS["en"]


def test_a_message_stands_verbatim_under_its_number_time_and_images():
    user = UserWords(7, "a\n```\n", 0.0, 2, "0123456789ab")
    assert message_block(user, "", EN) == (
        "### 7 · 1970-01-01T00:00:00Z · images: 2 · boundary `0123456789ab`\n"
        "````\na\n```\n\n````"
    )


def test_a_boundary_is_named_where_it_changes():
    users = [UserWords(n, "x", boundary=b) for n, b in enumerate(["", "a", "a", ""], 1)]
    headings = [block.split("\n")[0] for block in blocks(users, EN)]
    assert headings == ["### 1", "### 2 · boundary `a`", "### 3", "### 4 · boundary ``"]


def singles(numbers, boundary="a"):
    return tuple(Stretch(n, n, 1, boundary) for n in numbers)


@pytest.mark.parametrize(
    ("numbers", "text"),
    [([3], "3"), ([1, 2, 3], "1–3"), ([1, 3, 4, 9], "1, 3–4, 9")],
)
def test_numbers_are_said_in_few_words(numbers, text):
    line = pointer(Unseen(singles(numbers)), lambda _: "", EN)
    assert line.endswith(f"(`a` {text})")


def test_where_numbers_are_many_the_nearest_are_said_as_one_stretch():
    numbers = [*range(1, 2000, 2), 5000, *range(6000, 6010)]
    line = pointer(Unseen(singles(numbers)), lambda _: "", EN)
    assert line.endswith("(`a` 1–1999 [1000], 5000, 6000–6009)")
    apart = [n * n for n in range(1, 1000)]
    line = pointer(Unseen(singles(apart)), lambda _: "", EN)
    assert line.partition("(")[2].count(", ") == limits.UNSEEN_STRETCHES - 1
    assert line.endswith(f", {998 * 998}, {999 * 999})")


def test_where_boundaries_are_many_the_oldest_are_one_stretch_of_none():
    stretches = [singles([n], f"{n:012x}")[0] for n in range(1, 100)]
    found = fewer(stretches, 10)
    assert found == [Stretch(1, 90, 90, ""), *stretches[90:]]
    line = pointer(Unseen(tuple(stretches)), lambda b: f"recall {b}", EN)
    assert line.endswith(f"recall {100 - limits.UNSEEN_STRETCHES + 1:012x}")


@given(st.sets(st.integers(-9, 300)), st.integers(1, 40))
def test_fewer_stretches_hold_every_message_once(numbers, most):
    stretches = singles(sorted(numbers))
    found = fewer(stretches, most)
    assert len(found) <= most
    assert sum(stretch.messages for stretch in found) == len(numbers)
    places = [n for s in found for n in range(s.first, s.last + 1)]
    assert set(places) >= numbers
    assert places == sorted(set(places))


def test_the_pointer_counts_and_gives_the_command():
    unseen = Unseen((*singles([2, 3], "aa"), *singles([5], "bb")), 1200)
    assert pointer(unseen, lambda b: f"mewctl recall {b}", EN) == (
        "Not shown here, for lack of room: 3 messages, 1200 characters "
        "(`aa` 2–3; `bb` 5); word for word, by boundary: mewctl recall aa"
    )
    assert pointer(Unseen(singles([2], ""), 9), lambda _: "", EN) == (
        "Not shown here, for lack of room: 1 messages, 9 characters (`` 2)"
    )


def test_what_an_earlier_text_did_not_show_stays_counted():
    earlier = Unseen((Stretch(1, 4, 2, "aa"),), 50)
    facts = Facts(extra={"users_not_shown": earlier.to_json()})
    assert unseen_before(facts) == earlier
    more = with_unseen(unseen_before(facts), [UserWords(9, "four", boundary="bb")])
    assert more == Unseen((*earlier.stretches, *singles([9], "bb")), 54)


@pytest.mark.parametrize(
    "value",
    [
        None,
        3,
        [],
        {},
        {"stretches": 3},
        {"stretches": [3, [1, 2, 3], ["1", 2, 3, "a"], [1, 2, 3, 4]], "characters": []},
    ],
)
def test_what_is_no_count_counts_as_none(value):
    assert unseen_before(Facts(extra={"users_not_shown": value})) == Unseen()


def test_the_newest_and_the_first_go_first_and_may_borrow():
    assert choose([5, 5, 5, 5], room=100, borrow=0) == [3, 0, 2, 1]
    assert choose([5, 5, 5, 5], room=10, borrow=0) == [3, 0]
    assert choose([9, 1, 9], room=10, borrow=8) == [2, 0]
    assert choose([9, 1, 9], room=10, borrow=7) == [2, 1]
    assert choose([9, 1, 50], room=10, borrow=0) == [0, 1]
    assert choose([3], room=3, borrow=0) == [0]
    assert choose([], room=3, borrow=0) == []


def test_a_message_that_does_not_fit_is_passed_over():
    assert choose([1, 2, 90, 3, 1], room=7, borrow=0) == [4, 0, 3, 1]


@given(st.lists(st.floats(0, 50)), st.floats(0, 100), st.floats(0, 100))
def test_what_is_chosen_fits(costs, room, borrow):
    chosen = choose(costs, room, borrow)
    assert len(set(chosen)) == len(chosen)
    limit = room + borrow if set(chosen) <= {0, len(costs) - 1} else room
    assert sum(costs[index] for index in chosen) <= limit + 1e-6
