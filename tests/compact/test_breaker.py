"""The breaker: opened by three automatic failures in a row, closed by any success."""

from __future__ import annotations

import pytest

from mewctl.compact import breaker
from mewctl.compact.breaker import Breaker, Outcome

HELPED = Outcome(before=1000, after=400, threshold=800)
FAILED = Outcome(error="no answer")


@pytest.mark.parametrize(
    ("outcome", "why"),
    [
        (FAILED, "no answer"),
        (Outcome(before=1000, after=1000, threshold=2000), "1000 tokens became 1000"),
        (Outcome(before=1000, after=950, threshold=2000), "less than 10% smaller"),
        (Outcome(before=1000, after=850, threshold=800), "over the threshold 800"),
        (HELPED, ""),
        (Outcome(before=1000, after=900, threshold=950), ""),
    ],
)
def test_what_did_not_help(outcome, why):
    assert why in outcome.why_no_help
    assert bool(outcome.why_no_help) == bool(why)


def test_three_in_a_row_open_it_and_any_success_closes_it():
    state = Breaker()
    for _ in range(3):
        assert not state.is_open
        state = breaker.after(state, FAILED, automatic=True)
    assert state.is_open
    assert "no answer" in state.told()
    assert breaker.after(state, HELPED, automatic=False) == Breaker()


def test_a_success_between_starts_anew():
    state = Breaker()
    for outcome in (FAILED, FAILED, HELPED, FAILED, FAILED):
        state = breaker.after(state, outcome, automatic=True)
    assert not state.is_open


def test_what_a_user_asked_for_never_counts_against_it():
    state = Breaker(2, "x")
    assert breaker.after(state, FAILED, automatic=False) == state


def test_it_is_read_back_as_it_was_written():
    state = Breaker(2, "why")
    assert breaker.from_json(breaker.to_json(state)) == state


@pytest.mark.parametrize(
    "value",
    [[], {}, {"failures": -1}, {"failures": True}, {"failures": 1, "reason": 1}],
)
def test_what_is_no_state_is_refused(value):
    with pytest.raises(ValueError, match=r"."):
        breaker.from_json(value)
