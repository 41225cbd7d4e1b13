"""The provider said that the prompt is too long: whatever it takes, or exit 7."""

from __future__ import annotations

import pytest
from compacting import (
    FORMATS,
    WINDOWS,
    Memory,
    Never,
    Talk,
    compacted,
    filled,
    records_of,
    summary_of,
    values,
    views,
)
from validity import errors

from mewctl.compact.options import Spilled
from mewctl.compact.summary_read import read
from mewctl.errors import CannotFit, Exit
from mewctl.history.view import Call, Message, Result, Text, Usage
from mewctl.providers.offline import Offline
from mewctl.streams.jsonvalue import dumps
from mewctl.streams.records import Record


class Once(Offline):
    """A provider that may be asked once."""

    times = 0

    def write(self, request):
        self.times += 1
        return super().write(request)


def rescued(records, form="mew", state=None, **wishes):
    return compacted(records, form, state, trigger="emergency", **wishes)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("window", WINDOWS[:5])
def test_it_compacts_whatever_the_threshold_says(form, window):
    for part in (3, 1.2, 0.4):  # of the window
        records = filled(window * part, form, step=window // 60).records(form)
        run = rescued(records, form, window=window)
        assert run.report.outcome == "compacted"
        assert run.report.after <= window - min(3_000, int(0.065 * window))
        assert run.report.after < run.report.before
        assert errors(form, values(run.records)) == []


def test_it_spills_first_and_forgets_the_anchor():
    talk = filled(40_000)
    last = Message("assistant", (Text("x"),), usage=Usage(input=5, output=1))
    state = Memory()
    run = rescued((*talk.records("mew"), *records_of([last], "mew")), state=state)
    assert state.acts[0] == "spill"
    assert run.report.before > 30_000


def test_the_providers_numbers_correct_the_estimate():
    records = filled(40_000).records("mew")
    plain = rescued(records, window=32_000)
    said = int(plain.report.before * 1.4)
    error = f"prompt is too long: {said} tokens > 32000 maximum"
    run = rescued(records, window=32_000, error=error)
    assert run.report.before == pytest.approx(said, abs=3)
    assert run.report.after <= 32_000 - 2_080
    assert run.report.floor == pytest.approx(plain.report.floor * 1.4, rel=0.02)


def test_what_it_counts_beyond_any_estimate_is_overhead():
    records = filled(30_000).records("mew")
    error = "prompt is too long: 90000 tokens > 64000 maximum"
    run = rescued(records, window=64_000, error=error)
    assert run.report.before == pytest.approx(90_000, abs=3)
    assert run.report.fills["unseen overhead"] > 30_000
    assert run.report.after <= 60_800


# --- last resorts ---


def tight(tail=2_000, words=6, wide=900):
    """A history whose last message leaves little room."""
    talk = Talk()
    for n in range(words):
        talk.user(text=f"request {n} " + "word " * wide).says(30)
        talk.works(tokens=300)
    return talk.user(tail)


def given_up(tail):
    state = Memory()
    run = rescued(tight(tail=tail).records("mew"), state=state, window=8_000)
    return run, run.report.reduced


def test_one_thing_is_given_up_after_the_other():
    steps = []
    for tail in range(1_000, 7_000, 100):
        run, reduced = given_up(tail)
        if run.error is None:
            assert run.report.after <= 7_480
            assert errors("mew", values(run.records)) == []
            steps.append(len(reduced))
    assert {0, 1} <= set(steps)
    assert max(steps) >= 3


def test_what_is_given_up_is_told_in_the_order_of_its_worth():
    reduced = max((given_up(tail)[1] for tail in range(4_000, 7_000, 100)), key=len)
    assert reduced[:3] == (
        "the recovery attachment",
        "lists of facts",
        "the middle of the user's messages",
    )


def test_the_oldest_messages_of_the_tail_enter_the_facts():
    talk = filled(4_000, step=60)
    talk.user(text="an early wish of the tail").says(500)
    for _ in range(3):
        talk.works(tokens=900)
    talk.user(3_800)
    state = Memory()
    run = rescued(talk.records("mew"), state=state, window=8_000, tail_messages=9)
    assert run.report.outcome == "compacted", run.report
    assert run.report.after <= 7_480
    dropped = state.saved[run.report.boundary][0]
    facts = run.cut.span.facts
    assert b"an early wish of the tail" in dropped
    assert "an early wish of the tail" in [user.text for user in facts.users]


def test_the_last_unit_stays():
    talk = filled(9_000, step=100)
    talk.works(calls=3, tokens=1_000)
    records = talk.records("mew")
    run = rescued(records, window=8_000)
    assert run.records[-2:] == records[-2:]


def test_its_results_are_spilled_where_nothing_else_helps():
    talk = filled(3_000)
    talk.add("assistant", Text("x"), Call("big", "Bash", {"command": "make"}))
    talk.add("tool", Result("big", (Text("BIG " * 9_000),)))
    asked = []

    def act(records, start):
        asked.append(start)
        value = records[-1].mapping()
        value["tool_results"][0]["content"] = "preview"
        last = Record(dumps(value))
        at = len(records) - 1
        return Spilled((*records[:-1], last), ("big",), frozenset({at}))

    records = talk.records("mew")
    provider = Once()
    run = rescued(
        records,
        state=Memory(on_spill_from=act),
        window=8_000,
        provider=provider,
    )
    assert run.report.outcome == "compacted"
    assert asked == [len(records) - 2]
    assert run.report.spilled == ("big",)
    assert run.report.reduced[-1] == "the results of the last message"
    assert b"preview" in run.records[-1].raw
    assert provider.times == 1


# --- what cannot be done ---


def test_a_last_message_that_is_too_long_by_itself():
    talk = filled(3_000)
    talk.user(9_000)
    run = rescued(talk.records("mew"), window=8_000)
    assert isinstance(run.error, CannotFit)
    assert run.error.code == Exit.CANNOT_FIT
    assert "the last message with its results" in str(run.error)


def test_a_history_of_one_message():
    run = rescued(Talk().user(9_000).records("mew"), window=8_000, provider=Never())
    assert "nothing before the last message" in str(run.error)
    assert isinstance(rescued(()).error, CannotFit)


def test_what_no_summary_makes_smaller():
    run = rescued(Talk().user(30).says(30).records("mew"))
    assert isinstance(run.error, CannotFit)
    words = f"gets no smaller: {run.report.before} tokens by the estimate"
    assert words in str(run.error)
    assert "does not fit" not in str(run.error)


@pytest.mark.parametrize("known", [True, False])
def test_a_second_emergency_without_anything_new(known):
    state = Memory()
    run = rescued(filled(40_000).records("mew"), state=state, window=32_000)
    if not known:
        state.gone |= set(state.saved)
    again = rescued(run.records, state=state, window=32_000, provider=Never())
    assert isinstance(again.error, CannotFit)
    assert "nothing is new since the last emergency" in str(again.error)
    more = records_of([Message("user", (Text("go on"),))], "mew")
    third = rescued((*run.records, *more), state=state, window=32_000)
    assert third.error is None or "nothing is new" not in str(third.error)


def test_an_emergency_after_another_kind_of_run_may_cut_deeper():
    state = Memory()
    first = compacted(filled(60_000).records("mew"), state=state, trigger="manual")
    run = rescued(first.records, state=state, window=24_000)
    assert run.report.outcome == "compacted", run.report
    assert run.report.after <= 24_000 - 1_560
    facts = read(summary_of(run))
    assert len(facts.boundaries) == 2
    assert [m.role for m in views(run.records, "mew")][:2] == ["system", "user"]
