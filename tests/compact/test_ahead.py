"""Facts that are collected while a history is read are those collected afterwards."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mewctl.compact import engine
from mewctl.compact.ahead import Ahead
from tests.support.compacting import FORMATS, compacted, filled, job, made

NUMBERS = {"trigger": "manual", "window": 32_000}


def ahead_of(todo, held):
    """What would have been collected while the records of a job were read."""
    ahead = Ahead(held)
    for record in todo.records:
        ahead.add(todo.lens.view(record.mapping()), len(record.raw))
    return ahead


def run_with(todo, held):
    return engine.run(replace(todo, ahead=ahead_of(todo, held)))


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("held", [0, 1_000, 60_000, 1 << 30])
def test_a_compaction_comes_out_the_same(form, held):
    records = made(60_000, form)
    plain = engine.run(job(records, form, **NUMBERS))
    assert plain.cut is not None
    assert run_with(job(records, form, **NUMBERS), held) == plain


def test_most_of_the_history_is_collected_while_it_is_read():
    todo = job(made(60_000), **NUMBERS)
    ahead = ahead_of(todo, 60_000)
    held = sum(len(record.raw) for record in todo.records[ahead.end :])
    assert 60_000 - 10_000 < held <= 120_000


@pytest.mark.parametrize("held", [1_000, 60_000])
def test_behind_an_earlier_summary_its_facts_count(held):
    first = compacted(made(60_000), **NUMBERS)
    more = (*first.records, *filled(60_000, seed=2).records("mew"))
    plain = engine.run(job(more, **NUMBERS))
    assert plain.cut is not None
    assert run_with(job(more, **NUMBERS), held) == plain


def test_a_collector_is_had_once():
    todo = job(made(60_000), **NUMBERS)
    ahead = ahead_of(todo, 1_000)
    end = len(todo.records)
    assert ahead.collector(todo.seen.body, end) is not None
    assert ahead.collector(todo.seen.body, end) is None


def test_a_tail_that_begins_among_what_was_collected_is_not_served():
    todo = job(made(60_000), **NUMBERS)
    ahead = ahead_of(todo, 1_000)
    assert ahead.collector(todo.seen.body, ahead.end - 1) is None
    assert ahead.collector(todo.seen.body + 1, ahead.end) is None
    assert ahead.collector(todo.seen.body, ahead.end) is not None
