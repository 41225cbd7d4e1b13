from __future__ import annotations

import pytest

from mewctl.spill.age import Aged, older_than, plan


@pytest.mark.parametrize(
    ("tokens", "keep", "old"),
    [
        ([], 100, 0),
        ([50, 50], 100, 0),
        ([50, 50, 50], 100, 1),
        ([50, 60, 50], 100, 1),  # what the border cuts is not old
        ([50, 60, 50], 50, 2),
        ([1, 2, 3], 0, 3),
    ],
)
def test_results_before_the_newest_tokens_are_old(tokens, keep, old):
    assert older_than(tokens, keep) == old


def calm(gain):
    return Aged(gain, failed=False)


def failed(gain):
    return Aged(gain, failed=True)


def test_nothing_goes_that_does_not_free_enough():
    assert plan([calm(10), calm(9)], 20) == []
    assert plan([calm(10), calm(10)], 20) == [0, 1]
    assert plan([], 0) == []


def test_what_would_not_shrink_stays():
    assert plan([calm(30), calm(0), calm(-5)], 20) == [0]


def test_errors_are_the_last_to_go():
    assert plan([failed(30), calm(25)], 20) == [1]
    assert plan([failed(30), calm(15)], 20) == [0, 1]
    assert plan([failed(30)], 20) == [0]
    assert plan([failed(3), calm(3)], 20) == []
