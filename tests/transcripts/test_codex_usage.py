"""Codex: which usage belongs to which response."""

from __future__ import annotations

import pytest

from mewctl.history.view import Usage
from mewctl.transcripts.codex_usage import Response, Responses


class Story:
    """Tells responses, other items and counts at their times."""

    def __init__(self):
        self.responses = Responses()
        self.total = 0

    def item(self, time):
        return self.responses.item(time, Response())

    def count(self, tokens, time, total=None):
        self.total += tokens
        self.responses.count(
            {
                "last_token_usage": {"input_tokens": tokens},
                "total_token_usage": {"input_tokens": total or self.total},
            },
            time,
        )

    def usages(self):
        self.responses.settle()
        return [r.usage and r.usage.input for r in self.responses.all]


@pytest.fixture
def story():
    return Story()


def test_newer_releases_count_behind_the_results(story):
    for n in range(3):
        assert story.item(10 * n) == story.item(10 * n + 1) == n
        story.responses.end(10 * n + 2)
        story.count(n + 1, 10 * n + 2.01)
    assert story.usages() == [1, 2, 3]


def test_releases_between_count_behind_the_calls(story):
    for n in range(3):
        story.item(10 * n)
        story.count(n + 1, 10 * n + 0.05)
        story.responses.end(10 * n + 2)
    assert story.usages() == [1, 2, 3]


def test_the_first_releases_count_before_the_items(story):
    story.responses.end(0)
    for n in range(3):
        story.count(n + 1, 10 * n + 9)
        story.item(10 * n + 9.01)
        story.responses.end(10 * n + 9.02)
    assert story.usages() == [1, 2, 3]


@pytest.mark.parametrize("time", [None, 5.0])
def test_without_telling_times_counts_stay_on_their_side(story, time):
    for n in range(3):
        story.item(time)
        story.count(n + 1, time)
        story.responses.end(time)
    story.count(9, time)  # of no response: a compaction's
    story.item(time)
    story.count(4, time)
    assert story.usages() == [1, 2, 3, 4]


@pytest.mark.parametrize("time", [None, 5.0])
def test_without_telling_times_the_first_count_says_the_side(story, time):
    story.responses.end(time)
    for n in range(3):
        story.count(n + 1, time)
        story.item(time)
        story.responses.end(time)
    assert story.usages() == [1, 2, 3]


def test_a_count_behind_slow_results_is_near_to_them(story):
    for n in range(2):
        story.item(10 * n)
        story.responses.end(10 * n + 8)
        story.responses.end(None)
        story.count(n + 1, 10 * n + 8.01)
    story.item(20)
    assert story.usages() == [1, 2, None]


@pytest.mark.parametrize("times", [(0, None, 9), (None, 5, 9), (0, 5, None)])
def test_a_time_that_is_missing_tells_nothing(story, times):
    first, counted, second = times
    story.item(first)
    story.count(1, counted)
    story.item(second)
    story.count(2, counted)
    assert story.usages() == [1, 2]


def test_a_small_difference_of_time_tells_nothing(story):
    story.item(0.0)
    story.responses.end(0.0)
    story.count(1, 0.002)
    story.item(0.003)
    story.count(2, 0.003)
    assert story.usages() == [1, 2]


def test_a_repeated_count_is_none(story):
    story.item(0)
    story.count(5, 0.1)
    story.count(5, 3, total=5)
    story.item(9)
    story.count(7, 9.1, total=12)
    assert story.usages() == [5, 7]


def test_of_two_counts_the_first_is_a_response_s(story):
    story.item(0)
    story.count(5, 0.1)
    story.count(6, 0.2)
    assert story.usages() == [5]


def test_after_a_cut_no_count_belongs_to_what_stood_before(story):
    story.item(0)
    story.responses.cut()
    story.count(5, 0.1)
    story.item(9)
    assert story.usages() == [None, None]


def test_a_response_without_a_count_has_no_usage(story):
    story.item(0)
    story.responses.end(1)
    story.item(2)
    story.count(5, 2.1)
    assert story.usages() == [None, 5]


def counted(info):
    responses = Responses()
    responses.item(0, Response())
    responses.count(info, 0)
    responses.settle()
    return responses.all[0].usage


@pytest.mark.parametrize(
    ("info", "usage"),
    [
        (None, None),
        ("odd", None),
        ({}, None),
        ({"last_token_usage": {"total_tokens": 20302, "input_tokens": 0}}, None),
        ({"last_token_usage": {"input_tokens": 5}}, Usage(5)),
        (
            {
                "last_token_usage": {
                    "input_tokens": 100,
                    "cached_input_tokens": 60,
                    "cache_write_input_tokens": 10,
                    "output_tokens": 7,
                }
            },
            Usage(30, 60, 10, 7),
        ),
        (
            {"total_token_usage": {"input_tokens": 9, "output_tokens": 1}},
            Usage(9, 0, 0, 1),
        ),
        ({"total_token_usage": {"input_tokens": True}}, None),
        ({"total_token_usage": 7, "last_token_usage": 7}, None),
    ],
)
def test_a_count_is_read_as_far_as_it_goes(info, usage):
    assert counted(info) == usage


def test_without_the_last_usage_the_growth_of_the_total_is_it():
    responses = Responses()
    for total in (100, 250):
        responses.item(0, Response())
        used = {"input_tokens": total, "cached_input_tokens": total // 2}
        responses.count({"total_token_usage": used}, 0)
    responses.settle()
    assert [r.usage for r in responses.all] == [Usage(50, 50), Usage(75, 75)]
