"""Ten compactions in a row: out(i+1) = compact(out(i) + span(i+1))."""

from __future__ import annotations

import pytest
from compacting import (
    FORMATS,
    Memory,
    Talk,
    compacted,
    records_of,
    size,
    summary_of,
    user_texts,
    values,
    views,
)
from validity import errors

from mewctl.compact.summary_read import read

SPANS = 10


def spans(form, *, zh=False):
    """The messages of ten spans, each big enough for a compaction of its own."""
    talk = Talk(seed=5, thinking=form == "anthropic", zh=zh)
    if form != "anthropic":
        talk.system(40)
    done = 0
    for _ in range(SPANS):
        target = talk.tokens + 40_000
        while talk.tokens < target:
            talk.turns(2, steps=4, tokens=700)
        yield talk.messages[done:]
        done = len(talk.messages)


@pytest.fixture(scope="module", params=["facts file", "text"])
def facts_from(request):
    return request.param


@pytest.fixture(scope="module", params=FORMATS)
def chain(request, facts_from):
    """Each run of the chain with all messages said so far."""
    form, state = request.param, Memory()
    runs, records, said = [], (), []
    for span in spans(form, zh=form == "openai"):
        said += span
        run = compacted(
            records + records_of(span, form),
            form,
            state,
            trigger="manual",
            window=200_000,
        )
        assert run.report.outcome == "compacted", run.report
        if facts_from == "text":
            state.gone |= set(state.saved)
        records = run.records
        runs.append((form, run, list(said)))
    return runs


def shown(run, form):
    """The user's messages in section 6, then those of the tail."""
    facts = read(summary_of(run))
    start = 1 + next(
        n for n, m in enumerate(views(run.records, form)) if m.role == "user"
    )
    tail = user_texts(views(run.records[start:], form))
    return [user.text for user in facts.users] + tail


def test_every_user_message_stands_once_and_in_order(chain):
    for form, run, said in chain:
        assert shown(run, form) == user_texts(said)


def test_every_history_is_valid(chain):
    for form, run, _ in chain:
        assert errors(form, values(run.records)) == []


def test_sizes_stay_bounded(chain):
    for form, run, _ in chain:
        assert run.report.after <= run.report.target
        first = next(m for m in views(run.records, form) if m.role == "user")
        assert size(first) <= 30_000


def test_facts_accumulate(chain, facts_from):
    counts = []
    for _, run, _ in chain:
        facts = run.cut.span.facts
        counts.append(sum(fact.runs for fact in facts.commands))
        assert facts.boundaries[-1] == run.report.boundary
        assert len(facts.boundaries) == len(counts)
    if facts_from == "facts file":  # a text holds what it has room for
        assert counts == sorted(counts)
    assert counts[-1] > counts[0]


def test_message_numbers_never_start_again(chain):
    last = [run.cut.span.facts.messages for _, run, _ in chain]
    assert last == sorted(set(last))


def test_the_system_text_stays_as_it_was(chain):
    if chain[0][0] != "anthropic":
        for form, run, said in chain:
            assert run.records[0].raw == records_of(said[:1], form)[0].raw
