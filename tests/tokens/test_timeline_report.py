"""The records of a timeline: their order, and keys where something is known."""

from __future__ import annotations

from growing import answer, spilled, summary, timeline, user

from mewctl.tokens.report import Bounds
from mewctl.tokens.timeline_report import records

BOUNDS = Bounds("claude-x", 200_000, 167_000)


def told(*messages, bounds=BOUNDS):
    return list(records(timeline(*messages), bounds))


def of_type(found, kind):
    return [record for record in found if record["type"] == kind]


GROWN = (
    *(user("one"), answer(90_000, cached=60_000), *spilled()),
    *(summary(), user("two"), answer(20_000)),
)


def test_the_summary_comes_first_and_events_follow_their_turn():
    found = told(*GROWN)
    kinds = [record["type"] for record in found]
    assert kinds[:5] == ["timeline", "turn", "spill", "boundary", "turn"]
    assert set(kinds[5:]) == {"item"}


def test_the_summary_says_how_large_the_context_is_and_was():
    (total,) = of_type(told(*GROWN), "timeline")
    assert total["tokens"] == 20_000
    assert total["method"] == "usage"
    assert total["peak"]["turn"] == 1
    assert total["peak"]["tokens"] > 90_000
    assert (total["window"], total["threshold"]) == (200_000, 167_000)
    assert (total["turns"], total["requests"], total["boundaries"]) == (2, 3, 1)
    assert total["spills"]["count"] == 1
    assert total["spills"]["freed"] > 10_000
    assert 19_000 < total["unseen"] < 20_000


def test_a_turn_says_what_it_cost():
    turn = of_type(told(*GROWN), "turn")[1]
    assert (turn["turn"], turn["message"], turn["messages"]) == (2, 6, 2)
    assert (turn["tokens"], turn["grew"]) == (20_000, 10)
    assert turn["usage"]["input"] == 19_990
    assert turn["head"] == "two"
    assert "spills" not in turn
    assert "boundaries" not in turn


def test_a_boundary_says_its_cost_and_how_it_is_known():
    (cut,) = of_type(told(*GROWN), "boundary")
    assert cut["after"] == {"tokens": 19_990, "method": "usage"}
    assert cut["rewritten"] == {"tokens": 19_990, "method": "usage"}
    assert cut["freed"] == cut["before"]["tokens"] - 19_990
    assert "complete" not in cut
    assert "id" not in cut


def test_a_spill_says_where_the_body_is_and_what_it_freed():
    (spill,) = of_type(told(*GROWN), "spill")
    assert spill["bytes"] == 115_000
    assert spill["freed"] == spill["before"] - spill["after"]
    assert (spill["tool"], spill["id"], spill["path"]) == ("bash", "c1", "/tmp/<x>")
    assert spill["sha256"] == "a" * 64


def test_big_items_are_told_with_their_turn():
    found = of_type(told(user("a"), user("b " * 500), user("c")), "item")
    assert found[0]["turn"] == 2
    assert [item["tokens"] for item in found] == sorted(
        (item["tokens"] for item in found), reverse=True
    )


def test_messages_are_counted_on_over_a_boundary():
    found = told(user(), answer(9_000), summary(), user("b " * 500), answer(5_000))
    (item, *_) = of_type(found, "item")
    assert (item["message"], item["turn"]) == (4, 2)
    assert found[0]["message_count"] == 5


def test_an_empty_input_has_a_timeline_too():
    total, turn = told(bounds=Bounds())
    assert (total["tokens"], total["turns"], turn["turn"]) == (0, 0, 0)
    assert "window" not in total
