"""How a context grew: sizes behind turns, and what is taken for a boundary."""

from __future__ import annotations

import pytest
from growing import OURS, PREVIEW, SUMMARY, answer, spilled, summary, timeline, user

from mewctl import limits
from mewctl.history.view import Call, Image, Message, Result, Text, Usage
from mewctl.tokens.estimator import Estimator
from mewctl.tokens.timeline import Timeline
from mewctl.tokens.timeline_events import About, Cut, Points, Size, Spill


def cuts(found: Timeline) -> list[Cut]:
    return [event for event in found.events if isinstance(event, Cut)]


def measured(tokens: int) -> Size:
    return Size(tokens, measured=True)


# --- turns ---


def test_a_turn_ends_with_the_size_that_its_last_answer_reported():
    found = timeline(user(), answer(3_000), answer(5_000), user(), answer(6_000))
    assert [turn.size for turn in found.turns] == [measured(5_000), measured(6_000)]
    assert [turn.start for turn in found.turns] == [0, 5_000]
    assert [turn.requests for turn in found.turns] == [2, 1]
    assert [turn.messages for turn in found.turns] == [3, 2]
    assert [turn.first for turn in found.turns] == [1, 4]


def test_a_size_that_nobody_reported_is_an_estimate_on_top_of_the_last():
    found = timeline(user(), answer(3_000), user("x " * 400), answer())
    turn = found.turns[-1]
    assert not turn.size.measured
    assert 3_200 < turn.size.tokens < 4_200


def test_what_comes_after_the_last_answer_is_in_the_size():
    result = Message("tool", (Result("c", (Text("x " * 4_000),)),))
    found = timeline(user(), answer(3_000), result)
    assert found.last.tokens > 5_000
    assert not found.last.measured
    assert found.points.kept[-1].size == found.last


def test_words_of_the_user_begin_a_turn_and_injected_text_does_not():
    reminder = user("<system-reminder>Be brief.</system-reminder>")
    image = Message("user", (Image("image/png", "QUJD"),))
    results = Message("user", (Result("c", (Text("x"),)), Text("and this")))
    found = timeline(
        user("one"), reminder, user("two", injected=True), image, results, user("three")
    )
    assert [turn.head for turn in found.turns] == ["one", "", "three"]


def test_what_precedes_the_user_is_turn_0_and_there_is_none_without():
    rules = Message("system", (Text("Be brief."),))
    first, second = timeline(rules, user(), answer(3_000)).turns
    assert (first.number, first.head, first.messages) == (0, "", 1)
    assert second.number == 1
    assert [turn.number for turn in timeline(user()).turns] == [1]
    assert [turn.number for turn in timeline().turns] == [0]


def test_a_size_before_any_answer_is_no_part_of_the_curve():
    rules = Message("system", (Text("Be brief."),))
    found = timeline(rules, user(), answer(30_000))
    assert [point.size for point in found.points.kept] == [measured(30_000)]


def test_the_peak_of_a_turn_is_its_largest_size():
    found = timeline(user(), answer(9_000), answer(8_500))
    assert found.turns[0].peak == measured(9_000)


def test_usage_of_a_turn_is_that_of_all_its_requests():
    found = timeline(user(), answer(3_000, cached=1_000), answer(4_000, cached=2_000))
    assert found.turns[0].usage == Usage(3_980, 3_000, 0, 20)


def test_what_an_old_agent_sent_unseen_is_in_the_sizes():
    usage = Usage(input=20_000, output=10, unseen=15_000)
    found = timeline(user(), Message("assistant", (Text("x"),), usage=usage))
    assert found.last == measured(20_010)


def test_items_of_one_answer_are_one_request():
    first = Message("assistant", (Text("a"),), item=True)
    second = Message("assistant", (Text("b"),), usage=Usage(3_000), item=True)
    assert timeline(user(), first, second).turns[0].requests == 1


def test_what_looks_like_a_secret_is_masked_in_the_beginning_of_a_turn():
    key = "ghp_" + "a1B2" * 9
    assert key not in timeline(user(f"use {key}")).turns[0].head
    assert key in timeline(user(f"use {key}"), redact=False).turns[0].head


# --- boundaries ---


