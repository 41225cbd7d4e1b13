"""Repair, whatever the history: valid, idempotent, and nothing changed without need."""

from __future__ import annotations

import json

import pytest
from damage import histories, oddities
from hypothesis import given
from hypothesis import strategies as st
from validity import errors

from mewctl.errors import BadInput
from mewctl.history import formats, repair
from mewctl.history.glance import GLANCES
from mewctl.history.lane import REFUSE, Lane
from mewctl.history.repair import check_records, repair_messages, repair_records
from mewctl.history.rules import rules_for
from mewctl.history.shape import shape_of
from mewctl.history.stretches import Damaged
from mewctl.history.view import Result
from mewctl.history.wellformed import well_formed
from mewctl.streams.jsonvalue import dumps
from mewctl.streams.records import Record

FORMATS = ["anthropic", "openai", "responses", "mew"]


def records(values):
    return [Record(dumps(value), n) for n, value in enumerate(values, 1)]


def run(name, lines):
    found = []
    pairs = [(record, record.mapping()) for record in lines]
    out = list(repair_records(pairs, formats.load(name), found.append))
    return out, found


def again(out):
    return [Record(raw, n) for n, raw in enumerate(out, 1)]


def values(out):
    return [json.loads(raw) for raw in out]


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
def test_what_comes_out_is_valid(name, data):
    out, _ = run(name, records(data.draw(histories(name))))
    assert errors(name, values(out)) == []


@pytest.mark.parametrize("name", [*FORMATS, "enveloped"])
@given(data=st.data())
def test_a_second_repair_changes_nothing(name, data):
    history = data.draw(histories(name))
    form = "mew" if name == "enveloped" else name
    once, _ = run(form, records(history))
    twice, found = run(form, again(once))
    assert twice == once
    assert found == []


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
def test_a_valid_history_comes_out_as_the_very_bytes(name, data):
    lines = records(data.draw(histories(name)))
    if errors(name, [record.mapping() for record in lines]):
        lines = again(run(name, lines)[0])
    out, found = run(name, lines)
    assert out == [record.raw for record in lines]
    assert found == []


@pytest.mark.parametrize("name", [*FORMATS, "enveloped"])
@given(data=st.data())
def test_check_finds_what_repair_reports(name, data):
    lines = records(data.draw(histories(name)))
    form = "mew" if name == "enveloped" else name
    out, found = run(form, lines)
    pairs = [(record, record.mapping()) for record in lines]
    assert list(check_records(pairs, formats.load(form))) == found
    if out != [record.raw for record in lines]:
        assert found


@pytest.mark.parametrize("name", [*FORMATS, "enveloped"])
@given(data=st.data())
def test_stretches_as_they_arrive_are_judged_like_the_whole(name, data):
    lines = records(data.draw(histories(name)))
    form = "mew" if name == "enveloped" else name
    if name == "enveloped":
        lines = [line for line in lines if b"compact" not in line.raw]
    streamed = run(form, lines)

    def one(entries, *_):
        entries = list(entries)
        if entries:
            yield Damaged(entries, end=True)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(repair, "stretches", one)
        whole = run(form, lines)
    assert streamed == whole


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
def test_a_glance_sees_what_the_view_shows(name, data):
    form, rules = formats.load(name), rules_for(name)
    for value in data.draw(histories(name) | oddities(name)):
        shape = GLANCES[name](json.loads(dumps(value)))
        if shape is not None:
            assert shape == shape_of(form.view(value), rules)


@pytest.mark.parametrize("name", [*FORMATS, "enveloped"])
@given(data=st.data())
def test_without_the_fast_lane_all_is_the_same(name, data):
    lines = records(data.draw(histories(name)))
    form = "mew" if name == "enveloped" else name
    fast = run(form, lines)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Lane, "take", lambda *_: REFUSE)
        slow = run(form, lines)
    assert fast == slow


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
def test_whatever_types_stand_in_a_record_it_is_repaired_or_refused(name, data):
    lines = records(data.draw(oddities(name)))
    kept = []
    for line in lines:
        try:
            run(name, [line])
        except (ValueError, BadInput):
            continue
        kept.append(line)
    once, _ = run(name, kept)
    assert run(name, again(once)) == (once, [])


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
def test_every_result_is_kept_or_reported(name, data):
    lines = records(data.draw(histories(name)))
    form = formats.load(name)
    out, found = run(name, lines)

    def bodies(raws):
        views = [form.view(json.loads(raw)) for raw in raws]
        results = [p for v in views for p in v.parts if isinstance(p, Result)]
        return ["".join(result.text.split()) for result in results]

    made = ("", "noresultrecorded", "noerrortextrecorded")
    kept = [text for text in bodies(out) if text not in made]
    before = [text for text in bodies(r.raw for r in lines) if text]
    gone = sum(finding.kind == "orphan-result" for finding in found)
    assert len(before) - gone <= len(kept) <= len(before)
    assert all(text in before for text in kept)


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
def test_what_the_user_said_stays_in_its_order(name, data):
    lines = records(data.draw(histories(name)))
    form = formats.load(name)
    out, _ = run(name, lines)

    def said(raws):
        views = [form.view(json.loads(raw)) for raw in raws]
        texts = [
            part.text
            for view in views
            if view.role == "user"
            for part in view.parts
            if hasattr(part, "text") and type(part).__name__ == "Text"
        ]
        return [t for t in texts if t.strip() and not t.startswith("<system-reminder>")]

    assert said(out) == said(record.raw for record in lines)


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
def test_views_are_repaired_like_records(name, data):
    form = formats.load(name)
    lines = records(data.draw(histories(name)))
    out, found = run(name, lines)
    values = [well_formed(record.mapping(exact=True), name) for record in lines]
    repaired, also_found = repair_messages([form.view(v) for v in values], name)
    kinds = [f.kind for f in found if f.kind != "malformed-part"]
    assert [f.kind for f in also_found] == kinds
    again_found = repair_messages(repaired, name)
    assert again_found == (repaired, [])
    assert all(a is b for a, b in zip(again_found[0], repaired, strict=True))
    shown = [form.view(json.loads(raw)) for raw in out]
    assert len(shown) == len(repaired)
