"""What each part of a message costs, and in which class it counts."""

from __future__ import annotations

import base64
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl import limits
from mewctl.history.view import (
    Call,
    Image,
    Message,
    Opaque,
    Result,
    Text,
    Thinking,
)
from mewctl.streams.jsonvalue import dumps
from mewctl.tokens.estimator import (
    CLASSES,
    NOTHING,
    Estimator,
    Tokens,
    call_text,
    json_text,
)
from mewctl.tokens.weights import DEFAULT_FAMILY, FAMILIES

PROSE = "The build failed in 3 of 40 tests; see src/main.py, line 12.\n"
CENTRE = Estimator()
BOTH = Estimator(sets="both")
FRAME, BLOCK = limits.FRAME_TOKENS, limits.BLOCK_TOKENS


def counts(role, *parts, estimator=CENTRE):
    found = estimator.message(Message(role, parts))
    return {name: getattr(found, name) for name in CLASSES if getattr(found, name)}


def test_the_default_family_is_the_newest_claude_and_the_default_set_the_centre():
    assert CENTRE.family == DEFAULT_FAMILY == "claude-4.7-and-later"
    assert CENTRE.text(PROSE) == BOTH.tokens(PROSE).shown
    assert Estimator(sets="cautious").text(PROSE) == BOTH.tokens(PROSE).cautious


@pytest.mark.parametrize("family", FAMILIES)
def test_cautious_prose_costs_more_than_the_likely_number(family):
    tokens = Estimator(family, "both").tokens(PROSE * 20)
    assert tokens.shown < tokens.cautious < 1.4 * tokens.shown


def test_one_set_gives_its_number_for_both():
    tokens = Estimator(sets="cautious").tokens(PROSE)
    assert tokens.shown == tokens.cautious == BOTH.tokens(PROSE).cautious


def test_an_unknown_family_is_refused():
    with pytest.raises(ValueError, match="no tokenizer family 'claude'"):
        Estimator("claude")


@pytest.mark.parametrize(
    ("role", "name"),
    [
        ("system", "system"),
        ("user", "user"),
        ("assistant", "assistant"),
        ("tool", "tool_results"),
    ],
)
def test_text_and_frame_count_in_the_class_of_the_role(role, name):
    assert counts(role, Text(PROSE)) == {name: FRAME + CENTRE.text(PROSE)}


def test_a_marker_costs_nothing():
    marker = Message("system", (), marker=True)
    assert CENTRE.count(marker).tokens == NOTHING
    assert CENTRE.parts(marker) == []


def test_thinking_is_a_class_of_its_own_and_its_signature_is_free():
    found = counts("assistant", Thinking(PROSE, signature="x" * 5000))
    assert found == {"assistant": FRAME, "thinking": CENTRE.text(PROSE)}


@pytest.mark.parametrize("redacted", [True, False])
def test_a_signature_counts_by_the_byte_where_the_thinking_cannot_be_read(redacted):
    found = counts("assistant", Thinking("", "é" * 500, redacted=redacted))
    assert found["thinking"] == pytest.approx(1000 * 0.6)


def test_an_image_costs_the_same_whatever_its_size():
    small, large = Image(data="QUJD"), Image(data="A" * 5_000_000)
    assert counts("user", small) == counts("user", large)
    assert counts("user", small) == {"user": FRAME, "images": limits.IMAGE_TOKENS}


def test_a_call_is_its_name_and_its_input_as_json():
    call = Call("1", "read_file", {"path": "/tmp/ä", "n": [1, 2]})
    assert call_text(call) == 'read_file\n{"path":"/tmp/ä","n":[1,2]}'.encode()
    wanted = BLOCK + CENTRE.text(call_text(call))
    assert counts("assistant", call) == {"assistant": FRAME, "tool_calls": wanted}


def test_a_call_whose_input_is_text_costs_that_text():
    call = Call("1", "patch", "*** Begin\n", kind="custom")
    assert call_text(call) == b"patch\n*** Begin\n"


