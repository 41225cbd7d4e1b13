from __future__ import annotations

import json

import pytest
from spilling import lines, step

from mewctl.history.formats import load
from mewctl.spill.past import Past
from mewctl.spill.unit import Unit


def unit(record, form="mew") -> Unit:
    return Unit(lines(record), load(form))


def test_a_unit_that_did_not_change_is_its_very_bytes():
    result = b'{"tool_call_id":"a","content":"\\u0041"}'
    raw = b'\xef\xbb\xbf{"role":"tool", "tool_results":[' + result + b"]}\r\n"
    assert Unit(raw, load("mew")).rendered() == raw


@pytest.mark.parametrize(
    "bad", [b"", b"x\n", b"5\n", b"[]\n", b'{"role":"tool","tool_results":5}\n']
)
def test_what_is_no_record_is_a_value_error(bad):
    with pytest.raises(ValueError):  # noqa: PT011 - the words are the parsers'
        Unit(bad, load("mew"))


def test_a_changed_unit_keeps_blank_lines_before_it_and_ends_in_one_line_end():
    raw = b"\n \r\n" + lines(step("mew", [("a", "old")])[1]).rstrip() + b" \r\n"
    made = Unit(raw, load("mew"))
    made.bodies[0] = "new"
    got = made.rendered()
    assert got.startswith(b"\n \r\n{")
    assert json.loads(got)["tool_results"][0]["content"] == "new"
    assert got.endswith(b"}\n")


@pytest.mark.parametrize("number", [2**64, -(2**70), 10**30, 1.5e300])
def test_numbers_survive_a_change(number):
    record = {
        "role": "tool",
        "tool_results": [{"tool_call_id": "a", "content": "x"}],
        "n": [{"m": number}],
    }
    made = unit(record)
    made.bodies[0] = "y"
    assert json.loads(made.rendered())["n"] == [{"m": number}]


def test_texts_in_calls_and_results_are_put_where_they_belong():
    record = {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "a", "content": "one"},
            {"type": "tool_result", "tool_use_id": "b", "content": "two"},
        ],
    }
    made = unit(record, "anthropic")
    made.bodies[1] = "new"
    contents = [block["content"] for block in json.loads(made.rendered())["content"]]
    assert contents == ["one", "new"]
    calls = unit(
        step("anthropic", [("a", ""), ("b", "")], {"x": ["1", "2"]})[0], "anthropic"
    )
    calls.leaves[1] = {("x", 0): "new"}
    inputs = [
        b["input"] for b in json.loads(calls.rendered())["content"] if "input" in b
    ]
    assert inputs == [{"x": ["1", "2"]}, {"x": ["new", "2"]}]


def test_the_calls_before_a_place_are_those_of_the_record_right_before():
    past, form = Past(), load("mew")
    call = lines(step("mew", [("a", "")])[0])
    block = b"x\n" + call + b"\n \n"
    past.add(block, 2, len(block))
    assert list(past.mark().calls(form)) == ["a"]
    past.add(b"\n", 0, 1)
    assert list(past.mark().calls(form)) == ["a"]
    past.add(b"not json\n", 0, 9)
    assert past.mark().calls(form) == {}
    assert past.lines == 5
