"""The order of a run, its outcomes, and what each leaves as it was."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import pytest
from compacting import (
    ESTIMATOR,
    FORMATS,
    THINKERS,
    WINDOWS,
    Memory,
    Talk,
    compacted,
    job,
    records_of,
    summary_of,
    values,
    views,
    written,
)
from validity import errors

from mewctl import limits
from mewctl.compact import engine
from mewctl.compact.options import Spilled
from mewctl.compact.policy import Numbers
from mewctl.compact.scales import Meter, Weights
from mewctl.compact.summary_read import read
from mewctl.errors import CannotFit, ProviderUnavailable, StorageError
from mewctl.history.boundary import PLACEHOLDER, parse
from mewctl.history.view import Call, Message, Result, Text, Thinking, Usage
from mewctl.providers.offline import Offline
from mewctl.providers.protocol import Prose
from mewctl.streams.jsonvalue import dumps
from mewctl.streams.records import Record


def filled(tokens, form="mew", *, seed=1, step=400, **kinds):
    """A history of so many tokens."""
    talk = Talk(seed=seed, thinking=form == "anthropic", **kinds)
    if form != "anthropic":
        talk.system()
    return talk.fill(tokens, step)


class Broken(Offline):
    """A provider that fails."""

    def write(self, _request):
        raise ProviderUnavailable(what="nobody is there", remedy="try later")


class Never(Offline):
    """A provider that must not be asked."""

    def write(self, _request):
        raise AssertionError("asked")


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
        assert "no room for a summary: 6480 tokens" in run.report.reason
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


def spilling(ids=("c",), warnings=()):
    """Replace the texts of results by short ones, as previews do."""

    def act(records, *_):
        new = list(records)
        for at, record in enumerate(records):
            if b"BIG" in record.raw:
                value = record.mapping()
                value["tool_results"][0]["content"] = "preview"
                new[at] = Record(dumps(value))
        return Spilled(tuple(new), ids, frozenset(range(len(new))), warnings)

    return act


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


# --- facts ---


def test_the_summary_holds_the_files_and_the_words():
    talk = filled(40_000)
    run = compacted(talk.records("mew"), trigger="manual")
    facts = read(summary_of(run))
    assert facts.users[0].text == talk.messages[1].text
    assert {fact.path for fact in run.cut.span.facts.files} >= {
        fact.path for fact in facts.files
    }
    assert facts.commands


def test_reads_of_the_tail_are_pointed_at():
    talk = filled(40_000)
    read_it = Call("r", "Read", {"file_path": "/srv/tail.py"})
    talk.add("assistant", Text("x"), read_it)
    talk.add("tool", Result("r", (Text("1\tprint()"),)))
    text = summary_of(compacted(talk.records("mew"), trigger="manual"))
    shown = text[text.index("/srv/tail.py") :]
    assert shown.split("\n")[2] == "[part] read in the messages after this one"


def test_todos_are_those_of_the_whole_history():
    talk = filled(40_000)
    todos = [{"content": "mend the reader", "status": "in_progress"}]
    talk.add("assistant", Text("x"), Call("t", "TodoWrite", {"todos": todos}))
    talk.add("tool", Result("t", (Text("Todos have been modified successfully"),)))
    run = compacted(talk.records("mew"), trigger="manual")
    assert "mend the reader" in summary_of(run)
    assert run.cut.span.facts.todos == ()


def test_a_summary_without_a_tag_is_carried_on():
    first = compacted(filled(40_000).records("mew"), trigger="manual")
    text = summary_of(first).rsplit("\n", 1)[0]  # somebody cut the tag off
    start = records_of([Message("user", (Text(text),))], "mew")
    more = filled(40_000, seed=3).records("mew")[1:]
    again = compacted((*start, *more), trigger="manual")
    assert again.report.outcome == "compacted"
    old = [user.text for user in read(text).users]
    assert [user.text for user in read(summary_of(again)).users][: len(old)] == old


@dataclass
class Named(Offline):
    """A provider with usage of its own."""

    def write(self, request):
        self.asked = request
        return Prose({1: "All is well."}, "other", "model-1", Usage(input=7, output=3))


def test_the_provider_gets_the_span_and_is_reported():
    provider = Named()
    run = compacted(
        filled(40_000).records("mew"),
        trigger="manual",
        provider=provider,
        focus="the cache",
    )
    assert provider.asked.focus == "the cache"
    assert sum(1 for _ in provider.asked.messages) > 20
    assert (run.report.provider, run.report.model) == ("other", "model-1")
    assert run.report.usage["input"] == 7
    assert run.report.usage["output"] == 3
    assert "All is well." in summary_of(run)


def test_the_tools_at_hand_are_listed():
    tools = ({"name": "grep", "description": "find text", "input_schema": {}},)
    run = compacted(filled(40_000).records("mew"), trigger="manual", tool_list=tools)
    assert "### grep" in summary_of(run)


# --- a hand-over ---


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("tokens", [0, 40_000])
def test_a_hand_over_sums_up_everything(form, tokens):
    talk = filled(tokens, form)
    talk.user(text="the very last words")
    state = Memory()
    records = talk.records(form)
    run = compacted(records, form, state, trigger="manual", emit="summary")
    assert run.report.outcome == "compacted"
    facts = read(run.summary.decode())
    assert facts.users[-1].text == "the very last words"
    systems = 0 if form == "anthropic" else 1
    dropped = state.saved[run.report.boundary][0]
    assert dropped == written(records[min(systems, len(records) - 1) :]) or tokens == 0
    assert parse(run.summary.decode()).tail == 0
    assert "follow below" not in run.summary.decode()


@pytest.mark.parametrize("window", [2_000, 8_000, 1_000_000])
def test_a_hand_over_has_room_at_every_window(window):
    records = filled(20_000).records("mew")
    run = compacted(records, trigger="manual", emit="summary", window=window)
    assert 500 < run.report.after < limits.SUMMARY_MAX


def test_a_hand_over_can_begin_a_new_history():
    state = Memory()
    wishes = {"state": state, "trigger": "manual"}
    run = compacted(filled(40_000).records("mew"), emit="summary", **wishes)
    start = Message("user", (Text(run.summary.decode().rstrip("\n")),))
    records = records_of([start], "mew")
    assert compacted(records, **wishes).records == records
    more = filled(40_000, seed=4).records("mew")[1:]
    again = compacted((*records, *more), **wishes)
    assert again.cut.span.facts.boundaries == (
        run.report.boundary,
        again.report.boundary,
    )


def test_there_is_nothing_to_sum_up_in_nothing():
    run = compacted((), trigger="manual", emit="summary")
    assert (run.summary, run.report.outcome) == (b"", "kept")


def test_words_that_are_no_text_are_escaped_in_a_hand_over():
    talk = Talk().user(text="a \ud800 b").says()
    run = compacted(talk.records("mew"), trigger="manual", emit="summary")
    assert b"a \\ud800 b" in run.summary


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
