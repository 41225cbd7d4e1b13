"""The report: sums that agree, keys that are there when something is known."""

from __future__ import annotations

import sys

import pytest

from mewctl import limits
from mewctl.history.boundary import PLACEHOLDER
from mewctl.history.view import (
    Call,
    Image,
    Message,
    Opaque,
    Result,
    Text,
    Thinking,
    Usage,
)
from mewctl.streams.jsonvalue import dumps
from mewctl.tokens.calibrate import Anchor
from mewctl.tokens.estimator import CLASSES, Estimator, Tokens
from mewctl.tokens.report import (
    UNKNOWN_TOOL,
    Bounds,
    Saving,
    Tally,
    reasons,
    text_report,
)

BOTH = Estimator(sets="both")
PROSE = "The build failed in 3 of 40 tests; see src/main.py, line 12.\n"
HISTORY = (
    Message("system", (Text("Be brief."),)),
    Message("user", (Text("Why does  the\nbuild fail?"), Image("image/png", "QUJD"))),
    Message(
        "assistant",
        (
            Thinking("Look at it.", "sig"),
            Text("I look."),
            Call("c1", "bash", {"command": "make"}),
            Call("c2", "read", {"path": "src/main.py"}),
        ),
        model="claude-opus-4-8",
        usage=Usage(input=3000, output=100),
    ),
    Message(
        "tool",
        (
            Result("c1", (Text(PROSE * 40),), is_error=True),
            Result("c2", (Text("x = 1\n"), Image("image/png", "QUJD"))),
            Result("c9", (Text("late"),)),
        ),
    ),
    Message("user", (Opaque("document", 20, {"type": "document"}),)),
)


def tally(*messages, **kinds):
    found = Tally(BOTH, **kinds)
    for message in messages:
        found.add(message)
    return found


def report(*messages, bounds=None, **kinds):
    return tally(*messages, **kinds).report(bounds or Bounds())


def test_an_empty_history_has_a_report():
    assert report() == {
        "type": "tokens",
        "method": "estimate",
        "family": "claude-4.7-and-later",
        "tokens": 0,
        "cautious": 0,
        "bytes": 0,
        "message_count": 0,
        "classes": dict.fromkeys(CLASSES, 0),
        "tools": {},
        "biggest": [],
    }


def test_classes_and_tokens_agree_where_nothing_was_counted_for_real():
    found = report(*HISTORY[:2])
    assert sum(found["classes"].values()) == pytest.approx(found["tokens"], abs=4)
    assert found["classes"]["images"] == limits.IMAGE_TOKENS
    assert found["classes"]["system"] > limits.FRAME_TOKENS
    assert found["message_count"] == 2


def test_every_class_is_filled_by_its_kind_of_part():
    found = report(*HISTORY)["classes"]
    assert list(found) == list(CLASSES)
    assert all(found.values())
    assert found["images"] == 2 * limits.IMAGE_TOKENS


def test_calls_and_results_count_for_their_tool_biggest_first():
    tools = report(*HISTORY)["tools"]
    assert list(tools) == ["read", "bash", UNKNOWN_TOOL]
    assert tools["read"] > limits.IMAGE_TOKENS
    assert tools["bash"] > BOTH.text(PROSE * 40)


def test_a_call_id_is_forgotten_once_too_many_newer_ones_are_open():
    many = tuple(Call(f"c{i}", "f", {}) for i in range(limits.OPEN_CALLS + 1))
    results = Message("tool", (Result("c0", ()), Result("c1", ())))
    tools = report(Message("assistant", many), results)["tools"]
    assert tools[UNKNOWN_TOOL] == limits.BLOCK_TOKENS
    assert set(tools) == {UNKNOWN_TOOL, "f"}


def test_the_biggest_items_are_named_with_where_they_are_and_how_they_begin():
    found = report(*HISTORY, biggest=3)["biggest"]
    assert [(item["message"], item["class"]) for item in found] == [
        (2, "images"),
        (4, "images"),
        (4, "tool_results"),
    ]
    assert found[1]["tool"] == "read"
    assert found[1]["id"] == "c2"
    assert found[2] == {
        "message": 4,
        "class": "tool_results",
        "tool": "bash",
        "id": "c1",
        "tokens": round(BOTH.text(PROSE * 40) + limits.BLOCK_TOKENS),
        "bytes": len(PROSE) * 40,
        "head": (PROSE * 2).replace("\n", " ")[:80],
    }
    assert "tool" not in found[0]


