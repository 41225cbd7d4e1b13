"""Content and calls in the manner of Chat Completions, also of wrong types."""

from __future__ import annotations

import pytest

from mewctl.history.view import Call, Image, Opaque, Text, Thinking
from mewctl.transcripts.chat_parts import calls, contents, parts, thoughts


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (None, []),
        ("", []),
        ("a", [Text("a")]),
        (7, [Text("7")]),
        (
            [{"type": "text", "text": "a"}, "b", None],
            [Text("a"), Text("b"), Text("null")],
        ),
        ({"type": "text", "text": ""}, []),
        ({"type": "think", "think": "Hm."}, [Thinking("Hm.")]),
        ({"type": "think", "think": "Hm.", "encrypted": "s"}, [Thinking("Hm.", "s")]),
        ({"type": "think", "think": "", "encrypted": "s"}, [Thinking("", "s", True)]),
        ({"type": "think", "think": ""}, []),
        (
            {"type": "image_url", "image_url": {"url": "https://a"}},
            [Image(url="https://a")],
        ),
        ({"type": "image_url", "image_url": "https://a"}, [Image(url="https://a")]),
        (
            {"type": "image", "image_urls": ["data:image/png;base64,aa", "http://b"]},
            [Image("image/png", "aa"), Image(url="http://b")],
        ),
        (
            {"type": "thinking", "thinking": "Hm.", "signature": "s"},
            [Thinking("Hm.", "s")],
        ),
    ],
)
def test_content_is_read_as_what_it_is(content, expected):
    assert parts(content) == expected


@pytest.mark.parametrize(
    "item",
    [
        {"type": "new", "x": 1},
        {"type": "image_url", "image_url": {"url": "blobref:1"}},
        {"type": "image", "image_urls": []},
        {"type": "think", "think": 7},
        {},
    ],
)
def test_what_no_word_exists_for_is_opaque(item):
    (part,) = parts(item)
    assert isinstance(part, Opaque)
    assert part.raw == item


def test_a_result_holds_no_thinking():
    text, thought = contents(["a", {"type": "think", "think": "Hm."}])
    assert text == Text("a")
    assert thought.raw == {"type": "thinking", "thinking": "Hm."}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({}, []),
        ({"reasoning_content": "Hm."}, [Thinking("Hm.")]),
        ({"reasoning_content": " "}, []),
        ({"thinking_blocks": [], "reasoning_content": "Hm."}, [Thinking("Hm.")]),
        (
            {
                "thinking_blocks": [
                    {"type": "thinking", "thinking": "A.", "signature": "s"},
                    {"type": "redacted_thinking", "data": "r"},
                    "odd",
                ],
                "reasoning_content": "A.",
            },
            [Thinking("A.", "s"), Thinking("", "r", redacted=True)],
        ),
    ],
)
def test_thoughts_are_told_once(message, expected):
    assert thoughts(message) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, []),
        ([], []),
        ([7, {}], []),
        (
            [{"id": "a", "function": {"name": "f", "arguments": '{"x":1}'}}],
            [Call("a", "f", {"x": 1})],
        ),
        ([{"id": "a", "name": "f", "arguments": "{x"}], [Call("a", "f", "{x")]),
        ([{"id": "a"}, {"name": "f"}], [Call("a", "", {}), Call("", "f", {})]),
        ([{"id": 3, "function": {"name": "f"}}], [Call("3", "f", {})]),
    ],
)
def test_calls_are_read_with_their_arguments(value, expected):
    assert calls(value) == expected
