"""Ids: made, read, and chosen by what a user writes."""

from __future__ import annotations

import pytest

from mewctl.errors import NotFound
from mewctl.session import ids


def test_an_id_says_its_second_in_utc_and_carries_chance():
    assert ids.make(1796145600.9, b"\x0a\xff") == "20261201-172000-0aff"


def test_the_time_of_an_id_is_read_back():
    assert ids.time_of("20261201-172000-0aff") == 1796145600.0
    assert ids.time_of("1700000000-ab12") == 1700000000.0


@pytest.mark.parametrize(
    "name", ["notes", "20261301-000000-aaaa", "20261201-172000", "12-ab", ""]
)
def test_other_names_say_no_time(name):
    assert ids.time_of(name) is None


@pytest.mark.parametrize(
    ("written", "found"), [("20261", "20261201-1-a"), ("2025", None), ("", None)]
)
def test_a_unique_beginning_is_enough(written, found):
    assert ids.choose(written, ["20261201-1-a", "20271201-1-b"]) == found


def test_a_whole_name_wins_over_longer_ones():
    assert ids.choose("abc", ["abc", "abcd"]) == "abc"


def test_several_matches_are_listed():
    names = [f"2026-{n:03}" for n in range(30)]
    with pytest.raises(NotFound, match=r"matches 30 .*: 2026-000, .* and 10 more"):
        ids.choose("2026", names)