def test_a_summary_of_an_agent_is_a_boundary_with_the_cost_that_usage_tells():
    found = timeline(
        *(user(), answer(150_000), summary()),
        *(user("go on"), answer(40_000, cached=12_000)),
    )
    (cut,) = cuts(found)
    assert (cut.kind, cut.turn, cut.message) == ("summary", 1, 3)
    assert cut.before == measured(150_000)
    assert cut.after == measured(39_990)
    assert cut.rewritten == measured(27_990)
    assert found.turns[0].size == measured(39_990)
    assert found.turns[0].peak == measured(150_000)
    assert found.turns[1].start == 39_990


def test_a_snapshot_of_the_state_is_a_boundary_and_the_assent_to_it_no_request():
    snapshot = user("<state_snapshot>It fails.</state_snapshot>", injected=True)
    found = timeline(
        *(user(), answer(150_000), snapshot, answer(text="Got it.")),
        *(user("go on"), answer(40_000), answer(), answer(41_000)),
    )
    (cut,) = cuts(found)
    assert (cut.before, cut.after) == (measured(150_000), measured(39_990))
    assert [turn.requests for turn in found.turns] == [1, 3]
    quoted = user("<state_snapshot>It fails.</state_snapshot>")
    assert cuts(timeline(user(), answer(3_000), quoted, answer(3_100))) == []


def test_a_boundary_after_which_usage_ends_has_an_estimate():
    found = timeline(user(), answer(150_000), summary(), answer(), answer(), answer())
    (cut,) = cuts(found)
    assert cut.after is not None
    assert not cut.after.measured
    assert found.turns[0].requests == 3


def test_turns_that_nobody_answered_after_a_boundary_have_what_it_left():
    found = timeline(
        *(user(), answer(150_000), summary(), user("/compact now")),
        *(user("go on"), answer(40_000)),
    )
    assert found.turns[1].size == measured(39_990)
    assert found.turns[1].peak == measured(39_990)
    assert found.turns[2].size == measured(40_000)


def test_without_usage_the_cost_of_a_boundary_is_an_estimate():
    found = timeline(user("x " * 9_000), answer(), summary(), user(), answer())
    (cut,) = cuts(found)
    assert cut.before is not None
    assert cut.before.tokens > 5_000
    assert cut.after is not None
    assert not cut.after.measured
    assert cut.after.tokens < 200
    assert cut.rewritten == cut.after
    assert found.last.tokens < 200


def test_what_was_unseen_before_a_boundary_is_unseen_behind_it():
    found = timeline(user(), answer(50_000), summary())
    (cut,) = cuts(found)
    assert cut.after is not None
    assert 49_000 < cut.after.tokens < 50_500
    assert found.last == cut.after


def test_a_history_that_begins_with_a_summary_was_cut_before():
    found = timeline(summary(OURS), answer(90_000), user(), answer(30_000))
    (cut,) = cuts(found)
    assert (cut.before, cut.message) == (None, 1)
    assert found.turns[-1].size == measured(30_000)
    assert cut.after is not None
    assert cut.after.tokens < 1_000, "the tail's usage counts what is no more"


def test_a_summary_that_the_user_quotes_is_no_boundary():
    quoted = Message("user", (Text(SUMMARY),))
    ours = Message("user", (Text(OURS.rsplit("\n", 2)[0]),))
    assert cuts(timeline(user(), answer(3_000), quoted, answer(3_100))) == []
    assert cuts(timeline(user(), answer(3_000), ours, answer(3_100))) == []
    assert len(cuts(timeline(user(), answer(3_000), summary(OURS)))) == 1


@pytest.mark.parametrize(
    ("before", "after", "seen"),
    [
        (100_000, 80_000, True),
        (100_000, 80_020, False),
        (limits.FALL_LEAST * 2, limits.FALL_LEAST, True),
        (limits.FALL_LEAST, 500, False),
    ],
)
def test_a_context_that_shrank_much_was_cut_though_nothing_says_so(before, after, seen):
    found = timeline(user(), answer(before), answer(after + 10, cached=100))
    assert bool(cuts(found)) is seen
    if seen:
        (cut,) = cuts(found)
        assert (cut.kind, cut.before) == ("fall", measured(before))
        assert cut.after == measured(after)
        assert cut.rewritten == measured(after - 100)


