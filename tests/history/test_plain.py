"""What is plainly of a format is of that format, whatever looks closer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl.history.detect import NEUTRAL, classify
from mewctl.history.plain import PLAIN

CALL = {"id": "a", "name": "f", "input": {}}
FUNCTION = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
PLAINLY = {
    "": [{"role": "user", "content": "x"}],
    "mew": [
        {"role": "user", "content": "x", "ts": 1},
        {"role": "assistant", "content": "", "tool_calls": [CALL], "model": "m"},
        {"role": "tool", "content": "", "tool_results": [{"tool_call_id": "a"}]},
    ],
    "anthropic": [
        {"role": "user", "content": "x"},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a"}]},
        {"role": "assistant", "content": [{"type": "thinking"}, {"type": "tool_use"}]},
    ],
    "openai": [
        {"role": "assistant", "content": None, "tool_calls": [FUNCTION]},
        {"role": "tool", "tool_call_id": "a", "content": "x"},
    ],
    "responses": [{"role": "assistant", "content": "x"}],
}

NOT_PLAINLY = [
    ("", {"role": "user", "content": []}),
    ("", {"role": "user", "content": "x", "ts": 1}),
    ("mew", {"role": "user", "content": "x", "type": "message"}),
    ("mew", {"role": "developer", "content": "x"}),
    ("mew", {"role": "assistant", "content": "", "tool_calls": [FUNCTION]}),
    ("mew", {"role": "assistant", "content": "", "tool_calls": [1]}),
    ("anthropic", {"role": "user", "content": [{"type": "image_url"}]}),
    ("anthropic", {"role": "user", "content": [{"type": []}]}),
    ("anthropic", {"role": "user", "content": ["x"]}),
    ("anthropic", {"role": "tool", "content": "x"}),
    ("openai", {"role": "user", "content": [{"type": "text", "text": "x"}]}),
    ("openai", {"role": "assistant", "content": "", "tool_calls": [CALL]}),
    ("responses", {"type": "function_call", "call_id": "a"}),
]

KINDS = ("text", "tool_use", "tool_result", "thinking", "image", "image_url", "new")
CONTENT = st.one_of(
    st.just("x"),
    st.sampled_from(["", None, 7, {}]),
    st.lists(
        st.one_of(
            st.fixed_dictionaries({"type": st.sampled_from([*KINDS, None, []])}),
            st.just("x"),
        ),
        max_size=3,
    ),
)
CALLS = st.lists(
    st.dictionaries(st.sampled_from(["name", "function", "custom", "id"]), st.just({})),
    max_size=2,
)
ROLES = ("user", "assistant", "system", "tool", "developer", "function", None, [])
ODD_KEYS = {
    "tool_call_id": "a",
    "refusal": "no",
    "type": "message",
    "phase": "x",
    "format": "anthropic",
    "record": {},
    "usage": {"input": 1},
    "stop_reason": "end_turn",
    "ts": 1,
    "name": "n",
    "audio": {},
}
RECORDS = st.builds(
    lambda role, content, calls, odd: {
        "role": role,
        "content": content,
        **({"tool_calls": calls[0]} if calls else {}),
        **{key: ODD_KEYS[key] for key in odd},
    },
    st.sampled_from(ROLES),
    CONTENT,
    st.lists(st.one_of(CALLS, st.sampled_from([None, "x", [1]])), max_size=1),
    st.sets(st.sampled_from(sorted(ODD_KEYS)), max_size=2),
)


@pytest.mark.parametrize(
    ("form", "value"), [(form, v) for form, values in PLAINLY.items() for v in values]
)
def test_what_most_records_are_is_plainly_of_their_format(form, value):
    assert PLAIN[form](value)


@pytest.mark.parametrize(("form", "value"), NOT_PLAINLY)
def test_what_needs_a_closer_look_is_not_plain(form, value):
    assert not PLAIN[form](value)


@pytest.mark.parametrize("form", PLAIN)
@given(value=RECORDS)
def test_plainly_says_yes_to_nothing_that_is_not_of_the_format(form, value):
    if PLAIN[form](value):
        kind = classify(value)
        assert kind.group == "message"
        assert (form or "mew") in kind.fits
        assert form or kind == NEUTRAL
