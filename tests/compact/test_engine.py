"""What a compaction leaves, drops and puts in place of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from compacting import (
    FORMATS,
    THINKERS,
    WINDOWS,
    Memory,
    Talk,
    compacted,
    filled,
    job,
    records_of,
    summary_of,
    values,
    views,
    written,
)
from validity import errors

from mewctl.compact import engine
from mewctl.compact.policy import Numbers
from mewctl.errors import StorageError
from mewctl.history.boundary import PLACEHOLDER, parse
from mewctl.history.view import Call, Message, Result, Text, Thinking, Usage
from mewctl.streams.records import Record

# --- windows ---


@pytest.mark.parametrize("window", WINDOWS)
def test_auto_compacts_at_the_threshold_of_every_window_and_not_below(window):
    threshold = Numbers(window=window).threshold()
    message = Message("assistant", (Text("ok"),), usage=Usage(input=1, output=1))
    talk = filled(min(threshold, 60_000), step=max(40, min(window, 60_000) // 100))

    def at(tokens):
        usage = Usage(input=tokens - 1, output=1)
        return records_of([*talk.messages, replace(message, usage=usage)], "mew")

    below = compacted(at(threshold - 1), window=window, overhead=0)
    assert (below.report.outcome, below.records) == ("unchanged", at(threshold - 1))
    run = compacted(at(threshold), window=window, overhead=0)
    assert run.report.outcome == "compacted", run.report
    assert run.report.threshold == threshold
    assert run.report.after <= run.report.target < threshold
    assert errors("mew", values(run.records)) == []


@pytest.mark.parametrize("form", FORMATS)
def test_a_history_of_nearly_nothing_but_its_floor_is_compacted_at_8k(form):
    talk = filled(6_000, form, step=100)
    talk.user(3_000)
    run = compacted(talk.records(form), form, window=8_000)
    assert run.report.outcome == "compacted"
    assert run.report.after <= run.report.target
    assert errors(form, values(run.records)) == []


# --- what comes out ---


@pytest.mark.parametrize("form", FORMATS)
def test_system_text_one_message_and_the_tail_as_it_was(form):
    records = filled(40_000, form).records(form)
    run = compacted(records, form, trigger="manual")
    systems = 0 if form == "anthropic" else 1
    assert run.records[:systems] == records[:systems]
    made = views(run.records, form)
    assert made[systems].role == "user"
    assert parse(made[systems].text) is not None
    kept = len(run.records) - systems - 1
    assert written(run.records).endswith(written(records[-kept:]))
    assert made[systems + 1].role == "assistant"
    assert made[systems + 1].text not in PLACEHOLDER.values()


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("zh", [False, True])
def test_a_tail_that_begins_with_the_user_follows_a_placeholder(form, zh):
    talk = filled(40_000, form, zh=zh)
    for _ in range(6):
        talk.user(2_000).says(2_000)
    records = talk.records(form)
    run = compacted(records, form, trigger="manual", tail_messages=2, tail_tokens=3_000)
    made = views(run.records[-3:], form)
    assert [m.role for m in made] == ["assistant", "user", "assistant"]
    assert made[0].text == PLACEHOLDER["zh" if zh else "en"]
    assert run.records[-2:] == records[-2:]
    assert errors(form, values(run.records)) == []
    assert compacted(run.records, form, trigger="manual").records == run.records


@pytest.mark.parametrize("form", FORMATS)
def test_a_cut_inside_a_tool_loop_begins_with_the_assistants_own_thinking(form):
    thinks = form in THINKERS
    talk = Talk(thinking=thinks).user(text="do all of it")
    for _ in range(40):
        talk.works(calls=2, tokens=600)
    run = compacted(talk.records(form), form, trigger="manual")
    assert errors(form, values(run.records)) == []
    made = views(run.records, form)
    assert made[1].role == "assistant"
    assert isinstance(made[1].parts[0], Thinking) is thinks
    items = 4 if form == "responses" else 1  # thinking, text and two calls
    assert sum(len(message.calls) for message in made[1 : 1 + items]) == 2
    assert "do all of it" in summary_of(run)


def test_the_new_message_has_the_time_of_the_last_one():
    talk = filled(40_000)
    run = compacted(talk.records("mew"), trigger="manual")
    assert views(run.records, "mew")[1].time == talk.messages[-1].time


def test_the_tag_counts_the_answers_of_a_tail_that_repair_changed():
    talk = filled(40_000)
    talk.user(text="go on")
    lost = Message("assistant", (Call("open", "Bash", {"command": "ls"}),))
    records = (*talk.records("mew"), *records_of([lost], "mew"))
    state = Memory()
    run = compacted(records, state=state, trigger="manual")
    assert errors("mew", values(run.records)) == []
    summary = run.records[1]
    kept = views(run.records[2:], "mew")
    tag = parse(views([summary], "mew")[0].text)
    assert tag.tail == sum(m.role == "assistant" for m in kept)
    assert run.report.repairs == 1
    # what repair took away has an address, too
    assert records[-1].raw in state.saved[run.report.boundary][0].split(b"\n")
    assert compacted(run.records, state=state, trigger="manual").records == run.records


def test_results_without_a_call_leave_the_tail_for_the_dropped_store():
    talk = filled(40_000)
    stray = Message("tool", (Result("nobody", (Text("stray"),)),))
    records = (*talk.records("mew"), *records_of([stray], "mew"))
    state = Memory()
    run = compacted(records, state=state, trigger="manual")
    assert errors("mew", values(run.records)) == []
    assert records[-1].raw in state.saved[run.report.boundary][0].split(b"\n")


def test_a_tail_that_had_to_go_leaves_the_summary_alone():
    blank = Record(b'{"role":"system","content":" "}')
    records = (*filled(40_000, "anthropic").records("anthropic"), blank)
    wishes = {"trigger": "manual", "tail_messages": 1, "tail_tokens": 0}
    run = compacted(records, "anthropic", **wishes)
    assert len(run.records) == 1
    assert errors("anthropic", values(run.records)) == []


def test_system_text_that_no_api_takes_is_mended_and_kept():
    talk = filled(40_000, "anthropic")
    bad = Record(b'{"role":"system","content":[]}')
    state = Memory()
    records = (bad, *talk.records("anthropic"))
    run = compacted(records, "anthropic", state, trigger="manual")
    assert errors("anthropic", values(run.records)) == []
    assert state.saved[run.report.boundary][0].startswith(bad.raw)


# --- the dropped store and the id ---


def test_dropped_records_are_saved_byte_for_byte():
    odd = Record(b'{ "content" : "\\u0061 \xc3\xa9", "role":"user", "n": 1.50e3 }')
    records = (odd, *filled(40_000).records("mew")[1:])
    state = Memory()
    run = compacted(records, state=state, trigger="manual")
    dropped, facts = state.saved[run.report.boundary]
    kept = len(run.records) - 1
    assert dropped == written(records[: len(records) - kept])
    assert facts == run.cut.facts


def test_the_id_depends_on_bytes_and_wishes_alone():
    records = filled(40_000).records("mew")

    def boundary(**wishes):
        return compacted(records, trigger="manual", **wishes).report.boundary

    first = boundary()
    assert first == boundary()
    assert len(first) == 12
    assert first == boundary(origin="/elsewhere/transcript.jsonl")
    others = {
        boundary(focus="the parser"),
        boundary(lang="zh"),
        boundary(window=100_000),
        boundary(tail_messages=9),
    }
    assert len(others - {first}) == 4
    changed = (Record(records[0].raw + b" "), *records[1:])
    assert compacted(changed, trigger="manual").report.boundary == first
    changed = (records[0], Record(records[1].raw + b" "), *records[2:])
    assert compacted(changed, trigger="manual").report.boundary != first


def test_a_cut_that_cannot_be_saved_leaves_the_history_after_layer_1():
    run = compacted(filled(40_000).records("mew"), trigger="manual")
    error = StorageError(path="/x", what="no space", remedy="free some")
    left = run.without_cut(error)
    assert left.records == run.before
    assert left.cut is None
    assert left.error is error
    assert left.report.outcome == "failed"
    assert left.report.after == run.report.after_spill
    assert left.report.boundary == left.report.address == left.report.recall == ""


# --- the report of changes ---


def test_the_first_changed_byte_is_that_of_the_input():
    records = filled(40_000).records("mew")
    run = compacted(records, trigger="manual")
    before, after = written(records), written(run.records)
    at = run.report.first_changed
    assert before[:at] == after[:at]
    assert before[at] != after[at]
    assert len(records[0].raw) < at < len(records[0].raw) + 100
    system = run.report.fills["system messages"]
    assert run.report.rewrite == run.report.after - system


def test_what_stands_before_the_history_counts_as_bytes():
    records = filled(40_000).records("mew")
    plain = compacted(records, trigger="manual").report.first_changed
    todo = replace(job(records, trigger="manual"), offset=50)
    assert engine.run(todo).report.first_changed == plain + 50


def test_nothing_changed_is_no_offset():
    run = compacted(Talk().turns(1).records("mew"))
    assert (run.report.first_changed, run.report.rewrite) == (-1, 0)


def test_kept_and_dropped_messages_are_counted():
    talk = filled(40_000)
    run = compacted(talk.records("mew"), trigger="manual")
    assert run.report.kept + run.report.dropped == len(talk.messages) - 1


@pytest.mark.parametrize("factor", [0.75, 1.3])
def test_what_is_left_is_below_the_target_without_the_usage_that_corrected_it(factor):
    talk = filled(60_000, usage=True)
    messages = [
        replace(m, usage=Usage(input=int(m.usage.input * factor), output=1))
        if m.usage
        else m
        for m in talk.messages
    ]
    run = compacted(records_of(messages, "mew"), trigger="manual", window=32_000)
    assert run.report.after <= run.report.target
    again = compacted(run.records, trigger="manual", window=32_000)
    assert again.report.before <= run.report.target
