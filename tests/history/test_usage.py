from __future__ import annotations

import pytest

from mewctl.history.usage import as_record, normalise
from mewctl.history.view import Usage


@pytest.mark.parametrize(
    ("value", "usage"),
    [
        (
            {
                "input_tokens": 5,
                "cache_read_input_tokens": 100,
                "cache_creation_input_tokens": 20,
                "output_tokens": 7,
            },
            Usage(5, 100, 20, 7),
        ),
        ({"input_tokens": 5, "output_tokens": 7}, Usage(5, 0, 0, 7)),
        (
            {
                "prompt_tokens": 125,
                "completion_tokens": 7,
                "prompt_tokens_details": {
                    "cached_tokens": 100,
                    "cache_write_tokens": 20,
                },
            },
            Usage(5, 100, 20, 7),
        ),
        (
            {
                "prompt_tokens": 10,
                "completion_tokens": 1,
                "prompt_cache_hit_tokens": 8,
                "prompt_tokens_details": None,
            },
            Usage(2, 8, 0, 1),
        ),
        (
            {
                "input_tokens": 125,
                "input_tokens_details": {"cached_tokens": 100},
                "output_tokens": 7,
            },
            Usage(25, 100, 0, 7),
        ),
        (
            {
                "input_tokens": 125,
                "cached_input_tokens": 100,
                "cache_write_input_tokens": 20,
                "output_tokens": 7,
            },
            Usage(5, 100, 20, 7),
        ),
        (
            {"input": 5, "cache_read": 6, "cache_write": 7, "output": 8, "unseen": 9},
            Usage(5, 6, 7, 8, 9),
        ),
        ({"output": 3}, Usage(output=3)),
    ],
)
def test_usage_of_every_provider_becomes_disjoint_counts(value, usage):
    assert normalise(value) == usage


@pytest.mark.parametrize(
    "value",
    [None, 5, "x", [], {}, {"tokens": 5}, {"input_tokens": 0}, {"input": "many"}],
)
def test_what_counts_nothing_is_no_usage(value):
    assert normalise(value) is None


@pytest.mark.parametrize(
    "odd", [True, -3, 1.5, "7", None, [1], float("inf"), 1e300, 10**12]
)
def test_a_count_that_is_no_whole_number_or_beyond_belief_is_zero(odd):
    assert normalise({"input": odd, "output": 2.0}) == Usage(output=2)


def test_more_cached_than_there_was_leaves_no_negative_input():
    value = {"prompt_tokens": 1, "prompt_cache_hit_tokens": 5, "completion_tokens": 1}
    assert normalise(value) == Usage(0, 5, 0, 1)


@pytest.mark.parametrize("usage", [Usage(1, 2, 3, 4), Usage(1, 2, 3, 4, 5)])
def test_a_usage_written_is_read_back(usage):
    assert normalise(as_record(usage)) == usage
    assert ("unseen" in as_record(usage)) is bool(usage.unseen)
