from __future__ import annotations

from dataclasses import replace

import pytest
from compacting import ESTIMATOR, Memory, Talk, compacted, job, records_of, size, views

from mewctl import limits
from mewctl.compact.look import Scene, look, look_again, weigh_again
from mewctl.compact.options import Options
from mewctl.compact.policy import Numbers
from mewctl.compact.scales import Weights
from mewctl.compact.survey import survey
from mewctl.history.boundary import PLACEHOLDER
from mewctl.history.lens import lens
from mewctl.history.view import Message, Result, Text, Usage
from mewctl.streams.jsonvalue import dumps
from mewctl.tokens.calibrate import Anchor

MEW = lens("mew")


def seen(records, *, overhead=0, window=200_000, **wishes):
    weights = wishes.pop("weights", Weights(ESTIMATOR))
    options = Options(numbers=Numbers(window=window), **wishes)
    weights = replace(weights, beside=options.system + options.tools)
    scene = Scene(MEW, options, weights, overhead)
    return look(records, survey(records, MEW), scene), scene


def cautious(records):
    return sum(ESTIMATOR.count(m).tokens.cautious for m in views(records, "mew"))


def answer(text, tokens):
    usage = Usage(input=tokens - 1, output=1)
    return Message("assistant", (Text(text),), usage=usage)


# --- size ---


def test_without_usage_every_message_is_estimated_cautiously():
    records = Talk().turns(3).records("mew")
    found, _ = seen(records)
    assert found.size.tokens == pytest.approx(cautious(records), abs=1)
    assert found.tokens(0) == pytest.approx(found.size.tokens, abs=len(records))


def test_the_last_usage_is_the_anchor():
    more = Message("user", (Text("and more " * 50),))
    records = records_of(
        [Message("user", (Text("a"),)), answer("b", 90_000), more], "mew"
    )
    found, _ = seen(records)
    assert found.size.tokens == pytest.approx(90_000 + size(more), rel=0.01)


def test_what_the_first_usage_says_beyond_the_messages_is_unseen_overhead():
    talk = Talk(usage=True, overhead=12_000).turns(4)
    found, _ = seen(talk.records("mew"))
    assert found.size.overhead == pytest.approx(12_000, rel=0.01)
    assert found.fills["unseen overhead"] == found.size.overhead
    assert found.size.ratio == pytest.approx(1.0, abs=0.05)


def test_overhead_that_was_asked_for_wins():
    records = Talk(usage=True, overhead=12_000).turns(4).records("mew")
    found, _ = seen(records, weights=Weights(ESTIMATOR, overhead=5))
    assert found.size.overhead == 5


def test_the_overhead_that_the_last_run_knew_of_counts_while_there_is_no_anchor():
    records = Talk().turns(2).records("mew")
    plain, _ = seen(records)
    found, _ = seen(records, overhead=7_000)
    assert found.size.tokens == plain.size.tokens + 7_000
    usage = Talk(usage=True).turns(2).records("mew")
    assert seen(usage, overhead=7_000)[0].size.overhead < 100


def test_a_given_anchor_counts_for_its_messages():
    records = Talk().turns(2).records("mew")
    anchor = Anchor(50_000, 4, "given")
    found, _ = seen(records, weights=Weights(ESTIMATOR, anchor))
    assert found.size.tokens == pytest.approx(50_000 + cautious(records[4:]), abs=2)


def test_system_and_tools_are_beside_the_history():
    records = Talk().turns(2).records("mew")
    plain, _ = seen(records)
    found, _ = seen(records, system=300, tools=400)
    assert found.size.tokens == plain.size.tokens + 700
    assert found.floor == plain.floor + 700


def test_a_transcript_only_notes_what_its_agent_sent_besides():
    usage = Usage(input=20_000, output=1, unseen=15_000)
    message = Message("assistant", (Text("ok " * 30),), usage=usage)
    records = records_of([Message("user", (Text("a"),)), message], "mew")
    found, _ = seen(records)
    assert found.size.unseen == 15_000
    assert found.size.tokens == pytest.approx(5_001, abs=5)


# --- usage and boundaries ---


def test_usage_from_before_the_boundary_is_no_anchor():
    talk = Talk(usage=True, overhead=150_000).turns(12, tokens=900)
    state = Memory()
    run = compacted(talk.records("mew"), state=state, trigger="manual")
    found, _ = seen(run.records, overhead=run.cut.span.facts.overhead)
    assert found.size.tokens < 40_000
    newest = answer("new", 120_000)
    found, _ = seen((*run.records, *records_of([newest], "mew")))
    assert found.size.tokens == 120_000