def test_each_kind_of_part_has_a_beginning():
    heads = {
        (item["message"], item["class"]): item["head"]
        for item in report(*HISTORY, biggest=99)["biggest"]
    }
    assert heads[2, "user"] == "Why does the build fail?"
    assert heads[2, "images"] == "image/png"
    assert heads[3, "thinking"] == "Look at it."
    assert heads[3, "tool_calls"] in (
        'bash {"command":"make"}',
        'read {"path":"src/main.py"}',
    )
    assert heads[4, "images"] == ""
    assert heads[5, "user"] == "document"


def test_of_equal_items_the_earlier_are_listed():
    same = [Message("user", (Text("same words"),)) for _ in range(5)]
    found = report(*same, biggest=2)["biggest"]
    assert [item["message"] for item in found] == [1, 2]


def test_no_biggest_items_are_listed_if_none_are_asked_for():
    assert report(*HISTORY, biggest=0)["biggest"] == []


def test_a_usage_is_the_anchor_and_shows_what_is_unseen():
    found = report(*HISTORY)
    after = sum(BOTH.count(m).tokens.shown for m in HISTORY[3:])
    through = sum(BOTH.count(m).tokens.shown for m in HISTORY[:3])
    assert found["anchor"] == {"tokens": 3100, "messages": 3, "source": "usage"}
    assert found["tokens"] == round(3100 + after)
    assert found["unseen"] == round(3100 - through)
    assert "ratio" not in found


def test_a_ratio_is_reported_once_it_is_known():
    messages = []
    for n in range(4):
        usage = Usage(input=1000 + n * 1000)
        messages += [
            Message("user", (Text(PROSE * 40),)),
            Message("assistant", (Text("I see."),), usage=usage),
        ]
    assert report(*messages)["ratio"] == pytest.approx(1.0, abs=0.3)
    assert "ratio" not in report(*messages[:4])


def test_overhead_is_part_of_the_size_while_there_is_no_anchor():
    bounds = Bounds(overhead=Tokens(500.0, 550.0))
    found = report(*HISTORY[:2], bounds=bounds)
    assert found["overhead"] == 500
    assert found["tokens"] == report(*HISTORY[:2])["tokens"] + 500
    assert "overhead" not in report(*HISTORY, bounds=bounds)


def test_a_given_anchor_is_named_as_such():
    found = report(*HISTORY[:2], anchor=Anchor(700, 2, "given"))
    assert found["anchor"]["source"] == "given"
    assert found["tokens"] == 700


def test_the_usage_of_a_compacted_tail_is_no_anchor():
    summary = "## Summary of the earlier conversation\n"
    tag = "[mewctl boundary 0123456789ab tail=1]"
    old = Message("assistant", (Text("Go."),), usage=Usage(input=90_000))
    new = Message("assistant", (Text("Go."),), usage=Usage(input=5_000))
    user = Message("user", (Text(summary + tag),))
    assert "anchor" not in report(user, old)
    assert report(user, old, new)["anchor"]["tokens"] == 5_000
    quoted = Message("user", (Text(f"{tag}\nWhat is this?"),))
    assert report(quoted, old)["anchor"]["tokens"] == 90_000
    later = (Message("user", (Text("Hello."),)), user, old)
    assert report(*later)["anchor"]["tokens"] == 90_000


def test_the_placeholder_before_a_compacted_tail_is_none_of_it():
    tag = "[mewctl boundary 0123456789ab tail=1]"
    start = Message("user", (Text(f"## 历史会话摘要\n{tag}"),))
    between = Message("assistant", (Text(PLACEHOLDER["en"]),))
    old = Message("assistant", (Text("kept"),), usage=Usage(150_000, output=1))
    found = report(start, between, Message("user", (Text("go on"),)), old)
    assert "anchor" not in found
    assert found["tokens"] < 200
    # words of the assistant that are no placeholder count as the tail
    said = Message("assistant", (Text("kept"),))
    assert "anchor" in report(start, said, Message("user", (Text("go on"),)), old)


