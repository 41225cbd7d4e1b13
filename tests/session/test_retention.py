"""The policy of ``session clean``: golden cases, and what holds for every policy.

A case is a file: rules, one a line; sessions as ``ID DAYS-AGO BYTES [MARK]``; then what
is decided, the newest first.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl.errors import ConfigError
from mewctl.session.retention import Policy, Subject, apply

CASES = sorted((Path(__file__).parents[1] / "data" / "retention").glob("*.txt"))
NOW = 1796126400.0  # 2026-12-01 12:00 UTC
DAY = 86_400
RULES = {
    "older-than": "older_than",
    "keep-last": "keep_last",
    "keep-within": "keep_within",
    "keep-daily": "keep_daily",
    "max-total-size": "max_total",
}


def number(text):
    return float(text[:-1]) * DAY if text.endswith("d") else int(text)


def subject(words):
    marks = words[3:]
    born = next((m.partition("=")[2] for m in marks if m.startswith("born=")), None)
    return Subject(
        id=words[0],
        active=NOW - float(words[1]) * DAY,
        size=int(words[2]),
        born=None if born is None else NOW - float(born) * DAY,
        pinned="pinned" in marks,
        locked="locked" in marks,
        problem="torn" if "damaged" in marks else "",
    )


def read(path):
    given, _, output = path.read_text().partition("# output\n")
    rules, subjects = {}, []
    for line in given.splitlines():
        words = line.split()
        if not words or line.startswith("#"):
            continue
        if words[0] in RULES:
            rules[RULES[words[0]]] = number(words[1])
        else:
            subjects.append(subject(words))
    return Policy(**rules), subjects, output.splitlines()


def told(decisions):
    return [
        f"{'KEEP' if d.keep else 'REMOVE'} {d.subject.id} {'; '.join(d.reasons)}"
        for d in decisions
    ]


def test_there_are_cases():
    assert len(CASES) >= 10


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_case_is_decided_as_it_says(path):
    policy, subjects, expected = read(path)
    assert told(apply(subjects, policy.settled(), NOW)) == expected


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_the_order_of_sessions_does_not_matter(path):
    policy, subjects, expected = read(path)
    assert told(apply(subjects[::-1], policy.settled(), NOW)) == expected


def test_an_age_below_the_least_age_contradicts_it():
    with pytest.raises(ConfigError, match="12h contradicts --min-age 1d"):
        Policy(older_than=12 * 3600).settled()
    assert Policy(older_than=12 * 3600, min_age=3600).settled()


ages = st.one_of(st.none(), st.integers(1, 400).map(lambda n: float(n * DAY)))
counts = st.one_of(st.none(), st.integers(1, 5))
policies = st.builds(
    Policy,
    older_than=ages,
    keep_last=counts,
    keep_within=ages,
    keep_daily=counts,
    max_total=st.one_of(st.none(), st.integers(1, 500)),
)
histories = st.lists(
    st.builds(
        Subject,
        id=st.text("abcdef", min_size=1, max_size=4),
        active=st.floats(NOW - 500 * DAY, NOW + 5 * DAY),
        size=st.integers(0, 100),
        pinned=st.booleans(),
        locked=st.booleans(),
        problem=st.sampled_from(["", "", "torn"]),
    ),
    max_size=12,
    unique_by=lambda s: s.id,
)


@given(policies, histories)
def test_what_is_protected_is_never_removed_and_every_decision_has_a_reason(
    policy, subjects
):
    decisions = apply(subjects, policy.settled(), NOW)
    assert {d.subject.id for d in decisions} == {s.id for s in subjects}
    for decision in decisions:
        assert decision.reasons
        it = decision.subject
        shielded = it.pinned or it.locked or it.problem or it.active > NOW - DAY
        assert decision.keep or not shielded


@given(policies, histories)
def test_a_second_run_removes_nothing_more(policy, subjects):
    policy = policy.settled()
    kept = [d.subject for d in apply(subjects, policy, NOW) if d.keep]
    assert all(d.keep for d in apply(kept, policy, NOW))


@given(policies, histories)
def test_under_a_size_alone_what_stays_fits_or_is_protected(policy, subjects):
    policy = Policy(max_total=policy.max_total or 50)
    decisions = apply(subjects, policy, NOW)
    kept = [d for d in decisions if d.keep]
    free = [d for d in kept if d.reasons == ("within --max-total-size",)]
    assert not free or sum(d.subject.size for d in kept) <= policy.max_total
