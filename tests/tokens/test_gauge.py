"""The size of a context: the last usage, and the estimate of what came after it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl.history.view import Message, Text, Usage
from mewctl.tokens.calibrate import Anchor
from mewctl.tokens.estimator import NOTHING, Estimator, Tokens
from mewctl.tokens.gauge import Gauge, Meter

HUNDRED = Tokens(100.0, 110.0)


def used(context: int) -> Usage:
    return Usage(input=1, cache_read=context - 11, output=10)


def gauge(*usages: int | None, **kinds) -> Gauge:
    """A gauge after messages of 100 (cautious 110) tokens with these contexts."""
    found = Gauge(**kinds)
    for context in usages:
        found.add(HUNDRED, None if context is None else used(context))
    return found


def test_without_any_usage_everything_is_estimated():
    size = gauge(None, None).context()
    assert (size.tokens, size.cautious, size.estimated) == (200, 220, 2)
    assert size.anchor is None
    assert size.method == "estimate of 2 messages"


def test_a_usage_counts_for_the_messages_through_it_and_the_rest_is_estimated():
    size = gauge(None, 5000, None).context()
    assert (size.tokens, size.cautious) == (5100, 5110)
    assert size.anchor == Anchor(5000, 2)
    assert size.method == "the usage of 2 messages, estimate of 1 message"


def test_the_last_usage_counts_even_if_it_is_smaller():
    assert gauge(5000, 3000, None).context().tokens == 3100


def with_perhaps(first: int | None, grown: int) -> Gauge:
    found = gauge(first)
    found.add(HUNDRED, perhaps=Tokens(900.0, 990.0))
    found.add(HUNDRED, used((first or 0) + grown))
    found.add(HUNDRED)
    return found


def test_what_a_body_may_have_cost_counts_as_sent_where_the_growth_is_nearer_to_it():
    sent = with_perhaps(5000, 1100)
    assert sent.context().tokens == 5000 + 1100 - 900 + 100
    assert sent.anew().tokens == 400
    unsent = with_perhaps(5000, 200)
    assert unsent.context().tokens == 5000 + 200 + 100
    assert unsent.anew().tokens == 400


def test_a_first_usage_does_not_tell_what_was_sent_nor_does_none():
    assert with_perhaps(None, 20_000).context().tokens == 20_100
    found = gauge(5000)
    found.add(HUNDRED, perhaps=Tokens(900.0, 990.0))
    assert found.context().tokens == 5100


def test_what_was_sent_before_the_last_usage_but_one_stays_told():
    found = with_perhaps(5000, 1100)
    found.add(HUNDRED, used(6200))
    assert found.context().tokens == 6200 - 900


def test_usage_before_a_boundary_is_no_anchor():
    size = gauge(None, 90_000, 91_000, None, not_before=3).context()
    assert size.anchor is None
    assert size.tokens == 400
    assert gauge(None, 90_000, 5_000, not_before=2).context().tokens == 5000


def test_usage_before_a_boundary_teaches_nothing_either():
    old = gauge(10_000, 20_000, 30_000, 500, not_before=3)
    assert old.context().pairs == 0
    assert old.unseen() == 500 - 400


def test_the_usage_of_the_next_assistant_messages_can_be_set_aside_on_the_way():
    found = gauge(None)
    found.ignore_usage(2)
    found.add(HUNDRED, used(90_000))
    found.add(HUNDRED, None, role="user")
    found.add(HUNDRED, used(91_000))
    assert found.context().anchor is None
    found.add(HUNDRED, used(7_000))
    assert found.context().tokens == 7000


# --- the anchor that the user gives ---


def test_a_given_anchor_counts_for_as_many_messages_as_it_says():
    given_anchor = Anchor(8000, 2, "given")
    assert gauge(None, anchor=given_anchor).context().tokens == 100
    size = gauge(None, None, None, anchor=given_anchor).context()
    assert size.tokens == 8100
    assert size.method == "the anchor of 2 messages, estimate of 1 message"


def test_a_given_anchor_goes_before_older_usage_and_yields_to_newer():
    given_anchor = Anchor(8000, 2, "given")
    assert gauge(5000, 5500, None, anchor=given_anchor).context().tokens == 8100
    assert gauge(5000, None, 9000, anchor=given_anchor).context().tokens == 9000


def test_an_anchor_of_no_messages_is_what_comes_before_them():
    size = gauge(None, anchor=Anchor(700, 0, "given")).context()
    assert (size.tokens, size.estimated) == (800, 1)


# --- calibration ---


def test_two_stretches_of_real_growth_correct_the_estimate():
    found = gauge(1000, 1130, 1260, None)
    size = found.context()
    assert size.pairs == 2
    assert size.ratio == found.ratio == pytest.approx(1.3)
    assert size.tokens == 1260 + 130
    assert size.cautious == 1260 + 143
    assert size.method.endswith("corrected by 1.30")


def test_one_stretch_is_too_little_to_correct_by():
    size = gauge(1000, 1130, None).context()
    assert (size.tokens, size.ratio, size.pairs) == (1230, 1.0, 1)


def test_a_context_that_shrank_teaches_nothing():
    assert gauge(1000, 1130, 1260, 300, None).context().pairs == 2


# --- previews ---


def test_a_preview_made_after_the_anchor_lowers_the_size():
    found = gauge(None, 5000, None)
    size = found.context({0: Tokens(40, 44)})
    assert size.tokens == 5100 - 40
    # What was counted for real is lowered by the likely number, not the larger one.
    assert size.cautious == 5110 - 40


def test_a_preview_behind_the_anchor_takes_off_what_was_estimated():
    size = gauge(None, 5000, None).context({2: Tokens(40, 44)})
    assert (size.tokens, size.cautious) == (5060, 5066)


def test_what_a_preview_frees_is_corrected_like_the_rest():
    size = gauge(1000, 1130, 1260).context({0: Tokens(100, 110)})
    assert size.tokens == 1260 - 130


def test_a_size_is_never_negative():
    size = gauge(None, 50).context({0: Tokens(9999, 9999)})
    assert (size.tokens, size.cautious) == (0, 0)


# --- what no message shows ---


def test_unseen_is_what_the_first_usage_has_beyond_the_estimate():
    found = gauge(None, 20_000, 20_500)
    assert found.unseen() == 19_800
    assert found.unseen(known=5_000) == 14_800
    assert found.unseen(known=50_000) == 0
    assert gauge(None).unseen() is None


def test_overhead_is_added_only_while_there_is_no_anchor():
    overhead = Tokens(3000, 3300)
    size = gauge(None).context(overhead=overhead)
    assert (size.tokens, size.cautious) == (3100, 3410)
    assert gauge(5000).context(overhead=overhead).tokens == 5000


# --- without the anchor ---


def test_anew_forgets_the_anchor_and_keeps_what_was_learned():
    size = gauge(1000, 1130, 1260, None).anew({0: HUNDRED}, Tokens(50, 60))
    assert size.anchor is None
    assert size.tokens == round(50 + 1.3 * 300)
    assert size.estimated == 4


def test_anew_takes_a_ratio_from_outside_within_the_limits():
    assert gauge(None).anew(ratio=1.5).tokens == 150
    assert gauge(None).anew(ratio=20.0).tokens == 160


@given(
    st.lists(st.none() | st.integers(1, 10**7), max_size=30),
    st.dictionaries(st.integers(0, 40), st.builds(Tokens, st.floats(0, 1e6))),
    st.integers(0, 40),
)
def test_any_history_has_a_size(usages, freed, not_before):
    found = gauge(*usages, not_before=not_before)
    size = found.context(freed)
    assert size.tokens >= 0
    assert 0 <= size.estimated <= len(usages)
    assert 0.7 <= size.ratio <= 1.6


# --- fed with messages ---


def test_a_meter_weighs_messages_and_heeds_their_usage():
    meter = Meter(Estimator(sets="both"))
    user = Message("user", (Text("What is in src/main.py, please?"),))
    first = meter.add(user)
    meter.add(Message("assistant", (Text("Code."),), usage=used(4000)))
    last = meter.add(user)
    assert first == last == meter.estimator.count(user)
    size = meter.context()
    assert size.tokens == round(4000 + last.tokens.shown)
    assert size.cautious >= size.tokens
    assert meter.context({2: last.tokens}, NOTHING).tokens == 4000


def test_a_meter_takes_a_given_anchor_and_a_boundary():
    meter = Meter(Estimator(), Anchor(900, 1, "given"), not_before=9)
    meter.add(Message("assistant", (Text("Code."),), usage=used(4000)))
    assert meter.context().tokens == 900
