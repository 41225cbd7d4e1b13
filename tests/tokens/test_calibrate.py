"""Anchors and the ratio of real to estimated growth."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl.history.view import Usage
from mewctl.tokens.calibrate import Anchor, Growth, bounded, parse_anchor, reading


def test_an_anchor_is_spelled_tokens_colon_messages():
    assert parse_anchor(" 120000:42 ") == Anchor(120_000, 42, "given")
    assert parse_anchor("0:0") == Anchor(0, 0, "given")


@pytest.mark.parametrize(
    "text",
    ["", "5", "5:", ":5", "-1:5", "1.5:2", "5:5:5", "٣:1", "1" * 13 + ":1", "a:b"],
)
def test_anything_else_is_no_anchor(text):
    with pytest.raises(ValueError, match="not TOKENS:MESSAGES"):
        parse_anchor(text)


def test_a_usage_is_read_as_the_whole_context_without_what_is_unseen():
    assert reading(Usage(input=5, cache_read=100, cache_write=10, output=7)) == 122
    assert reading(Usage(cache_read=100, output=7, unseen=30)) == 77


@pytest.mark.parametrize(
    "usage",
    [
        None,
        Usage(),
        Usage(output=500),
        Usage(input=5, unseen=100),
        Usage(input=-5, output=100),
    ],
)
def test_a_placeholder_is_no_reading(usage):
    assert reading(usage) == 0


def test_the_ratio_is_one_until_two_stretches_were_seen():
    growth = Growth()
    growth.add(1200, 1000)
    assert growth.ratio == 1.0
    growth.add(1200, 1000)
    assert growth.ratio == pytest.approx(1.2)
    assert growth.pairs == 2


@pytest.mark.parametrize(("real", "estimated"), [(0, 5), (-7, 5), (5, 0), (5, -1)])
def test_a_stretch_that_did_not_grow_teaches_nothing(real, estimated):
    growth = Growth()
    growth.add(1100, 1000)
    growth.add(1100, 1000)
    growth.add(real, estimated)
    assert growth.pairs == 2
    assert growth.ratio == pytest.approx(1.1)


def test_long_stretches_teach_more_than_short_ones():
    growth = Growth()
    growth.add(15, 10)
    growth.add(10_000, 10_000)
    assert growth.ratio == pytest.approx(1.0, abs=0.01)


def test_new_stretches_teach_more_than_old_ones():
    growth = Growth()
    for _ in range(50):
        growth.add(800, 1000)
    assert growth.ratio == pytest.approx(0.8)
    for _ in range(20):
        growth.add(1300, 1000)
    assert growth.ratio == pytest.approx(1.3, abs=0.07)


def test_one_stretch_with_something_unseen_in_it_does_not_spoil_the_ratio():
    growth = Growth()
    for _ in range(10):
        growth.add(1000, 1000)
    growth.add(50_000, 100)
    assert growth.ratio == pytest.approx(1.0, abs=0.02)


@given(st.lists(st.tuples(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9))))
def test_the_ratio_never_leaves_its_limits(stretches):
    growth = Growth()
    for real, estimated in stretches:
        growth.add(real, estimated)
    assert 0.7 <= growth.ratio <= 1.6


def test_a_ratio_is_bounded_at_both_ends():
    assert [bounded(0.1), bounded(1.1), bounded(9.0)] == [0.7, 1.1, 1.6]
