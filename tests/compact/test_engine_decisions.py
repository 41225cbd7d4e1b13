"""When a history is compacted, and what a refusal leaves as it was."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest
from compacting import (
    ESTIMATOR,
    FORMATS,
    Broken,
    Memory,
    Never,
    Talk,
    compacted,
    filled,
    job,
    records_of,
    spilling,
    views,
)

from mewctl import limits
from mewctl.compact import engine
from mewctl.compact.options import Spilled
from mewctl.compact.scales import Meter, Weights
from mewctl.errors import CannotFit, ProviderUnavailable
from mewctl.history.boundary import PLACEHOLDER
from mewctl.history.view import Call, Message, Result, Text, Usage
from mewctl.streams.jsonvalue import dumps
from mewctl.streams.records import Record

# --- manual ---


def test_manual_spills_nothing_and_knows_no_threshold():
    state = Memory()
    run = compacted(filled(30_000).records("mew"), state=state, trigger="manual")
    assert run.report.outcome == "compacted"
    assert state.acts == []


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("known", [True, False])
def test_nothing_new_is_left_byte_for_byte(form, known):
    state = Memory()
    run = compacted(filled(40_000, form).records(form), form, state, trigger="manual")
    if not known:
        state.gone |= set(state.saved)
    again = compacted(
        run.records, form, state, trigger="manual", provider=Never(), window=9_000
    )
    assert again.records == run.records
    assert again.report.outcome == "unchanged"
    assert "nothing is new" in again.report.reason


def test_a_tail_that_was_written_anew_is_nothing_new():
    run = compacted(filled(40_000).records("mew"), trigger="manual")
    anew = tuple(
        Record(b" " + dumps(record.mapping()) + b" ") for record in run.records
    )
    assert compacted(anew, trigger="manual").records == anew


def test_a_small_history_is_all_tail():
    records = Talk().turns(2).records("mew")
    run = compacted(records, trigger="manual", provider=Never())
    assert (run.report.outcome, run.records) == ("kept", records)
    assert run.error is None


def test_a_summary_that_would_not_be_smaller_is_not_made():
    records = Talk().turns(4).records("mew")
    run = compacted(records, trigger="manual", tail_tokens=0, tail_messages=24)
    assert run.report.outcome == "kept"
    assert "smaller" in run.report.reason
    assert run.records == records


def test_what_usage_says_is_small_is_not_replaced_by_what_is_estimated_larger():
    talk = filled(30_000)
    last = Message("assistant", (Text("done"),), usage=Usage(input=3_000, output=1))
    records = (*talk.records("mew"), *records_of([last], "mew"))
    run = compacted(records, trigger="manual", overhead=0)
    assert run.report.before < 4_000
    assert (run.report.outcome, run.records) == ("kept", records)
    assert "smaller" in run.report.reason


def test_no_room_is_an_error_of_a_manual_run():
    talk = filled(3_000)
    talk.user(9_000)
    run = compacted(talk.records("mew"), trigger="manual", window=8_000)
    assert isinstance(run.error, CannotFit)
    assert run.report.outcome == "cannot-fit"
    assert "the last message with its results 9" in str(run.error)


def test_a_floor_that_leaves_no_room_for_headings_is_told():
    talk = filled(3_000).user(100)
    base = compacted(talk.records("mew"), window=8_000, trigger="manual").report.floor
    records = talk.records("mew")
    for trigger in ("auto", "manual"):
        run = compacted(
            records, trigger=trigger, window=8_000, overhead=6_680 - base - 200
        )
        assert run.report.outcome == "cannot-fit"
        assert "summary alone do not fit: 6480 tokens" in run.report.reason
        assert run.records == records


@dataclass(frozen=True)
class Deceived(Weights):
    """Weights by which parts seem to cost less than they do together."""

    part: float = 0.8

    def meter(self, ratio):
        true = super().meter(ratio)
        return Deceiving(true, self.part)


@dataclass(frozen=True)
class Deceiving:
    true: Meter
    part: float

    def text(self, words):
        return self.true.text(words) * self.part

    def message(self, message):
        return self.true.message(message)


@pytest.mark.parametrize("part", [0.9, 0.6, 0.2])
def test_a_summary_that_came_out_too_large_is_made_again(part):
    records = filled(12_000).records("mew")
    weights = Deceived(ESTIMATOR, part=part)
    run = compacted(records, window=8_000, trigger="manual", weights=weights)
    assert run.report.outcome == "compacted"
    if part > 0.5:
        assert run.report.after <= run.report.target
    assert run.report.after < run.report.before


def test_an_empty_history_is_left_alone():
    for trigger in ("auto", "manual"):
        run = compacted((), trigger=trigger)
        assert (run.records, run.error) == ((), None)


# --- auto ---


def with_big(tokens=12_000, before=1_000, after=500):
    talk = filled(before, step=100)
    call = Call("big", "Bash", {"command": "make"})
    talk.add("assistant", Text("x"), call)
    body = "BIG " + "word " * tokens
    talk.add("tool", Result("big", (Text(body),)))
    talk.says(after)
    return talk.records("mew")


def test_auto_spills_first_and_stops_under_the_threshold():
    state = Memory(on_spill=spilling())
    records = with_big()
    run = compacted(records, state=state, window=16_000, provider=Never())
    assert state.acts == ["spill"]
    assert run.report.outcome == "spilled"
    assert run.report.before > run.report.threshold > run.report.after_spill
    assert run.report.after == run.report.after_spill
    assert run.report.spilled == ("c",)
    assert run.records != records


def test_auto_leaves_what_has_nothing_new_before_it_looks_at_sizes():
    state = Memory()
    run = compacted(filled(40_000).records("mew"), state=state, trigger="manual")
    again = compacted(run.records, state=state, window=9_000, provider=Never())
    assert again.report.outcome == "unchanged"
    assert again.records == run.records
    assert "age" not in state.acts


def old_output(tokens=600, runs=24):
    talk = Talk().user()
    for n in range(runs):
        call = Call(f"c{n}", "Bash", {"command": f"make {n}"})
        talk.add("assistant", Text("x"), call)
        mark = "BIG " if n < runs - 4 else ""
        talk.add("tool", Result(f"c{n}", (Text(mark + "word " * tokens),)))
    return talk.says(20)


def test_auto_stops_where_age_spill_reaches_the_target():
    state = Memory(on_age=spilling(ids=("a", "b")))
    records = old_output().records("mew")
    run = compacted(records, state=state, window=16_000, provider=Never())
    assert state.acts == ["spill", "age"]
    assert run.report.outcome == "aged"
    assert run.report.after <= run.report.target
    assert run.report.spilled == ("a", "b")
    assert run.error is None


def test_age_spill_is_asked_for_what_reaches_the_target():
    asked = []

    def act(records, keep, least):
        asked.append((keep, least))
        return Spilled(records)

    records = old_output().records("mew")
    run = compacted(records, state=Memory(on_age=act), window=16_000)
    ((keep, least),) = asked
    assert keep == int(run.report.threshold * limits.KEEP_RECENT_SHARE)
    assert least == run.report.after_spill - run.report.target
    assert run.report.outcome == "compacted"


def test_age_spill_that_cannot_reach_the_target_is_not_tried():
    state = Memory(on_age=spilling())
    talk = filled(12_000, step=10)
    run = compacted(talk.records("mew"), state=state, window=12_000)
    assert state.acts == ["spill"]
    assert run.report.outcome == "compacted"


def test_age_spill_that_misses_the_target_is_followed_by_a_summary():
    def act(records, *_):
        return Spilled(
            (Record(records[0].raw + b" "), *records[1:]), ("a",), frozenset({0})
        )

    state = Memory(on_age=act)
    records = old_output().records("mew")
    run = compacted(records, state=state, window=16_000)
    assert run.report.outcome == "compacted"
    before, missed = run.report.before, f"than the target, {run.report.target}"
    assert f"over the threshold, with {before} tokens" in run.report.reason
    assert missed in run.report.reason
    assert run.report.spilled == ("a",)
    # facts and the dropped store are those of the records as they came
    assert state.saved[run.report.boundary][0].startswith(records[0].raw + b"\n")


def test_a_failure_leaves_the_history_after_layer_1():
    state = Memory(on_spill=spilling(warnings=("disk is slow",)))
    records = (*with_big(), *filled(40_000, seed=2).records("mew")[1:])
    run = compacted(records, state=state, window=32_000, provider=Broken())
    assert isinstance(run.error, ProviderUnavailable)
    assert run.report.outcome == "failed"
    assert "nobody is there" in run.report.reason
    assert run.report.warnings == ("disk is slow",)
    assert run.records == spilling()(records).records
    assert run.report.after == run.report.after_spill


def test_a_floor_over_the_threshold_is_left_alone_and_told():
    talk = filled(3_000)
    talk.user(9_000)
    records = talk.records("mew")
    run = compacted(records, window=8_000, provider=Never(), system=100)
    assert (run.report.outcome, run.records) == ("cannot-fit", records)
    assert "the last message with its results" in run.report.reason
    assert "--system 100" in run.report.reason


def test_the_results_of_the_last_message_are_spilled_where_they_leave_no_room():
    talk = filled(4_000)
    call = Call("big", "Bash", {"command": "make"})
    talk.add("assistant", Text("x"), call)
    talk.add("tool", Result("big", (Text("BIG " + "word " * 9_000),)))
    records = talk.records("mew")
    for trigger in ("auto", "manual"):
        state = Memory(on_spill_from=spilling(ids=("big",)))
        run = compacted(records, state=state, window=8_000, trigger=trigger)
        assert run.report.outcome == "compacted"
        assert run.report.spilled == ("big",)
        assert state.acts[-1] == "spill from"
        assert b"preview" in run.records[-1].raw
        assert run.report.after <= run.report.threshold


def test_a_last_message_that_cannot_be_spilled_is_told():
    talk = filled(4_000)
    talk.add("assistant", Text("x"), Call("big", "Bash", {}))
    talk.add("tool", Result("big", (Text("word " * 9_000),)))
    run = compacted(talk.records("mew"), window=8_000)
    assert run.report.outcome == "cannot-fit"


def test_a_provider_that_counts_more_than_the_history_holds_is_told():
    usage = Usage(input=180_000, output=1)
    small = Talk().turns(2)
    first = Message("assistant", (Text("a"),), usage=Usage(input=100, output=1))
    last = Message("assistant", (Text("a"),), usage=usage)
    records = records_of(
        [Talk().user().messages[0], first, *small.messages, last], "mew"
    )
    run = compacted(records, overhead=0, provider=Never())
    assert run.report.outcome == "cannot-fit"
    assert "belongs to the tail" in run.report.reason
    assert run.records == records


def test_nothing_is_compacted_into_something_larger_or_equal():
    talk = filled(5_900, step=20)
    run = compacted(talk.records("mew"), window=8_000, tail_messages=400)
    assert run.report.after < run.report.before or run.records == talk.records("mew")


# --- check ---


def test_check_asks_nobody_and_says_what_auto_would_do():
    for tokens, window, due in ((40_000, 32_000, True), (10_000, 32_000, False)):
        todo = job(filled(tokens).records("mew"), window=window, provider=Never())
        found, report = engine.check(todo)
        assert found is due
        assert report.reason == ("over the threshold" if due else "under the threshold")


def test_check_says_no_where_auto_could_not():
    talk = filled(3_000)
    talk.user(9_000)
    due, report = engine.check(job(talk.records("mew"), window=8_000))
    assert not due
    assert report.outcome == "cannot-fit"


# --- right after a compaction ---


@pytest.mark.parametrize("form", ["mew", "anthropic"])
def test_auto_right_after_a_compaction_leaves_it_alone(form):
    talk = filled(120_000, form, usage=True, overhead=30_000)
    state = Memory()
    run = compacted(talk.records(form), form, state, window=140_000)
    assert run.report.outcome == "compacted"
    follow = Message("user", (Text("go on"),))
    for more in ((), records_of([follow], form)):
        again = compacted((*run.records, *more), form, state, window=140_000)
        assert again.report.outcome == "unchanged"
        assert again.report.before < again.report.threshold


@pytest.mark.parametrize("form", ["mew", "anthropic"])
def test_that_holds_behind_a_placeholder_too(form):
    talk = filled(100_000, form, usage=True, overhead=30_000)
    for _ in range(2):
        talk.user(6_000).says(6_000)
    state = Memory()
    run = compacted(talk.records(form), form, state, trigger="manual", tail_messages=4)
    assert views(run.records, form)[-5].text == PLACEHOLDER["en"]
    follow = records_of([Message("user", (Text("go on"),))], form)
    again = compacted((*run.records, *follow), form, state, window=90_000)
    assert again.report.outcome == "unchanged", again.report


def test_the_unseen_overhead_is_kept_for_the_next_run():
    talk = filled(60_000, usage=True, overhead=30_000)
    state = Memory()
    run = compacted(talk.records("mew"), state=state, trigger="manual")
    assert json.loads(run.cut.facts)["overhead"] == pytest.approx(30_000, rel=0.02)
    again = compacted(run.records, state=state)
    assert again.report.fills["unseen overhead"] == pytest.approx(30_000, rel=0.02)
    state.gone |= set(state.saved)
    assert "unseen overhead" not in compacted(run.records, state=state).report.fills