def test_a_fall_is_seen_past_answers_without_usage():
    found = timeline(user(), answer(90_000), answer(), answer(40_000))
    (cut,) = cuts(found)
    assert (cut.kind, cut.before) == ("fall", measured(90_000))


def test_an_estimate_that_was_too_high_is_no_fall():
    assert cuts(timeline(user("x " * 90_000), answer(), answer(3_000))) == []


def marked(*copies: Message, after: tuple[Message, ...] = ()) -> Timeline:
    """A log whose marker says that two messages are its snapshot."""
    found = Timeline(Estimator())
    for message in (user("x " * 9_000), answer(80_000)):
        found.add(message)
    found.marker(About("0123456789ab", "auto", "offline", 2), 7.0)
    for message in (*copies, *after):
        found.add(message)
    found.finish()
    return found


def test_a_marker_is_a_boundary_and_its_snapshot_is_no_turn():
    found = marked(summary(OURS), answer(80_000), after=(user("go on"), answer(30_000)))
    (cut,) = cuts(found)
    assert (cut.kind, cut.time, cut.about.id) == ("marker", 7.0, "0123456789ab")
    assert cut.complete
    assert cut.before == measured(80_000)
    assert cut.after == measured(29_990)
    assert [turn.head for turn in found.turns][1:] == ["go on"]
    assert found.turns[0].size == measured(29_990)


def test_usage_in_a_snapshot_counts_what_is_no_more():
    found = marked(summary(OURS), answer(80_000))
    (cut,) = cuts(found)
    assert cut.after is not None
    assert not cut.after.measured
    assert found.last == cut.after


def test_usage_in_the_tail_of_a_marker_without_a_count_is_none_either():
    found = Timeline(Estimator())
    for message in (user("x " * 9_000), answer(80_000)):
        found.add(message)
    found.marker(About())
    for message in (summary(OURS), answer(80_000), user(), answer(30_000)):
        found.add(message)
    found.finish()
    (cut,) = cuts(found)
    assert cut.after == measured(29_990)


def test_a_snapshot_that_was_cut_short_is_told():
    assert not cuts(marked(summary(OURS)))[0].complete


def test_a_marker_after_a_boundary_that_nobody_answered_keeps_the_cost_of_both():
    found = Timeline(Estimator())
    for message in (user("x " * 9_000), answer()):
        found.add(message)
    found.marker(About(messages=1))
    found.add(summary(OURS))
    found.marker(About(messages=1))
    found.add(summary(OURS))
    found.finish()
    first, second = cuts(found)
    assert first.after is not None
    assert second.before == first.after
    assert second.after is not None


# --- spills ---


def test_a_preview_is_a_spill_with_what_it_freed():
    found = timeline(user(), *spilled())
    (spill,) = (event for event in found.events if isinstance(event, Spill))
    assert (spill.tool, spill.call_id, spill.message) == ("bash", "c1", 3)
    whole = Estimator().text("one line of a long log\n" * 5_000)
    assert spill.before == pytest.approx(whole, rel=0.5)
    assert spill.after < 400
    assert found.turns[0].spills == 1


def test_a_preview_in_a_call_is_one_too_and_in_words_it_is_none():
    call = Call("c2", "write", {"path": "x", "content": PREVIEW, "mode": 7})
    text = Call("c3", "apply", "plain text")
    found = timeline(user(PREVIEW), Message("assistant", (call, text, Text(PREVIEW))))
    (spill,) = (event for event in found.events if isinstance(event, Spill))
    assert (spill.tool, spill.call_id) == ("write", "c2")


def test_a_preview_in_a_snapshot_was_told_before():
    found = Timeline(Estimator())
    found.marker(About(messages=2))
    for message in spilled():
        found.add(message)
    assert not any(isinstance(event, Spill) for event in found.events)


# --- the curve ---


def test_a_curve_keeps_its_peaks_however_long_it_is():
    points = Points(8)
    for at in range(1000):
        points.add(at, 1, Size(500 if at == 637 else at % 50))
    assert 8 <= len(points.kept) <= 16
    assert max(point.size.tokens for point in points.kept) == 500
    messages = [point.message for point in points.kept]
    assert messages == sorted(messages)


def test_a_short_curve_is_whole():
    points = Points(8)
    for at in range(15):
        points.add(at, 1, Size(at))
    assert [point.message for point in points.kept] == list(range(15))
