from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl.spill.groups import Item, Limits, plan

LIMITS = Limits(single=50, aggregate=100)


def chosen(sizes, *, shrinks=lambda _: True, complete=True, states=None, limits=LIMITS):
    states = states or ["open"] * len(sizes)
    items = [
        Item(size, n, state)
        for n, (size, state) in enumerate(zip(sizes, states, strict=True))
    ]
    return plan(items, limits, shrinks, complete=complete)


def actions(*args, **kwargs):
    return [choice.action for choice in chosen(*args, **kwargs)]


def test_a_result_of_exactly_a_limit_stays():
    assert actions([50]) == ["leave"]
    assert actions([51]) == ["replace"]
    assert actions([50, 50]) == ["leave", "leave"]
    assert actions([50, 50, 1]) == ["replace", "leave", "leave"]


def test_the_biggest_go_first_and_of_equal_sizes_the_earlier():
    assert actions([30, 40, 45, 40]) == ["leave", "replace", "replace", "leave"]


def test_what_is_spilled_leaves_the_sum():
    assert actions([60, 50, 50]) == ["replace", "leave", "leave"]


def test_reasons_name_the_limit():
    single, aggregate = chosen([51])[0], chosen([50, 50, 1])[0]
    assert single.reason == "over the single limit of 50 bytes"
    assert aggregate.reason == "the group is over the aggregate limit of 100 bytes"


def test_what_would_not_shrink_is_kept_and_the_next_one_is_tried():
    assert actions([60, 55, 10], shrinks=lambda n: n != 0) == [
        "keep",
        "replace",
        "leave",
    ]
    # the kept one counts on, so that more has to go
    got = actions([49, 48, 47], shrinks=lambda n: n != 0)
    assert got == ["keep", "replace", "leave"]


def test_only_what_is_over_a_limit_is_asked_about():
    asked = []

    def shrinks(n):
        asked.append(n)
        return True

    chosen([60, 10, 45], shrinks=shrinks)
    assert asked == [0]


def test_decided_ones_are_not_decided_again_but_kept_ones_count():
    states = ["kept", "open", "replaced", "aside"]
    assert actions([80, 30, 500, 500], states=states) == [
        "leave",
        "replace",
        "leave",
        "leave",
    ]
    assert actions([60, 30, 500, 500], states=states) == ["leave"] * 4


def test_an_incomplete_group_leaves_nothing_open():
    assert actions([60, 10], complete=False) == ["replace", "keep"]


def test_equal_keys_share_one_fate():
    items = [Item(45, "a"), Item(45, "a"), Item(30, "b")]
    got = plan(items, LIMITS, lambda _: True, complete=True)
    assert [choice.action for choice in got] == ["replace", "replace", "leave"]
    calls = []
    plan(items, LIMITS, lambda n: calls.append(n) or False, complete=True)
    assert calls == [0, 2]


def test_no_items_no_choices():
    assert chosen([]) == []


sizes = st.lists(st.integers(0, 120), max_size=8)


@given(sizes=sizes, complete=st.booleans())
def test_afterwards_no_limit_is_exceeded_if_all_can_shrink(sizes, complete):
    got = actions(sizes, complete=complete)
    left = [
        size for size, action in zip(sizes, got, strict=True) if action != "replace"
    ]
    assert max(left, default=0) <= LIMITS.single
    assert sum(left) <= LIMITS.aggregate


@given(sizes=sizes)
def test_no_result_goes_that_did_not_have_to(sizes):
    got = actions(sizes)
    gone = [
        size for size, action in zip(sizes, got, strict=True) if action == "replace"
    ]
    by_size = sorted(sizes, reverse=True)
    assert sorted(gone, reverse=True) == by_size[: len(gone)]
    if gone and gone == [g for g in gone if g <= LIMITS.single]:
        assert sum(sizes) - sum(gone) + min(gone) > LIMITS.aggregate


@pytest.mark.parametrize(("limits", "smallest"), [(Limits(5, 9), 5), (Limits(9, 5), 5)])
def test_the_smallest_limit_is_what_cannot_exceed_any(limits, smallest):
    assert limits.smallest == smallest
