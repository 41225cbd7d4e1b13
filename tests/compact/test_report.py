from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl.compact.report import Report, as_json, first_difference, line

FULL = Report(
    outcome="compacted",
    reason="over the threshold",
    trigger="auto",
    window=200_000,
    threshold=167_000,
    target=90_000,
    before=170_000,
    after_spill=168_000,
    after=40_000,
    floor=9_000,
    fills={"system messages": 9_000},
    spilled=("call_1",),
    kept=6,
    dropped=100,
    boundary="0123456789ab",
    address="/d/0123456789ab.jsonl",
    facts="/d/0123456789ab.facts.json",
    recall="mewctl recall --boundary 0123456789ab",
    provider="offline",
    model="m",
    usage={"input": 1, "output": 2},
    unseen=7,
    reduced=("lists of facts",),
    gate_dropped=("a",),
    gate_marked=("b",),
    repairs=2,
    first_changed=77,
    rewrite=31_000,
    warnings=("w",),
)


def test_a_report_has_all_that_is_known():
    assert as_json(FULL) == {
        "type": "compaction",
        "outcome": "compacted",
        "reason": "over the threshold",
        "trigger": "auto",
        "window": 200_000,
        "threshold": 167_000,
        "target": 90_000,
        "tokens": {"before": 170_000, "after_spill": 168_000, "after": 40_000},
        "floor": {"tokens": 9_000, "fills": {"system messages": 9_000}},
        "spilled": ["call_1"],
        "messages": {"kept": 6, "dropped": 100},
        "gate": {"dropped": ["a"], "marked": ["b"]},
        "repairs": 2,
        "breaker": "none: there is no session to keep its state in",
        "cache": {"first_changed_byte": 77, "rewrite_tokens": 31_000},
        "boundary": "0123456789ab",
        "address": "/d/0123456789ab.jsonl",
        "facts": "/d/0123456789ab.facts.json",
        "recall": "mewctl recall --boundary 0123456789ab",
        "provider": "offline",
        "model": "m",
        "request_usage": {"input": 1, "output": 2},
        "usage": {"unseen": 7},
        "reduced": ["lists of facts"],
        "warnings": ["w"],
    }
    json.dumps(as_json(FULL))


def test_what_is_not_known_has_no_key():
    value = as_json(Report("unchanged", "", "auto", 1, 1))
    assert not {"cache", "boundary", "provider", "usage", "warnings"} & set(value)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"outcome": "unchanged"}, ""),
        (
            {},
            "compacted, 170000 -> 40000 tokens: 100 messages dropped, 6 kept;",
        ),
        (
            {"outcome": "spilled", "reason": "under the threshold"},
            "spilled 1 result, 170000 -> 40000 tokens; under the threshold",
        ),
        (
            {"outcome": "aged", "reason": "reached"},
            "spilled 1 older result, 170000 -> 40000 tokens; reached",
        ),
        (
            {"outcome": "summed up", "dropped": 1},
            "summed up 1 message, 170000 tokens, in 40000; mewctl recall --boundary",
        ),
        (
            {"outcome": "repaired", "reason": "under the threshold", "repairs": 1},
            "left alone: under the threshold; 1 repair, mewctl repair --check on the",
        ),
        ({"outcome": "failed", "reason": "x"}, "not compacted: x"),
        ({"outcome": "kept", "reason": "x"}, "not compacted: x"),
        ({"outcome": "cannot-fit", "reason": "x"}, "not compacted: x"),
    ],
)
def test_one_line_says_what_changed_or_was_refused(changes, words):
    assert line(replace(FULL, **changes)).startswith(words)
    assert bool(words) is bool(line(replace(FULL, **changes)))


def test_what_was_given_up_and_how_it_comes_back_is_said():
    assert (
        "; given up: lists of facts; mewctl recall --boundary 0123456789ab brings them"
        " back; 2 repairs, "
    ) in line(FULL)
    assert "given up" not in line(replace(FULL, reduced=()))


@given(st.lists(st.binary(max_size=5)), st.lists(st.binary(max_size=5)))
def test_the_first_difference_is_that_of_the_lines(before, after):
    before, after = (
        [line.replace(b"\n", b" ") for line in lines] for lines in (before, after)
    )
    one, other = (b"".join(b + b"\n" for b in lines) for lines in (before, after))
    found = first_difference(before, after)
    if one == other:
        assert found == -1
    else:
        assert one[:found] == other[:found]
        assert one[found : found + 1] != other[found : found + 1]
