from __future__ import annotations

import pytest
from compacting import FORMATS, Memory, Talk, compacted, job, records_of, values
from validity import errors

from mewctl.compact import kept
from mewctl.compact.engine import run
from mewctl.errors import CannotFit
from mewctl.history.view import Message, Text
from mewctl.streams.records import Record


def test_a_tail_that_no_repair_can_place_is_an_error(monkeypatch):
    monkeypatch.setattr(kept, "repair_records", lambda *_: iter([b"{}"]))
    done = run(job(Talk().fill(40_000).records("mew"), trigger="manual"))
    assert isinstance(done.error, CannotFit)
    assert "mewctl repair" in str(done.error)


@pytest.mark.parametrize("form", FORMATS)
def test_an_answer_that_says_nothing_makes_way_for_a_placeholder(form):
    talk = Talk().fill(40_000)
    blank = Message("assistant", (Text(""),))
    records = (
        *talk.records(form),
        *records_of([blank, Message("user", (Text("go on"),))], form),
    )
    wishes = {"trigger": "manual", "tail_messages": 2, "tail_tokens": 1}
    state = Memory()
    done = compacted(records, form, state, **wishes)
    assert errors(form, values(done.records)) == []
    again = compacted(done.records, form, state, **wishes)
    assert again.records == done.records


def test_a_record_that_is_no_message_stays_where_it_is():
    talk = Talk().fill(40_000)
    odd = Record(b'{"type":"progress","n":1}')
    records = (*talk.records("mew"), odd)
    state = Memory()
    done = compacted(records, state=state, trigger="manual")
    assert done.records[-1] == odd
    assert compacted(done.records, state=state, trigger="manual").records == (
        done.records
    )