@pytest.mark.parametrize("text", PLACEHOLDER.values())
def test_the_placeholder_is_none_of_the_kept_answers(text):
    start = (
        "## Summary of the earlier conversation\n[mewctl boundary 0123456789ab tail=2]"
    )
    messages = [
        Message("user", (Text(start),)),
        Message("assistant", (Text(text),)),
        Message("user", (Text("go on"),)),
        answer("one", 160_000),
        Message("user", (Text("go on"),)),
        answer("two", 170_000),
    ]
    assert seen(records_of(messages, "mew"))[0].size.tokens < 300
    messages += [Message("user", (Text("x"),)), answer("three", 5_000)]
    assert seen(records_of(messages, "mew"))[0].size.tokens == 5_000


def test_the_usage_of_an_old_agent_is_no_anchor_behind_our_boundary():
    start = "## 历史会话摘要\n[mewctl boundary 0123456789ab tail=0]"
    usage = Usage(input=100_000, output=1, unseen=20_000)
    old = Message("assistant", (Text("x"),), usage=usage)
    messages = [Message("user", (Text(start),)), old]
    found, _ = seen(records_of(messages, "mew"))
    assert found.size.tokens < 200
    assert found.size.unseen == 20_000


# --- the floor ---


def test_the_floor_says_what_it_is_made_of():
    talk = Talk().system(40).turns(2).user(30)
    records = talk.records("mew")
    found, _ = seen(records, overhead=500, system=10, tools=20)
    assert found.fills == {
        "unseen overhead": 500,
        "system messages": found.tokens(0, 1),
        "the last message with its results": found.tokens(len(records) - 1),
        "--tools": 20,
        "--system": 10,
    }
    assert found.floor == sum(found.fills.values())
    assert list(found.fills.values()) == sorted(found.fills.values(), reverse=True)


def test_an_empty_history_has_no_floor():
    found, _ = seen(())
    assert (found.size.tokens, found.floor, found.unit) == (0, 0, 0)


# --- spilling ---


def changed(records, at, text):
    value = records[at].mapping()
    value["tool_results"] = [{**value["tool_results"][0], "content": text}]
    new = list(records)
    new[at] = replace(new[at], raw=dumps(value))
    return tuple(new)


def with_output(tokens=None):
    output = Message("tool", (Result("c", (Text("word " * 20_000),)),))
    messages = [Message("user", (Text("a"),)), output]
    messages += [answer("b", tokens)] if tokens else []
    return records_of(messages, "mew")


def test_a_preview_made_now_lowers_the_anchor():
    records = with_output(60_000)
    before, scene = seen(records)
    new = changed(records, 1, "short")
    after = look_again(before, records, new, frozenset({1}), scene)
    freed = before.sent[1].shown - after.now[1].shown
    assert freed > 15_000
    assert after.size.tokens == pytest.approx(60_000 - freed, rel=0.01)


def test_a_preview_that_was_sent_before_is_in_the_anchor_already():
    records = with_output(60_000)
    before, scene = seen(records)
    after = look_again(
        before, records, changed(records, 1, "short"), frozenset(), scene
    )
    assert after.size.tokens == 60_000


def test_without_an_anchor_both_are_the_same():
    records = with_output()
    before, scene = seen(records)
    new = changed(records, 1, "short")
    sent = look_again(before, records, new, frozenset(), scene)
    made = look_again(before, records, new, frozenset({1}), scene)
    assert sent.size.tokens == pytest.approx(made.size.tokens, abs=1)
    assert made.items == seen(new)[0].items


def test_an_old_agent_was_sent_the_body_of_a_preview():
    usage = Usage(input=60_000, output=1, unseen=1)
    early = Message("assistant", (Text("x"),), usage=replace(usage, input=300))
    said = Message("assistant", (Text("x"),), usage=usage)
    preview = (
        f"[content offloaded] original size: 100000 bytes\n[saved to] /x/y\n"
        f"[sha256] {'0' * 64}, " + "word " * 100
    )
    others = ("word " * 100, "see " + preview)
    for text, after in ((preview, 60_000 - 25_000), *((o, 60_000) for o in others)):
        output = Message("tool", (Result("c", (Text(text),)),))
        ask = Message("user", (Text("a"),))
        records = records_of([ask, early, output, said], "mew")
        found, scene = seen(records)
        assert found.size.tokens == pytest.approx(after, abs=8_000)
    # and of one that is made now
    new = changed(records, 2, "short")
    again = look_again(found, records, new, frozenset(), scene)
    assert again.size.tokens < found.size.tokens


