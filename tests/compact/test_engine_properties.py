"""Compaction, whatever the history: valid, smaller, on target, and nothing lost."""

from __future__ import annotations

import json

import pytest
from compacting import (
    ESTIMATOR,
    FORMATS,
    THINKERS,
    Memory,
    Talk,
    compacted,
    job,
    records_of,
    values,
    views,
    written,
)
from damage import histories, oddities
from hostile_facts import HOSTILE
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from unseen import unseen
from validity import errors

from mewctl.compact.scales import Taken
from mewctl.compact.summary_read import read
from mewctl.errors import BadInput, CannotFit
from mewctl.history.boundary import is_summary
from mewctl.history.view import Text
from mewctl.history.words import user_words
from mewctl.streams.jsonvalue import dumps
from mewctl.streams.records import Record

LONG = ("content", "text", "output")  # keys whose texts are made longer
WINDOWS = st.sampled_from([8_000, 16_000, 32_000])
TRIGGERS = st.sampled_from(["auto", "manual", "emergency"])
SLOW = settings(
    deadline=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@st.composite
def talks(draw, form):
    """A sound history with text in it that could pass for our own."""
    talk = Talk(seed=draw(st.integers(0, 99)), thinking=form in THINKERS)
    talk.zh = draw(st.booleans())
    if form != "anthropic" and draw(st.booleans()):
        talk.system()
    hostile = st.lists(st.sampled_from(HOSTILE), min_size=1, max_size=4).map("\n".join)
    talk.user(text="begin: " + draw(hostile))
    assume(not is_summary(talk.messages[-1]))
    steps = st.tuples(
        st.sampled_from(["user", "hostile", "says", "works", "picture", "turn"]),
        st.integers(1, 3),
        st.integers(1, 900),
    )
    for kind, calls, tokens in draw(st.lists(steps, max_size=40)):
        if kind == "user":
            talk.user(tokens)
        elif kind == "hostile":
            talk.user(text=draw(hostile)).says(tokens)
        elif kind == "says":
            talk.says(tokens)
        elif kind == "works":
            talk.works(calls, tokens, text=draw(hostile))
        elif kind == "picture":
            talk.picture()
        else:
            talk.turns(1, steps=calls, tokens=tokens)
    return talk


def alternating(messages, form):
    """What the format's API takes: no role twice in a row."""
    if form != "anthropic":
        return messages
    kept = []
    for message in messages:
        role = "user" if message.role == "tool" else message.role
        if not kept or role != ("user" if kept[-1].role == "tool" else kept[-1].role):
            kept.append(message)
    return kept


def nothing_lost(records, run, state):
    """Each record is in the output or in the dropped store, as it was."""
    out = {record.raw for record in run.records}
    dropped = set(state.saved[run.report.boundary][0].split(b"\n"))
    return all(record.raw in out or record.raw in dropped for record in records)


@pytest.mark.parametrize("form", FORMATS)
@SLOW
@given(data=st.data())
def test_a_sound_history_comes_out_valid_smaller_and_with_every_word(form, data):
    talk = data.draw(talks(form))
    messages = alternating(talk.messages, form)
    records = records_of(messages, form)
    assume(not errors(form, values(records)))
    state = Memory()
    trigger = data.draw(st.sampled_from(["auto", "manual"]))
    window = data.draw(WINDOWS)
    run = compacted(records, form, state, window=window, trigger=trigger)
    if run.report.outcome != "compacted":
        assert run.records == records
        return
    assert errors(form, values(run.records)) == []
    assert run.report.after <= run.report.target
    assert run.report.after < run.report.before
    again = job(run.records, form, state, window=window)
    assert again.weights.size(
        again.seen, sizes(run.records, form), Taken(), 0
    ).tokens <= (run.report.target)
    assert nothing_lost(records, run, state)
    tail = records[len(records) - len(run.cut.span.kept.records) :]
    assert written(run.records).endswith(written(tail))
    facts = read(run.cut.text)
    hidden = [n for n, _ in unseen(facts)]
    told = [m for m in views(records, form) if m.role != "system" and not is_summary(m)]
    users = {n: m for n, m in enumerate(told, 1) if user_words(m) or m.images}
    spoken = [n for n, m in users.items() if m.role == "user"]
    kept = [m for m in views(tail, form) if user_words(m) or m.images]
    numbers = sorted([user.n for user in facts.users] + hidden)
    assert numbers == spoken[: len(spoken) - len(kept)]
    for user in facts.users:
        assert user.text == user_words(users[user.n])


def sizes(records, form):
    return [ESTIMATOR.count(view).tokens for view in views(records, form)]


PADDING = st.integers(0, 700).map(lambda n: " word" * n)


@st.composite
def broken(draw, form, kinds=histories):
    """A damaged history whose texts are long enough to matter."""
    made = []
    for _ in range(draw(st.integers(1, 4))):
        made += draw(kinds(form))
    records = [Record(dumps(padded(value, draw))) for value in made]
    return [record for record in records if readable(record, form)]


def readable(record, form):
    try:
        views([record], form)
    except (ValueError, BadInput):
        return False
    return True


def padded(value, draw):
    if isinstance(value, dict):
        return {
            key: item + draw(PADDING)
            if key in LONG and isinstance(item, str) and item.strip()
            else padded(item, draw)
            for key, item in value.items()
        }
    return [padded(item, draw) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("form", FORMATS)
@SLOW
@given(data=st.data(), window=WINDOWS, trigger=TRIGGERS)
def test_a_broken_history_comes_out_valid_or_as_it_was(form, data, window, trigger):
    records = tuple(data.draw(broken(form)))
    state = Memory()
    run = compacted(records, form, state, window=window, trigger=trigger)
    if run.report.outcome != "compacted":
        assert run.records == records
        assert trigger != "emergency" or isinstance(run.error, CannotFit)
        return
    assert errors(form, values(run.records)) == []
    assert run.report.after < run.report.before
    assert nothing_lost(records, run, state)
    once = run.records
    if trigger != "emergency":
        twice = compacted(once, form, state, window=window, trigger="manual")
        assert twice.records == once
        state.gone |= set(state.saved)
        assert compacted(
            once, form, state, window=window, trigger="manual"
        ).records == (once)


@pytest.mark.parametrize("form", FORMATS)
@SLOW
@given(data=st.data(), window=WINDOWS, trigger=TRIGGERS)
def test_wrong_types_raise_nothing_and_lose_nothing(form, data, window, trigger):
    records = tuple(data.draw(broken(form, oddities)))
    state = Memory()
    run = compacted(records, form, state, window=window, trigger=trigger)
    if run.report.outcome == "compacted":
        assert nothing_lost(records, run, state)
    else:
        assert run.records == records


@pytest.mark.parametrize("form", FORMATS)
@SLOW
@given(data=st.data(), window=WINDOWS)
def test_the_same_input_gives_the_same_bytes(form, data, window):
    records = data.draw(talks(form)).records(form)
    one, other = (
        compacted(records, form, Memory(), window=window, trigger="manual")
        for _ in range(2)
    )
    assert one.records == other.records
    assert one.report == other.report


def test_the_padding_is_seen():
    assert json.loads(dumps(padded({"text": "a"}, lambda _: " b"))) == {"text": "a b"}
    assert Text("a") == Text("a")
