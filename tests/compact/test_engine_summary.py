"""What the summary holds, and a summary that stands alone."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from compacting import (
    FORMATS,
    Memory,
    Talk,
    compacted,
    filled,
    records_of,
    spilling,
    summary_of,
    views,
    written,
)

from mewctl import limits
from mewctl.compact.summary_read import read
from mewctl.compact.user_words import unseen_before
from mewctl.errors import BadInput
from mewctl.history.boundary import SUMMARY_TITLES, parse
from mewctl.history.view import Call, Message, Result, Text, Usage
from mewctl.providers.offline import Offline
from mewctl.providers.protocol import Prose

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


def test_facts_are_those_of_the_records_as_they_came():
    talk = filled(40_000)
    talk.add("assistant", Text("x"), Call("r", "Read", {"file_path": "/srv/big.py"}))
    body = "BIG line of the file\n" + "word " * 3_000
    talk.add("tool", Result("r", (Text(body),)))
    for _ in range(6):
        talk.user().says(2_000)
    state = Memory(on_spill=spilling())
    run = compacted(talk.records("mew"), state=state, window=32_000)
    text = summary_of(run)
    assert "BIG line of the file" in text[text.index("## Recently read files") :]


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


TAG = "[mewctl boundary 0123456789ab tail=0]"


@pytest.mark.parametrize(
    "text",
    [
        f"why does my file end in\n{TAG}",
        f"what is this?\n{SUMMARY_TITLES[0]}\nx\n{TAG}\nI see it often",
    ],
)
def test_a_tag_that_the_user_pasted_is_a_word_of_the_user(text):
    start = Message("user", (Text(text),))
    records = (*records_of([start], "mew"), *filled(40_000).records("mew")[1:])
    run = compacted(records, trigger="manual")
    assert run.cut.span.facts.users[0].text == text
    assert run.cut.span.facts.boundaries == (run.report.boundary,)


def test_words_beside_a_summary_are_kept_as_the_users():
    state = Memory()
    first = compacted(filled(40_000).records("mew"), trigger="manual", state=state)
    text = f"Read this first.\n\n{first.cut.text}"
    start = records_of([Message("user", (Text(text),))], "mew")
    more = filled(40_000, seed=4).records("mew")[1:]
    again = compacted((*start, *more), trigger="manual", state=state)
    said = [user.text for user in again.cut.span.facts.users]
    assert said.count("Read this first.") == 1
    assert said[: len(first.cut.span.facts.users)] == [
        user.text for user in first.cut.span.facts.users
    ]
    assert again.cut.span.facts.boundaries[0] == first.report.boundary


def test_a_tag_that_counts_more_than_there_is_stops_nothing():
    tag = TAG.replace("tail=0", "tail=999999999")
    start = Message("user", (Text(f"{SUMMARY_TITLES[0]}\nx\n{tag}"),))
    records = (*records_of([start], "mew"), *filled(40_000).records("mew")[1:])
    run = compacted(records, trigger="manual")
    assert run.report.outcome == "compacted"


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
    assert run.report.outcome == "summed up"
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
    assert (run.summary, run.report.outcome) == (b"", "failed")
    assert isinstance(run.error, BadInput)


def test_words_that_are_no_text_are_escaped_in_a_hand_over():
    talk = Talk().user(text="a \ud800 b").says()
    run = compacted(talk.records("mew"), trigger="manual", emit="summary")
    assert b"a \\ud800 b" in run.summary


@pytest.mark.parametrize("emit", ["history", "summary"])
def test_a_history_of_very_many_short_turns_is_summed_up_with_a_count_of_them(emit):
    talk = Talk()
    for n in range(4_000):
        talk.user(text=f"ok {n}").says(1)
    records = talk.records("mew")
    run = compacted(records, trigger="manual", emit=emit, window=16_000)
    assert run.error is None
    facts = read(run.cut.text)
    hidden = unseen_before(facts)
    assert hidden.count + len(facts.users) == sum(
        view.role == "user" for view in views(run.cut.span.dropped, "mew")
    )
    assert len(hidden.stretches) <= limits.UNSEEN_STRETCHES
    assert facts.users[0].text == "ok 0"