def between_usages(text, grown):
    """A preview between two usages that a context grew by ``grown`` tokens."""
    output = Message("tool", (Result("c", (Text(text),)),))
    ask = Message("user", (Text("a"),))
    messages = [ask, answer("x", 9_000), output, answer("y", 9_000 + grown), ask]
    return records_of(messages, "mew")


PREVIEW = (
    f"[content offloaded] original size: 100000 bytes\n[saved to] /x/y\n"
    f"[sha256] {'0' * 64}, " + "word " * 100
)


def test_growth_between_two_usages_tells_whether_a_body_or_its_preview_was_sent():
    body = seen(between_usages(PREVIEW, 30_000))[0]
    assert body.size.tokens == pytest.approx(14_000, abs=8_000)
    preview = seen(between_usages(PREVIEW, 500))[0]
    assert preview.size.tokens == pytest.approx(9_500, abs=20)
    quoted = seen(between_usages("see " + PREVIEW, 30_000))[0]
    assert quoted.size.tokens == pytest.approx(39_000, abs=20)


def test_growth_tells_of_a_preview_that_was_decided_in_an_earlier_run_as_well():
    for grown, least, most in ((22_000, 9_000, 9_100), (300, 9_300, 9_400)):
        records = between_usages("word " * 20_000, grown)
        before, scene = seen(records)
        new = changed(records, 2, "short")
        found = look_again(before, records, new, frozenset(), scene)
        assert least < found.size.tokens < most


# --- large histories ---


def test_of_a_history_larger_than_its_window_the_newest_part_is_exact():
    records = Talk().system(30).turns(60, tokens=400).records("mew")
    exact, _ = seen(records, window=1_000_000)
    rough, _ = seen(records, window=8_000)
    last = len(records) - 15
    assert rough.items[last:] == exact.items[last:]
    assert rough.items[:1] == exact.items[:1]
    assert rough.items != exact.items
    assert rough.size.tokens == pytest.approx(exact.size.tokens, rel=0.1)
    assert exact.size.tokens > limits.EXACT_WINDOWS * 8_000


def test_the_unseen_overhead_of_a_large_history_is_exact():
    records = Talk(usage=True, overhead=9_000).turns(60, tokens=400).records("mew")
    exact, _ = seen(records, window=1_000_000)
    rough, _ = seen(records, window=8_000)
    assert rough.size.overhead == exact.size.overhead


# --- calibration ---


def test_weights_that_agree_with_what_a_provider_counted():
    records = Talk().turns(20, tokens=400).records("mew")
    plain, scene = seen(records)
    for factor in (0.8, 1.0, 1.3):
        actual = int(plain.size.tokens * factor)
        weights = scene.weights.calibrated(plain.size, actual)
        again = weigh_again(plain, replace(scene, weights=weights))
        assert again.size.tokens == pytest.approx(actual, abs=2)
        assert again.size.overhead == 0
        assert again.tokens(0) == pytest.approx(actual, abs=len(records))


def test_what_no_estimate_is_off_by_is_unseen_overhead():
    records = Talk().turns(20, tokens=400).records("mew")
    plain, scene = seen(records, system=100)
    actual = 3 * plain.size.tokens
    weights = scene.weights.calibrated(plain.size, actual)
    again = weigh_again(plain, replace(scene, weights=weights))
    assert again.size.tokens == pytest.approx(actual, abs=2)
    assert again.size.ratio == limits.CALIBRATION_MAX
    assert again.size.overhead > plain.size.tokens


def test_usage_that_grows_faster_than_estimates_corrects_them():
    talk = Talk(usage=True).turns(6, tokens=300)
    faster = [
        replace(m, usage=Usage(input=int(m.usage.input * 1.3), output=1))
        if m.usage
        else m
        for m in talk.messages
    ]
    found, _ = seen(records_of(faster, "mew"))
    plain, _ = seen(talk.records("mew"))
    assert found.size.ratio == pytest.approx(1.3, abs=0.05)
    assert found.tokens(3) == pytest.approx(1.3 * plain.tokens(3), rel=0.05)


def test_a_job_for_a_later_run_knows_the_overhead_from_the_facts_file():
    talk = Talk(usage=True, overhead=9_000).turns(12, tokens=900)
    state = Memory()
    run = compacted(talk.records("mew"), state=state, trigger="manual")
    again = compacted(run.records, state=state)
    assert again.report.fills["unseen overhead"] == pytest.approx(9_000, rel=0.02)
    assert again.report.before == pytest.approx(run.report.after, rel=0.02)
    assert job(run.records, state=state).seen.boundary.id == run.report.boundary
