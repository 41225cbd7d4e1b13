"""Outputs of tools, and of shells: chunks of two streams and how a command ended."""

from __future__ import annotations

import pytest

from mewctl.history.formats import responses
from mewctl.history.view import Image, Result, Text

SHELL = "shell_call_output"


def output(content, kind="function_call_output", **more):
    return {"type": kind, "call_id": "a", "output": content, **more}


def part(value):
    """The one part of an item, and what its view says about it."""
    message = responses.view(value)
    (found,) = message.parts
    assert found.raw is value
    assert message.item
    return message.role, found


@pytest.mark.parametrize("kind", ["function", "custom"])
def test_an_output_is_text_or_a_list_and_keeps_its_shape(kind):
    item = {"function": "function_call_output", "custom": "custom_tool_call_output"}
    plain = output("x", item[kind], status="completed")
    role, result = part(plain)
    assert role == "tool"
    assert result == Result("a", (Text("x"),), kind=kind, raw=plain)
    assert responses.rebuild(plain, [result.with_text("N")]) == {**plain, "output": "N"}
    text, image = {"type": "input_text", "text": "x"}, {"type": "input_image"}
    listed = output([text, image, text], item[kind])
    _, result = part(listed)
    assert result.text == "xx"
    built = responses.rebuild(listed, [result.with_text("N")])
    assert built == {**listed, "output": [{"type": "input_text", "text": "N"}, image]}


def test_an_image_put_beside_the_text_of_an_output_makes_it_a_list():
    value = output("x")
    _, result = part(value)
    image = Image("image/png", "aGk=")
    changed = Result("a", (Text("x"), image), raw=value, edited=True)
    assert responses.rebuild(value, [changed])["output"] == [
        {"type": "input_text", "text": "x"},
        {"type": "input_image", "image_url": "data:image/png;base64,aGk="},
    ]
    assert responses.rebuild(value, [result.with_text("")])["output"] == ""


@pytest.mark.parametrize(
    ("value", "call_id", "failed"),
    [
        ({"type": "local_shell_call_output", "id": "a", "output": "x"}, "a", False),
        ({**output("x", "local_shell_call_output"), "id": "b"}, "a", False),
        (output("x", "apply_patch_call_output", status="completed"), "a", False),
        (output("x", "apply_patch_call_output", status="failed"), "a", True),
        ({"type": "function_call_output", "output": "x"}, "", False),
        ({**output("x"), "call_id": 7}, "7", False),
    ],
)
def test_an_output_names_its_call_and_whether_it_failed(value, call_id, failed):
    _, result = part(value)
    assert (result.call_id, result.text, result.is_error) == (call_id, "x", failed)


# --- the output of a shell ---

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
    value = output([chunk("a", "b"), chunk("", "c", outcome)], SHELL)
    _, result = part(value)
    assert [text.text for text in result.content] == ["a", "b", "c"]
    assert result.is_error is failed


def test_a_changed_output_of_a_shell_keeps_its_outcomes():
    bad = {"type": "exit", "exit_code": 2}
    odd = {"stdout": 5}
    value = output([chunk("a", "b"), odd, chunk("", "c", bad)], SHELL)
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
    value = output(before, SHELL)
    _, result = part(value)
    assert responses.rebuild(value, [result.with_text("NEW")])["output"] == after
