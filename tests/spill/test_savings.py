from __future__ import annotations

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from mewctl import limits
from mewctl.history.view import Message, Result, Text
from mewctl.spill import age
from mewctl.spill.savings import Savings


def results(*sizes: int, failed: bool = False) -> Message:
    parts = tuple(Result(f"c{n}", (Text("x" * n),), failed) for n in sizes)
    return Message("tool", parts)


def test_what_is_over_a_limit_is_counted_less_its_preview():
    savings = Savings()
    savings.add(results(60_000), [9_000.0])
    savings.add(Message("user", (Text("x" * 90_000),)), [])
    savings.add(results(50_000), [8_000.0])
    assert savings.by_size() == (9_000 - limits.PREVIEW_TOKENS, 1)


def test_results_that_follow_one_another_are_one_group():
    together, apart = Savings(), Savings()
    for savings, split in ((together, False), (apart, True)):
        for _ in range(5):
            savings.add(results(45_000), [7_000.0])
            if split:
                savings.add(Message("assistant", (Text("next"),)), [])
    assert together.by_size() == (7_000 - limits.PREVIEW_TOKENS, 1)
    assert apart.by_size() == (0, 0)


def test_a_preview_frees_nothing():
    text = (
        "[content offloaded] original size: 99999 bytes\n[saved to] /x\n[head preview]"
    )
    savings = Savings()
    savings.add(Message("tool", (Result("c", (Text(text),)),)), [10.0])
    assert savings.by_size() == (0, 0)
    assert savings.by_age(0, 0) == (0, 0)


def test_results_older_than_the_newest_tokens_are_counted_if_it_pays():
    savings = Savings()
    for _ in range(4):
        savings.add(results(100), [1_000.0])
    gain = 1_000 - limits.AGE_PREVIEW_TOKENS
    assert savings.by_age(2_000, 1_000) == (2 * gain, 2)
    assert savings.by_age(2_000, 2 * gain + 1) == (0, 0)


SEEN = st.tuples(st.sampled_from([0, 200, 300, 301, 5_000, 30_000]), st.booleans())


@given(
    st.lists(SEEN, max_size=40),
    st.sampled_from([0, 1, 300, 9_999, limits.KEEP_RECENT]),
    st.sampled_from([0, 1, 20_000]),
)
def test_sums_of_old_results_say_what_a_list_of_all_would(seen, keep, least):
    savings = Savings()
    for tokens, failed in seen:
        savings.add(results(1, failed=failed), [float(tokens)])
    old = seen[: age.older_than([tokens for tokens, _ in seen], keep)]
    aged = [
        age.Aged(max(0.0, tokens - limits.AGE_PREVIEW_TOKENS), failed)
        for tokens, failed in old
    ]
    chosen = age.plan(aged, least)
    assert savings.by_age(keep, least) == (
        sum(aged[n].gain for n in chosen),
        len(chosen),
    )


def test_old_results_cost_no_memory():
    savings, one, said = Savings(), results(1), Message("assistant", (Text("next"),))
    tracemalloc.start()
    for cost in [400.0, 1.0] * 10_000:
        savings.add(one, [cost])
        savings.add(said, [])
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert used < 300_000
