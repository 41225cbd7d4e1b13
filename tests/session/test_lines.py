"""The lines of a log: a message's bytes survive, markers are told from messages."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl.history.view import Usage
from mewctl.session import lines
from mewctl.session.lines import Marker, Said

ODD = b'{"role" : "user", "content":"\\u00e9", "n":1.50e3, "big":123456789012345678901}'


def test_a_stamp_changes_nothing_but_the_end():
    made = lines.stamp(ODD, 12.3456)
    assert made == ODD[:-1] + b',"ts":12.346}'
    assert json.loads(made)["ts"] == 12.346


def test_whole_seconds_are_written_as_such():
    assert lines.stamp(b'{"role":"user"} ', 5.0) == b'{"role":"user","ts":5}'


@pytest.mark.parametrize(
    "said",
    [
        Said(1.5),
        Said(1, "claude-1", Usage(1, 2, 3, 4), "msg_1"),
        Said(1, 'odd "model",\\"record":', None, '"record":'),
    ],
)
def test_an_envelope_gives_back_the_very_bytes(said):
    line = lines.envelope("anthropic", ODD, said)
    assert lines.inner(line) == ODD
    value = json.loads(line)
    assert value["record"] == json.loads(ODD)
    assert value["format"] == "anthropic"
    assert lines.format_of(value) == "anthropic"


@given(st.text(max_size=30), st.text(max_size=30))
def test_no_model_and_no_id_can_fake_the_record(model, identity):
    line = lines.envelope("openai", b'{"role":"user"}', Said(1, model, None, identity))
    assert lines.inner(line) == b'{"role":"user"}'


def test_an_envelope_of_another_hand_has_no_known_bytes():
    other = b'{"format":"anthropic","x":{"record":1},"record":{"role":"user"}}'
    assert lines.inner(other) is None
    assert lines.inner(b'{"role":"user"}') is None


def test_a_message_too_deep_to_be_read_again_is_refused():
    deep = b'{"role":"user","content":' + b"[" * 2000 + b"]" * 2000 + b"}"
    with pytest.raises(ValueError, match="deep"):
        lines.envelope("anthropic", deep, Said(1))


def test_a_marker_is_read_back():
    marker = Marker(7.5, "abc", "auto", 3, 100, 50, "offline", 0)
    assert lines.read_marker(marker.line()) == marker
    undo = Marker(7, reason="undo", messages=0, undoes=2)
    assert lines.read_marker(undo.line()) == undo


def test_the_original_marker_needs_a_type_alone():
    assert lines.read_marker(b'{"type":"compact","ts":5}') == Marker(5.0)
    assert lines.read_marker(b'{ "ts":5, "type" : "compact"}') == Marker(5.0)


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"compact","role":"user"}',
        b'{"type":"compacted"}',
        b'["compact"]',
        b'{"type":"compact"',
        b"",
    ],
)
def test_what_is_no_marker_is_none(line):
    assert lines.read_marker(line) is None


@pytest.mark.parametrize("bad", [-1, "3", True, 1.5, None])
def test_a_count_that_is_none_is_not_believed(bad):
    line = json.dumps({"type": "compact", "messages": bad}).encode()
    assert lines.read_marker(line) == Marker()


@pytest.mark.parametrize(
    ("value", "neutral"),
    [
        ({"role": "user", "content": "a"}, True),
        ({"role": "tool", "content": "a"}, False),
        ({"role": "user", "content": [{"type": "text", "text": "a"}]}, False),
        ({"role": "assistant", "content": "", "tool_calls": [{"id": "1"}]}, False),
        ({"role": "user", "content": "", "tool_results": [{}]}, False),
    ],
)
def test_a_plain_message_says_the_same_in_every_format(value, neutral):
    assert lines.is_neutral(value) is neutral