def test_bytes_are_those_of_the_records_where_they_are_known():
    found = Tally(BOTH, each=True)
    found.add(Message("user", (Text("ä"),)), 77)
    found.add(Message("user", (Text("ä"),)))
    made = found.report(Bounds())
    assert made["bytes"] == found.bytes == 79
    assert [line["bytes"] for line in made["messages"]] == [77, 2]


def test_a_line_about_every_message_is_there_on_request():
    found = report(*HISTORY, each=True)["messages"]
    assert [(line["message"], line["role"]) for line in found] == [
        (1, "system"),
        (2, "user"),
        (3, "assistant"),
        (4, "tool"),
        (5, "user"),
    ]
    assert found[0]["tokens"] == round(BOTH.count(HISTORY[0]).tokens.shown)
    assert "messages" not in report(*HISTORY)


def test_the_last_model_that_a_message_names_is_known():
    assert tally(*HISTORY).model == "claude-opus-4-8"
    assert tally(HISTORY[0]).model is None


def test_the_threshold_is_compared_with_the_cautious_size():
    bounds = Bounds("claude-opus-4-8", 200_000, 167_000, 32_000_000)
    found = report(*HISTORY, bounds=bounds)
    assert found["model"] == "claude-opus-4-8"
    assert found["window"] == 200_000
    assert found["to_threshold"] == 167_000 - found["cautious"]
    assert found["max_bytes"] == 32_000_000
    assert reasons(found) == ()


def test_a_threshold_is_reached_but_a_limit_in_bytes_is_exceeded():
    size = report(*HISTORY)
    exact = Bounds(threshold=size["cautious"], max_bytes=size["bytes"])
    assert reasons(report(*HISTORY, bounds=exact)) == (
        f"{size['cautious']} tokens reach the threshold of {size['cautious']}",
    )
    more = Bounds(threshold=size["cautious"] + 1, max_bytes=size["bytes"] - 1)
    assert reasons(report(*HISTORY, bounds=more)) == (
        f"{size['bytes']} bytes exceed {size['bytes'] - 1}",
    )
    assert reasons(size) == ()


def test_what_spilling_would_free_is_reported_as_it_is_given():
    found = tally(*HISTORY).report(Bounds(), Saving(1200.4, 2), Saving(20_000, 7))
    assert found["spill"] == {"frees_tokens": 1200, "results": 2}
    assert found["age_spill"] == {"frees_tokens": 20_000, "results": 7}


def test_a_report_can_be_asked_for_at_any_time():
    found = Tally(BOTH)
    sizes = []
    for message in HISTORY:
        found.add(message)
        sizes.append(found.report(Bounds())["message_count"])
    assert sizes == [1, 2, 3, 4, 5]


def test_add_tells_what_the_message_costs():
    assert Tally(BOTH).add(HISTORY[3]) == BOTH.count(HISTORY[3])


def test_a_marker_is_counted_as_nothing():
    found = report(Message("system", (), marker=True))
    assert found["tokens"] == 0
    assert found["message_count"] == 1


def test_lone_surrogates_in_names_and_texts_can_be_written():
    odd = "\ud800 odd"
    messages = (
        Message("assistant", (Text(odd), Call(odd, odd, {odd: odd}))),
        Message("tool", (Result(odd, (Text(odd),)),)),
    )
    assert dumps(report(*messages))


def test_a_tally_does_not_keep_the_texts_it_was_given():
    found = Tally(BOTH)
    text = "word " * 50_000
    message = Message("user", (Text(text),))
    before = sys.getrefcount(text)
    found.add(message)
    assert sys.getrefcount(text) == before
    assert all(len(item["head"]) <= 80 for item in found.report(Bounds())["biggest"])


# --- plain text ---


def test_plain_text_is_counted_in_blocks():
    found = text_report([PROSE.encode()] * 3, BOTH, Bounds(threshold=10))
    assert found["tokens"] == round(3 * BOTH.text(PROSE))
    assert found["bytes"] == 3 * len(PROSE)
    assert found["to_threshold"] == 10 - found["cautious"]
    assert "classes" not in found
    assert len(reasons(found)) == 1


def test_bytes_that_are_no_text_are_counted_too():
    assert text_report([b"\xff\xfe\x00"], BOTH, Bounds())["tokens"] > 0


def test_no_text_at_all_is_no_tokens():
    assert text_report([], BOTH, Bounds())["tokens"] == 0
