"""The items of one answer in a repair: one message to plan, records to carry out."""

from __future__ import annotations

import pytest

from mewctl.history.bundles import Bundle, Members, bundled, parted
from mewctl.history.formats import load
from mewctl.history.glance import GLANCES
from mewctl.history.repair import repair_messages
from mewctl.history.rules import rules_for
from mewctl.history.shape import (
    BODY,
    DANGLING,
    ENDS_THINKING,
    HOLLOW,
    ITEM,
    THINKING,
    Shape,
    shape_of,
)
from mewctl.history.steps import Absent, Answer, Own, Place, Step, Words

RULES = rules_for("responses")
THINKS = Shape("assistant", THINKING | ENDS_THINKING | ITEM)
SAYS = Shape("assistant", BODY | ITEM)
EMPTY = Shape("assistant", ITEM)
USER = Shape("user")


def calls(*ids):
    return Shape("assistant", ITEM, ids)


def shapes(*found):
    return [shape for shape, _ in bundled([(s, n) for n, s in enumerate(found)], RULES)]


def test_items_in_a_row_have_the_shape_of_their_message():
    has = BODY | THINKING | ITEM
    assert shapes(USER, THINKS, SAYS, calls("a"), calls("b", "c"), USER, SAYS) == [
        USER,
        Shape("assistant", has, ("a", "b", "c")),
        USER,
        SAYS,
    ]


@pytest.mark.parametrize(
    ("items", "bits"),
    [
        ([THINKS], ENDS_THINKING | DANGLING),
        ([SAYS, THINKS], ENDS_THINKING | DANGLING),
        ([SAYS, THINKS, EMPTY], ENDS_THINKING | DANGLING | HOLLOW),
        ([THINKS, SAYS], 0),
        ([EMPTY, SAYS], HOLLOW),
        ([EMPTY, EMPTY], 0),
    ],
)
def test_a_message_is_untidy_if_it_ends_in_thinking_or_an_item_is_empty(items, bits):
    (shape,) = shapes(*items)
    assert shape.has & (ENDS_THINKING | DANGLING | HOLLOW) == bits


def test_thinking_at_the_end_is_fine_where_no_api_refuses_it():
    entries = [(THINKS, 1)]
    ((shape, _),) = bundled(entries, rules_for("mew"))
    assert not shape.has & DANGLING


def test_bundles_come_apart_again_in_order():
    entries = [(USER, 0), (THINKS, 1), (SAYS, 2), (USER, 3)]
    found = list(bundled(entries, RULES))
    assert [isinstance(held, Bundle) for _, held in found] == [False, True, False]
    assert parted(found) == entries


def members(*found):
    return Members(list(bundled([(s, n) for n, s in enumerate(found)], RULES)))


def test_a_step_is_carried_out_record_by_record():
    known = members(USER, THINKS, calls("a", "b"), calls("c"), USER)
    whole = Step("assistant", (Own(1),), 1, whole=True)
    assert list(known.steps(whole)) == [
        Step("assistant", (Own(n),), n, whole=True) for n in (1, 2, 3)
    ]
    renamed = Step("assistant", (Own(1, renamed=((1, "x"), (2, "y"))),), 1)
    assert list(known.steps(renamed)) == [
        Step("assistant", (Own(1),), 1, whole=True),
        Step("assistant", (Own(2, renamed=((1, "x"),)),), 2),
        Step("assistant", (Own(3, renamed=((0, "y"),)),), 3),
    ]
    assert list(known.steps(Step("user", (Own(2),), 2, whole=True))) == [
        Step("user", (Own(4),), 4, whole=True)
    ]


def test_only_the_last_thinking_is_lost_and_empty_items_with_it():
    known = members(THINKS, SAYS, EMPTY, THINKS, THINKS)
    lost = Step("assistant", (Own(0, thinking=False),), 0)
    assert list(known.steps(lost)) == [
        Step("assistant", (Own(0),), 0, whole=True),
        Step("assistant", (Own(1),), 1, whole=True),
        Step("assistant", (Own(3, thinking=False),), 3),
        Step("assistant", (Own(4, thinking=False),), 4),
    ]


def test_what_a_step_names_is_found_among_the_records():
    known = members(SAYS, calls("a"), calls("b", "c"), Shape("tool", 0, (), ("a",)))
    pieces = (Answer(Place(1, 0)), Absent(Place(0, 2), "x"), Words("so"))
    (step,) = known.steps(Step("tool", pieces, None))
    assert step.pieces == (Answer(Place(3, 0)), Absent(Place(2, 1), "x"), Words("so"))


def test_views_that_are_items_are_repaired_as_one_message():
    view = load("responses").view
    thought = view({"type": "reasoning", "summary": []})
    one, two = (
        view({"type": "function_call", "call_id": i, "name": "f", "arguments": "{}"})
        for i in "ab"
    )
    heard = view({"type": "function_call_output", "call_id": "b", "output": "x"})
    user = view({"role": "user", "content": "x"})
    repaired, found = repair_messages([thought, one, two, heard, user], "responses")
    assert repaired[:4] == [thought, one, two, heard]
    assert repaired[4].results[0].call_id == "a"
    assert [(f.kind, f.message, f.id) for f in found] == [("orphan-call", 2, "a")]


@pytest.mark.parametrize(
    "value",
    [
        {"role": "assistant", "content": [{"type": "text", "text": "x"}]},
        {"role": "assistant", "content": [{"type": "output_text"}]},
        {"role": "assistant", "content": [5]},
        {"role": "assistant", "content": []},
        {"role": "assistant", "content": "x", "stop_reason": "end_turn"},
        {"role": "assistant", "content": "x", "tool_calls": []},
        {"role": ["user"], "content": "x"},
        {"type": "function_call", "call_id": 5, "arguments": "{}"},
        {"type": "function_call", "call_id": "a", "arguments": {}},
        {"type": "function_call_output", "call_id": "a", "output": []},
        {"type": "reasoning", "summary": None},
        {"type": "reasoning", "summary": [], "content": None},
        {"type": "web_search_call"},
        {"type": ["reasoning"]},
    ],
)
def test_what_is_not_quite_ordinary_is_not_judged_at_a_glance(value):
    assert GLANCES["responses"](value) is None


@pytest.mark.parametrize(
    "value",
    [
        {"role": "developer", "content": ""},
        {"role": "assistant", "content": [{"type": "output_text", "text": ""}]},
        {"type": "message", "role": "user", "content": "x"},
        {"type": "function_call", "call_id": "", "name": "f", "arguments": "bad"},
        {"type": "function_call_output", "call_id": "a", "output": ""},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "x"}]},
    ],
)
def test_what_is_ordinary_has_the_shape_of_its_view(value):
    shape = GLANCES["responses"](value)
    assert shape is not None
    assert shape == shape_of(load("responses").view(value), RULES)
