from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl.compact.tail import Item, choose, last_unit, messages_in

SPEAKS = Item(10)
RESULTS = Item(100, follows=True, results=True)
FOREIGN = Item(1, follows=True)


def says(tokens):
    return Item(tokens)


def test_the_last_unit_is_the_users_message_if_that_is_newest():
    assert last_unit([SPEAKS, RESULTS, SPEAKS], 0, 3) == 2


def test_the_last_unit_is_the_assistant_with_all_its_results():
    assert last_unit([SPEAKS, SPEAKS, RESULTS, RESULTS], 0, 4) == 1


def test_a_record_that_is_no_message_goes_with_the_one_before():
    assert last_unit([SPEAKS, SPEAKS, RESULTS, FOREIGN], 0, 4) == 1


def test_the_last_unit_never_starts_before_the_first_record():
    assert last_unit([SPEAKS, RESULTS, RESULTS], 1, 3) == 1
    assert last_unit([], 0, 0) == 0


def test_a_tail_needs_tokens_and_messages():
    items = [says(100)] * 20
    by_tokens = choose(items, 0, 9_999, tokens=700, messages=5)
    assert (by_tokens.start, by_tokens.tokens) == (13, 700)
    by_messages = choose(items, 0, 9_999, tokens=150, messages=5)
    assert by_messages.start == 15
    assert by_messages.reason == "the minimal tail"


def test_a_run_of_results_is_one_message():
    items = [says(1), says(1), RESULTS, RESULTS, RESULTS, says(1), RESULTS]
    assert choose(items, 0, 9_999, tokens=0, messages=3).start == 1
    assert choose(items, 0, 9_999, tokens=0, messages=4).start == 1
    assert choose(items, 0, 9_999, tokens=0, messages=5).start == 0
    assert messages_in(items) == 5
    assert messages_in([says(1), FOREIGN, RESULTS]) == 2


def test_its_share_beats_both_minima():
    items = [says(100)] * 20
    cut = choose(items, 0, 250, tokens=10_000, messages=10)
    assert cut.start == 17  # the last one, which is free, and two more
    assert cut.reason == "its share of the target"


def test_the_last_unit_stays_whatever_its_size():
    items = [says(1), says(50_000), RESULTS]
    assert choose(items, 0, 0, tokens=10, messages=1).start == 1
    assert choose([says(1), says(9)], 0, -5, tokens=100, messages=5).start == 1


def test_a_short_history_is_all_tail():
    cut = choose([says(1)] * 3, 1, 999, tokens=100, messages=5)
    assert (cut.start, cut.reason) == (1, "the whole history")


ITEMS = st.lists(st.sampled_from([says(7), says(60), RESULTS, FOREIGN]), max_size=30)


@given(ITEMS, st.integers(0, 500), st.integers(0, 900), st.integers(1, 9))
def test_a_tail_begins_with_a_unit_and_is_no_longer_than_it_must(
    rest, room, tokens, messages
):
    items = [says(5), *rest]
    cut = choose(items, 0, room, tokens=tokens, messages=messages)
    assert not items[cut.start].follows
    assert cut.tokens == sum(item.tokens for item in items[cut.start :])
    later = items[cut.start + 1 :]
    while later and later[0].follows:
        later = later[1:]
    if later:  # one unit less, and something would be missing
        shorter = sum(item.tokens for item in later)
        assert shorter < tokens or messages_in(later) < messages
    beyond = cut.tokens - sum(
        i.tokens for i in items[last_unit(items, 0, len(items)) :]
    )
    assert beyond <= room


@pytest.mark.parametrize("count", [50_000])
def test_a_long_tail_is_found_in_one_pass(count):
    items = [says(1)] * count
    assert choose(items, 0, count, tokens=count, messages=1).start == 0