def test_a_result_counts_its_texts_and_its_images_apart():
    result = Result("1", (Text(PROSE), Image(data="QUJD"), Image(url="u"), Text("b")))
    found = counts("tool", result)
    assert found["images"] == 2 * limits.IMAGE_TOKENS
    assert found["tool_results"] == pytest.approx(
        FRAME + BLOCK + CENTRE.text(PROSE) + CENTRE.text("b")
    )


def test_a_block_of_unknown_kind_costs_its_json():
    raw = {"type": "search_result", "title": PROSE}
    found = counts("user", Opaque("search_result", 99, raw))
    assert found == {"user": FRAME + CENTRE.text(dumps(raw))}


def test_a_document_in_base64_never_costs_more_than_a_document():
    for size, capped in ((2_000, False), (3_000_000, True)):
        data = base64.b64encode(random.Random(1).randbytes(size)).decode()
        raw = {"type": "document", "title": PROSE, "source": {"data": data}}
        cost = CENTRE.count(Message("user", (Opaque("document", 1, raw),))).tokens.shown
        if capped:
            assert limits.DOCUMENT_TOKENS < cost < limits.DOCUMENT_TOKENS + 200
        else:
            assert cost == FRAME + CENTRE.text(dumps(raw))


def test_parts_say_where_they_stand_and_how_many_bytes_they_are():
    parts = CENTRE.parts(
        Message(
            "assistant",
            (
                Text("ä"),
                Thinking("tä", "sig"),
                Thinking("", "sig"),
                Image(data="QUJD", url="é"),
                Call("1", "f", {}),
                Opaque("x", 1, {"a": 1}),
                Result("1", (Text("ab"), Image(data="QUJD"), Opaque("x", 1, {}))),
            ),
        )
    )
    assert [(part.kind, part.index, part.size) for part in parts] == [
        ("assistant", -1, 0),
        ("assistant", 0, 2),
        ("thinking", 1, 6),
        ("thinking", 2, 3),
        ("images", 3, 6),
        ("tool_calls", 4, 4),
        ("assistant", 5, 7),
        ("tool_results", 6, 4),
        ("images", 6, 4),
    ]


def test_a_message_is_the_sum_of_its_parts_by_both_sets():
    message = Message(
        "assistant", (Text(PROSE), Thinking(PROSE), Call("1", "f", {"a": PROSE}))
    )
    parts = BOTH.parts(message)
    found = BOTH.count(message)
    assert found.tokens.shown == pytest.approx(sum(p.tokens.shown for p in parts))
    assert found.tokens.cautious == pytest.approx(sum(p.tokens.cautious for p in parts))
    assert found.classes.total == pytest.approx(found.tokens.shown)


def test_tokens_are_added_and_taken_off_set_by_set():
    assert Tokens(3, 5) + Tokens(1, 1) - Tokens(2, 3) == Tokens(2, 3)


def test_input_nested_too_deep_for_json_still_costs_its_texts():
    deep: object = PROSE
    for _ in range(100_000):
        deep = [deep]
    text = json_text({"key": deep, "n": 5})
    assert set(text.split(b"\n")) == {b"key", b"n", b"5", PROSE.strip().encode(), b""}
    assert counts("assistant", Call("1", "f", {"a": deep}))["tool_calls"] > 15


texts = st.text(st.characters(), max_size=40)
floats = st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.integers() | st.booleans() | floats | texts,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3)
    ),
    max_leaves=8,
)


@given(texts, texts, st.dictionaries(texts, values, max_size=3))
def test_no_text_or_input_makes_it_fail(one, two, given_input):
    message = Message(
        "assistant",
        (
            Text(one),
            Thinking("", two),
            Call(one, two, given_input),
            Call(one, two, one),
            Result(one, (Text(two), Image(one, two, one), Opaque(one, 1, given_input))),
        ),
    )
    found = BOTH.count(message)
    assert found.tokens.shown >= FRAME + 3 * BLOCK + limits.IMAGE_TOKENS
