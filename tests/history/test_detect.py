"""Telling formats by content: each sign, the narrowing, and two kinds in a stream."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl import transcripts
from mewctl.errors import BadInput
from mewctl.history.detect import NEUTRAL, Detector, classify

ANY = {"mew", "anthropic", "openai", "responses"}
OPENAIS = {"openai", "responses"}
BLOCKS = {"mew", "anthropic"}
CHAT = {"mew", "openai"}


@pytest.fixture(autouse=True)
def one_reader(monkeypatch):
    """A registry of one reader, so that these tests need no real one."""
    reader = ModuleType("mewctl.transcripts.some_agent")
    reader.sniff = lambda value: "sessionId" in value
    monkeypatch.setitem(sys.modules, reader.__name__, reader)
    monkeypatch.setattr(transcripts, "NAMES", ("some-agent",))


def blocks(*types):
    return {"role": "user", "content": [{"type": kind} for kind in types]}


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        ({"role": "user", "content": "x"}, ANY),
        ({"role": "system", "content": "x", "name": "x"}, ANY),
        ({"role": "assistant", "content": None, "tool_calls": []}, ANY),
        ({"role": "assistant", "content": None, "tool_calls": [5]}, ANY),
        ({"role": "tool", "content": "x"}, CHAT),
        ({"role": "developer", "content": "x"}, OPENAIS),
        ({"role": "function", "name": "f", "content": "x"}, {"openai"}),
        ({"role": "tool", "tool_call_id": "a", "content": "x"}, {"openai"}),
        ({"role": "tool", "tool_results": []}, {"mew"}),
        ({"role": "tool", "content": "", "tool_results": []}, {"mew"}),
        ({"role": "assistant", "content": "", "refusal": None}, {"openai"}),
        ({"role": "assistant", "content": "", "reasoning_content": "x"}, {"openai"}),
        ({"role": "assistant", "content": "", "tool_calls": [{"id": 1}]}, CHAT),
        (
            {"role": "assistant", "content": "", "tool_calls": [{"function": {}}]},
            {"openai"},
        ),
        (
            {"role": "assistant", "content": "", "tool_calls": [{"custom": {}}]},
            {"openai"},
        ),
        ({"role": "assistant", "content": "", "tool_calls": [{"name": "x"}]}, {"mew"}),
        (blocks("text", "a new kind"), ANY),
        (blocks("thinking"), BLOCKS),
        (blocks("text", "image"), BLOCKS),
        (blocks("document"), BLOCKS),
        (blocks("input_audio"), OPENAIS | {"mew"}),
        (blocks("file"), CHAT),
        (blocks("input_file"), {"mew", "responses"}),
        (blocks("input_text"), {"responses"}),
        (blocks("text", "input_image"), {"responses"}),
        (blocks("output_text", "refusal"), {"responses"}),
        ({"role": "assistant", "content": "x", "phase": "commentary"}, {"responses"}),
        ({"type": "function_call", "call_id": "a", "name": "f"}, {"responses"}),
        ({"type": "function_call_output", "call_id": "a"}, {"responses"}),
        ({"type": "local_shell_call_output", "id": "a"}, {"responses"}),
        ({"type": "reasoning", "summary": []}, {"responses"}),
        ({"type": "web_search_call", "id": "a"}, {"responses"}),
        ({"type": "item_reference", "id": "a"}, {"responses"}),
        ({"type": "compaction", "encrypted_content": "x"}, {"responses"}),
        ({"type": "additional_tools", "role": "developer"}, {"responses"}),
        (blocks("thinking", "tool_use"), {"anthropic"}),
        (blocks("tool_result"), {"anthropic"}),
        (blocks("image_url"), {"openai"}),
        (blocks("refusal"), OPENAIS),
        (blocks("tool_call"), {"mew"}),
        ({"role": "user", "content": [5, {}, {"type": []}]}, ANY),
        ({"format": "anthropic", "record": {}}, {"mew"}),
        # a sign that contradicts those before is none
        ({**blocks("thinking"), "role": "tool", "tool_call_id": "a"}, {"openai"}),
    ],
)
def test_a_message_fits_the_formats_that_its_signs_allow(value, fits):
    kind = classify(value)
    assert kind.group == "message"
    assert kind.fits == fits


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        ({"role": "user", "content": "x", "ts": 5}, "mew"),
        ({"role": "user", "content": "x", "injected": True}, "mew"),
        ({"role": "assistant", "content": "x", "usage": {"input": 5}}, "mew"),
        ({"role": "assistant", "content": "x", "usage": {"input_tokens": 5}}, ""),
        ({"role": "assistant", "content": "x", "usage": 5}, ""),
        ({"role": "developer", "content": "x", "ts": 5}, ""),
        ({"type": "message", "role": "user", "content": "x"}, "responses"),
        ({"type": "message", "role": "user", "content": "x", "ts": 5}, "mew"),
        ({"type": "message", "role": "tool", "content": "x"}, ""),
    ],
)
def test_keys_of_mew_are_a_hint_where_mew_fits(value, hint):
    assert classify(value).hint == hint


@pytest.mark.parametrize(
    ("value", "group", "fits"),
    [
        ({"type": "compact", "ts": 1}, "marker", {"mew"}),
        (
            {"type": "message", "role": "assistant", "content": [], "stop_reason": "x"},
            "response",
            {"anthropic"},
        ),
        ({"object": "chat.completion", "choices": []}, "response", {"openai"}),
        ({"object": "response", "output": []}, "response", {"responses"}),
        ({"type": "response.completed", "response": {}}, "response", set()),
        ({"error": "x"}, "response", set()),
        ({"type": "user", "sessionId": "x"}, "transcript", {"some-agent"}),
        ({"role": "user", "type": "x", "sessionId": "x"}, "transcript", {"some-agent"}),
        ({"messages": [], "model": "x"}, "document", set()),
        ({"messages": [], "sessionId": "x"}, "transcript", {"some-agent"}),
        ([], "document", set()),
        ({"input": [], "instructions": "x"}, "document", set()),
        ({"type": "function_call", "name": "f"}, "unknown", set()),
        ({"type": "reasoning"}, "unknown", set()),
        ({"type": "program"}, "unknown", set()),
        ({"type": "compaction", "summary": "x"}, "unknown", set()),
        ({"type": ["function_call"], "call_id": "a"}, "unknown", set()),
        ({}, "unknown", set()),
        ({"role": "critic", "content": "x"}, "unknown", set()),
        ({"role": ["user"], "content": "x"}, "unknown", set()),
        ({"type": "message", "role": "user", "content": "x"}, "message", ANY),
        (5, "unknown", set()),
        (None, "unknown", set()),
        ("x", "unknown", set()),
        (True, "unknown", set()),
    ],
)
def test_what_is_no_message_is_told_by_its_group(value, group, fits):
    kind = classify(value)
    assert (kind.group, kind.fits) == (group, fits)


def test_a_plain_message_is_neutral():
    assert classify({"role": "user", "content": "x"}) == NEUTRAL


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["role", "content", "type", "tool_calls", "usage", "error", "messages"]
            )
            | st.text(max_size=5),
            inner,
            max_size=4,
        )
    ),
)


@given(value=json_values)
def test_any_value_can_be_classified(value):
    assert classify(value).seen


PLAIN = {"role": "user", "content": "x"}
STAMPED = {"role": "user", "content": "x", "ts": 5}
THINKS = {"role": "assistant", "content": [{"type": "thinking", "thinking": "x"}]}
USES = {"role": "assistant", "content": [{"type": "tool_use", "id": "a"}]}
CALLS = {"role": "assistant", "content": "", "tool_calls": [{"name": "x"}]}
HEARS = {"role": "user", "content": [{"type": "file"}]}
TOLD = {"role": "developer", "content": "x"}
TYPED = {"type": "message", "role": "user", "content": "x"}
ASKS = {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"}
LINE = {"sessionId": "x"}


def fed(*values):
    detector = Detector("IN")
    for line, value in enumerate(values, 1):
        detector.feed(line, value)
    return detector


@pytest.mark.parametrize(
    ("values", "known", "settled"),
    [
        ([], "", "mew"),
        ([PLAIN], "", "mew"),
        ([PLAIN, {"x": 1}, 5], "", "mew"),
        ([PLAIN, THINKS], "", "anthropic"),
        ([PLAIN, THINKS, USES], "anthropic", "anthropic"),
        ([STAMPED, USES], "anthropic", "anthropic"),
        ([STAMPED], "", "mew"),
        ([STAMPED, THINKS], "", "mew"),
        ([THINKS, CALLS], "mew", "mew"),
        ([HEARS], "", "openai"),
        ([TOLD], "", "openai"),
        ([TOLD, TYPED], "", "responses"),
        ([TYPED], "", "responses"),
        ([TYPED, USES], "anthropic", "anthropic"),
        ([TOLD, TYPED, ASKS], "responses", "responses"),
        ([HEARS, THINKS], "mew", "mew"),
        ([LINE], "some-agent", "some-agent"),
    ],
)
def test_the_first_record_that_tells_formats_apart_decides(values, known, settled):
    detector = fed(*values)
    assert detector.format == known
    assert detector.settle() == settled
    assert detector.is_transcript is (known == "some-agent")


def test_a_stream_of_plain_messages_is_what_the_caller_takes_it_for():
    assert fed(PLAIN, PLAIN).settle("openai") == "openai"
    assert fed(STAMPED).settle("openai") == "mew"
    assert fed(THINKS).settle("openai") == "anthropic"


def test_what_tells_nothing_new_is_expected_once_the_format_is_known():
    assert not fed().expects(PLAIN)
    assert not fed(PLAIN, THINKS).expects(PLAIN)  # not known yet
    known = fed(USES)
    assert all(known.expects(value) for value in (PLAIN, THINKS, USES, {"x": 1}, 5))
    assert not known.expects(CALLS)


def test_two_kinds_in_one_stream_are_refused_with_both_places():
    detector = fed(PLAIN, THINKS, USES)
    with pytest.raises(BadInput) as caught:
        detector.feed(9, CALLS)
    text = str(caught.value)
    assert text.startswith("IN:9: two kinds of records: tool_calls with a name (mew)")
    assert "a block tool_use (anthropic) in line 3" in text
    assert detector.format == "anthropic"
    with pytest.raises(BadInput, match=r"a block file .* in line 1;"):
        fed(HEARS, THINKS, USES)


def test_kinds_that_only_together_leave_nothing_name_the_last_sign():
    detector = fed(THINKS, {"role": "tool", "content": "x"})
    assert detector.format == "mew"
    with pytest.raises(BadInput, match=r"role tool \(mew or openai\) in line 2"):
        detector.feed(3, USES)


def test_a_message_in_a_transcript_is_a_second_kind():
    with pytest.raises(BadInput, match="a some-agent record"):
        fed(LINE, PLAIN)
