from __future__ import annotations

from dataclasses import replace

import pytest
from compacting import WINDOWS
from hypothesis import given
from hypothesis import strategies as st

from mewctl import limits
from mewctl.compact.policy import (
    Numbers,
    after_tail,
    age_gain_needed,
    keep_recent_tokens,
    scaled,
    shares,
    within,
)

THRESHOLDS = {
    8_000: 6_680,
    16_000: 13_360,
    32_000: 26_720,
    64_000: 53_440,
    128_000: 106_880,
    200_000: 167_000,
    400_000: 340_000,
    1_000_000: 850_000,
}


@pytest.mark.parametrize("window", WINDOWS)
def test_the_threshold_of_each_window(window):
    assert Numbers(window=window).threshold() == THRESHOLDS[window]


def test_manual_and_emergency_have_a_smaller_margin():
    numbers = Numbers(window=150_000)
    assert numbers.threshold("auto") == 150_000 - 15_000 - 9_750
    assert numbers.threshold("manual") == int(150_000 * 0.85)
    assert replace(numbers, threshold_share=1.0).threshold("emergency") == (
        150_000 - 15_000 - 3_000
    )


def test_the_hard_limit_is_the_window_less_the_small_margin():
    assert Numbers(window=200_000).hard_limit == 197_000
    assert Numbers(window=8_000).hard_limit == 8_000 - 520


def test_a_window_of_one_token_has_a_threshold():
    assert Numbers(window=1).threshold() == 1


def test_the_settings_count():
    numbers = Numbers(window=200_000, reserve=40_000, margin=1_000)
    assert numbers.reserve_tokens == 20_000  # 10 % at most
    assert replace(numbers, reserve=4_000).reserve_tokens == 4_000
    assert replace(numbers, reserve=4_000).threshold() == 170_000  # 0.85 of the window
    assert replace(numbers, threshold_share=1.0).threshold() == 179_000


def test_the_target_is_half_of_what_the_floor_leaves():
    given_ = shares(167_000, 7_000, Numbers())
    assert given_.target == 7_000 + 80_000
    assert given_.tail == 32_000
    assert (given_.attachment, given_.users) == (16_000, 16_000)
    assert (given_.facts, given_.prose) == (12_000, 4_000)
    assert shares(100, 0, Numbers(target_share=0.3)).target == 100  # see below


def test_a_small_summary_has_room_wherever_the_threshold_leaves_it():
    assert shares(10_000, 9_000, Numbers()).target == 10_000
    assert shares(10_000, 8_000, Numbers()).target == 8_000 + limits.SUMMARY_MIN
    assert shares(10_000, 10_000, Numbers()).target == 10_000


def test_what_the_tail_leaves_passes_to_the_attachment():
    given_ = shares(20_000, 0, Numbers())
    assert given_.summary == 6_000
    assert after_tail(given_, 1_000).attachment == given_.attachment + 3_000
    assert after_tail(given_, given_.tail) == given_
    assert after_tail(given_, 10 * given_.tail) == given_


def test_what_passes_on_fills_the_maximum_and_no_more():
    given_ = shares(90_000, 0, Numbers())
    assert given_.summary == 27_000
    assert after_tail(given_, 0).summary == limits.SUMMARY_MAX


def test_summary_and_attachment_never_exceed_their_maximum():
    for window in WINDOWS:
        numbers = Numbers(window=window)
        made = after_tail(shares(numbers.threshold(), 0, numbers), 0)
        assert made.summary <= limits.SUMMARY_MAX
    # where all parts are cut, none gets more than its part
    assert made.attachment == pytest.approx(made.users)
    assert made.facts == pytest.approx(made.users * 0.75, abs=1)


@given(st.integers(0, 200_000), st.integers(0, 200_000), st.integers(-5, 40_000))
def test_shrinking_shrinks(threshold, floor, whole):
    given_ = shares(threshold, min(floor, threshold), Numbers())
    made = within(given_, whole)
    assert made.summary <= max(0, whole)
    assert made.summary <= given_.summary
    assert made.target == given_.target


def test_scaling_spreads_a_room_in_proportion():
    given_ = shares(20_000, 0, Numbers())
    assert scaled(given_, 12_000).users == 2 * given_.users
    assert (
        scaled(replace(given_, attachment=0, users=0, facts=0, prose=0), 9).users == 0
    )


def test_age_spill_spares_more_of_larger_windows():
    assert keep_recent_tokens(Numbers(window=200_000)) == 33_400
    assert keep_recent_tokens(Numbers(window=1_000_000)) == 40_000
    assert keep_recent_tokens(Numbers(keep_recent=5)) == 5
    assert age_gain_needed(200_000) == 20_000
    assert age_gain_needed(32_000) == 3_200
