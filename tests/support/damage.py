"""Hypothesis strategies: histories with all the damage that can happen to them.

``histories(name)`` gives lists of records of the format ``name``. Ids are few, so that
calls and results meet by chance; records are ordinary, odd and unknown ones.
"""

from __future__ import annotations

from hypothesis import strategies as st

IDS = st.sampled_from(["a", "b", "c", "d"]) | st.sampled_from(
    ["", "x/y", "é", "n" * 50]
)
TEXTS = st.sampled_from(["hello", "是的", " padded ", "one\ntwo"])
ANY_TEXT = TEXTS | st.sampled_from(["", " ", "\n"])
INPUTS = st.sampled_from([{}, {"path": "/x"}, {"n": 12345678901234567890123}])


def just(**values):
    return {key: st.just(value) for key, value in values.items()}


def block(kind, **fields):
    return st.fixed_dictionaries({**just(type=kind), **fields})


_IMAGE = block("image", source=st.just({"type": "url", "url": "http://x/i.png"}))
_OTHER = st.sampled_from(["document", "search_result", "brand_new"]).map(
    lambda kind: {"type": kind, "x": 1}
)
_THINKING = block(
    "thinking", thinking=TEXTS, signature=st.sampled_from(["s1", "s2", ""])
)
_BODY = st.one_of(TEXTS, st.lists(block("text", text=ANY_TEXT), max_size=2))
_FOREIGN = st.sampled_from(
    [{"role": "critic", "content": "?"}, {"type": "progress"}, {"role": 7}, {}]
)


def _few(blocks, most=3):
    return st.lists(blocks, max_size=most)


# --- anthropic ---

_USE = st.fixed_dictionaries(
    {**just(type="tool_use", name="run"), "id": IDS, "input": INPUTS}
)
_RESULT = st.fixed_dictionaries(
    {**just(type="tool_result"), "tool_use_id": IDS},
    optional={"content": _BODY | st.just(""), "is_error": st.booleans()},
)
_TEXT = block("text", text=ANY_TEXT)
_ROLES = st.sampled_from(["user", "assistant"])
_ANTHROPIC = st.one_of(
    st.fixed_dictionaries({"role": _ROLES, "content": ANY_TEXT}),
    st.fixed_dictionaries(
        {**just(role="assistant"), "content": _few(_USE | _TEXT | _THINKING | _OTHER)},
        optional={"id": st.sampled_from(["m1", "m2"])},
    ),
    st.fixed_dictionaries(
        {**just(role="user"), "content": _few(_RESULT | _TEXT | _IMAGE)}
    ),
    st.fixed_dictionaries({**just(role="user"), "content": _few(_RESULT)}),
    st.fixed_dictionaries(
        {
            "role": st.sampled_from(["user", "assistant", "system"]),
            "content": _few(_RESULT | _TEXT | _USE | _THINKING | _OTHER | _IMAGE),
        }
    ),
    st.fixed_dictionaries({**just(role="system"), "content": ANY_TEXT}),
    _FOREIGN,
)

# --- mew ---

_CALL = st.fixed_dictionaries({"id": IDS, "name": st.just("run"), "input": INPUTS})
_ANSWER = st.fixed_dictionaries(
    {"tool_call_id": IDS, "content": _BODY | st.just("")},
    optional={"is_error": st.booleans()},
)
_ENVELOPE = st.one_of(
    st.fixed_dictionaries({**just(format="anthropic"), "record": _ANTHROPIC}),
    st.deferred(
        lambda: st.fixed_dictionaries({**just(format="openai"), "record": _OPENAI})
    ),
)
_MEW = st.one_of(
    st.fixed_dictionaries(
        {
            "role": st.sampled_from(["user", "assistant", "system"]),
            "content": ANY_TEXT | _few(_TEXT | _THINKING | _OTHER | _IMAGE),
        },
        optional={"ts": st.integers(0, 9)},
    ),
    st.fixed_dictionaries(
        {
            **just(role="assistant"),
            "content": ANY_TEXT,
            "tool_calls": st.lists(_CALL, min_size=1, max_size=3),
        }
    ),
    st.fixed_dictionaries(
        {
            **just(role="tool", content=""),
            "tool_results": st.lists(_ANSWER, max_size=3),
        }
    ),
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant", "system", "tool"])},
        optional={
            "content": ANY_TEXT | st.none() | _few(_TEXT),
            "tool_calls": _few(_CALL, 2),
            "tool_results": _few(_ANSWER, 2),
        },
    ),
    _FOREIGN,
)

# --- openai ---

_FUNCTION = st.fixed_dictionaries(
    {
        "id": IDS,
        **just(type="function", function={"name": "run", "arguments": "{}"}),
    }
)
_OPENAI = st.one_of(
    st.fixed_dictionaries(
        {
            "role": st.sampled_from(["user", "assistant", "system", "developer"]),
            "content": ANY_TEXT | st.none() | st.lists(_TEXT, max_size=2),
        }
    ),
    st.fixed_dictionaries(
        {
            **just(role="assistant"),
            "content": ANY_TEXT | st.none(),
            "tool_calls": st.lists(_FUNCTION, min_size=1, max_size=3),
        }
    ),
    st.fixed_dictionaries(
        {**just(role="tool"), "content": ANY_TEXT | st.none(), "tool_call_id": IDS}
    ),
    st.fixed_dictionaries({**just(role="tool"), "content": TEXTS, "tool_call_id": IDS}),
    _FOREIGN,
)

_RECORDS = {
    "anthropic": _ANTHROPIC,
    "mew": _MEW,
    "openai": _OPENAI,
    "enveloped": st.one_of(_MEW, _ENVELOPE, st.just({"type": "compact", "ts": 1})),
}


def histories(name, max_size=9):
    """Lists of records of ``name``; ``enveloped`` is mew with envelopes and markers."""
    return st.lists(_RECORDS[name], max_size=max_size)
