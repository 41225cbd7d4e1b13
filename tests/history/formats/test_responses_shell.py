"""What a shell printed: chunks of two streams, each with how its command ended."""

from __future__ import annotations

import pytest

from mewctl.history.formats import responses
from mewctl.history.view import Result, Text


def output(content, **more):
    return {"type": "shell_call_output", "call_id": "a", "output": content, **more}


def part(value):
    """The one part of an item, and what its view says about it."""
    message = responses.view(value)
    (found,) = message.parts
    assert found.raw is value
    assert message.item
    return message.role, found


PASSED = {"type": "exit", "exit_code": 0}


def chunk(stdout="", stderr="", outcome=None):
    return {"stdout": stdout, "stderr": stderr, "outcome": outcome or PASSED}


@pytest.mark.parametrize(
    ("outcome", "failed"),
    [
        (PASSED, False),
        ({"type": "exit", "exit_code": 2}, True),
        ({"type": "timeout"}, True),
        ({"type": "exit", "exit_code": "2"}, False),
        ("odd", False),
    ],
)
def test_a_shell_says_what_it_printed_and_whether_it_failed(outcome, failed):
    value = output([chunk("a", "b"), chunk("", "c", outcome)])
    _, result = part(value)
    assert [text.text for text in result.content] == ["a", "b", "c"]
    assert result.is_error is failed


def test_a_changed_output_of_a_shell_keeps_its_outcomes():
    bad = {"type": "exit", "exit_code": 2}
    odd = {"stdout": 5}
    value = output([chunk("a", "b"), odd, chunk("", "c", bad)])
    _, result = part(value)
    assert responses.rebuild(value, [result]) == value
    changed = responses.rebuild(value, [result.with_text("NEW")])
    assert changed["output"] == [chunk("NEW"), odd, chunk("", "", bad)]
    _, again = part(changed)
    assert (again.text, again.is_error) == ("NEW", True)
    more = Result("a", tuple(map(Text, "1234")), kind="shell", raw=value, edited=True)
    built = responses.rebuild(value, [more])["output"]
    assert built == [chunk("1", "2"), chunk("", "34", bad)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([], [chunk("NEW")]),
        (None, [chunk("NEW")]),
        ([{"odd": 1}], [chunk("NEW"), {"odd": 1}]),
        ([chunk()], [chunk("NEW")]),
    ],
)
def test_a_shell_that_printed_nothing_can_be_given_a_text(before, after):
    value = output(before)
    _, result = part(value)
    assert responses.rebuild(value, [result.with_text("NEW")])["output"] == after
