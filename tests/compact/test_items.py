"""Compacting items: one answer is one message, and no cut goes through it."""

from __future__ import annotations

import json

import pytest
from compacting import (
    FORMATS,
    THINKERS,
    Talk,
    compacted,
    read,
    records_of,
    views,
    written,
)
from validity import errors

from mewctl.compact.survey import survey
from mewctl.compact.tail import Item, choose, last_unit, messages_in
from mewctl.history.boundary import parse
from mewctl.history.convert import convert_records
from mewctl.history.formats import load
from mewctl.history.lens import lens
from mewctl.history.losses import Losses
from mewctl.streams.jsonvalue import dumps
from mewctl.streams.records import Record

FORM = "responses"
USER = {"role": "user", "content": "go"}
THOUGHT = {"type": "reasoning", "summary": []}
WORDS = {"role": "assistant", "content": "x"}
CALL = {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"}
HEARD = {"type": "function_call_output", "call_id": "a", "output": "1"}
CLICK = {"type": "computer_call", "call_id": "z"}
SCREEN = {"type": "computer_call_output", "call_id": "z"}
ITEMS = [USER, THOUGHT, WORDS, CALL, HEARD, THOUGHT, CLICK, SCREEN, WORDS, USER, WORDS]


def seen(*values):
    return survey([Record(dumps(value)) for value in values], lens(FORM))


def test_an_answer_counts_once_wherever_the_count_begins():
    found = seen(*ITEMS)
    assert [found.assistants(at) for at in range(len(ITEMS) + 1)] == [
        4, 4, 4, 4, 3, 3, 3, 2, 2, 1, 1, 0,
    ]  # fmt: skip
    assert found.spoken(0) == 2


def test_what_nobody_knows_parts_two_answers():
    assert seen(WORDS, {"type": "progress"}, WORDS).assistants(0) == 2
    assert seen(WORDS, {"object": "response", "output": [WORDS]}).assistants(0) == 2


def test_items_and_answers_of_every_kind_go_with_what_they_belong_to():
    entries = seen(*ITEMS).entries
    follows = [entry.results or entry.continues for entry in entries]
    assert follows == [
        False, False, True, True, True, False, True, True, False, False, False,
    ]  # fmt: skip


def item(*, follows=False, results=False):
    return Item(100, follows, results)


def test_a_tail_begins_with_a_whole_answer():
    more = item(follows=True)
    heard = item(follows=True, results=True)
    items = [item(), item(), more, more, heard, heard, item(), more, heard]
    assert last_unit(items, 0, 9) == 6
    assert last_unit(items, 0, 6) == 1
    assert messages_in(items) == 5
    assert choose(items, 0, 10**6, tokens=400, messages=3).start == 1


@pytest.mark.parametrize("there", FORMATS)
@pytest.mark.parametrize("here", FORMATS)
def test_the_tag_counts_the_same_in_every_format(here, there):
    talk = Talk(thinking=here in THINKERS).turns(30, steps=4, tokens=400)
    talk.user()
    for _ in range(8):
        talk.works(calls=3, tokens=400)
    run = compacted(talk.records(here), here, trigger="manual")
    expected = parse(run.cut.text).tail
    assert expected > 3
    values = (json.loads(record.raw) for record in run.records)
    away = convert_records(values, load(here), load(there), Losses())
    found = survey([Record(dumps(value)) for value in away], lens(there))
    assert found.boundary.tail == expected
    assert found.assistants(found.body) == expected
    assert not found.is_fresh


def test_a_chain_keeps_answers_whole_and_finds_nothing_new_in_its_own():
    talk = Talk(thinking=True)
    records = ()
    for _ in range(4):
        done = len(talk.messages)
        talk.turns(15, steps=4, tokens=300)
        records = (*records, *records_of(talk.messages[done:], FORM))
        run = compacted(records, FORM, trigger="manual")
        records = read(written(run.records))
        assert errors(FORM, [json.loads(r.raw) for r in records]) == []
        same = compacted(records, FORM, trigger="manual")
        assert same.report.outcome == "unchanged"
        assert same.records == records


def test_usage_that_predates_the_boundary_is_no_anchor_on_any_item_of_the_tail():
    talk = Talk(usage=True, overhead=5000)
    talk.turns(40, steps=4, tokens=400)
    before = talk.records(FORM)
    run = compacted(before, FORM, trigger="manual")
    usages = [m.usage for m in views(run.records, FORM) if m.usage]
    assert usages
    assert min(usage.context for usage in usages) > run.report.after
    again = compacted(read(written(run.records)), FORM, window=10**6)
    assert again.report.before < 1.2 * run.report.after
