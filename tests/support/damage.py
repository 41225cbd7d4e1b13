"""Hypothesis strategies: histories with all the damage that can happen to them.

``histories(name)`` gives lists of records of the format ``name``, ``oddities(name)``
such records with wrong types in them. Ids are few, so that
calls and results meet by chance; records are ordinary, odd and unknown ones.
"""

from __future__ import annotations

import copy
from itertools import chain

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
    st.deferred(
        lambda: st.fixed_dictionaries({**just(format="responses"), "record": _ITEMS})
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

# --- responses ---

_REASONING = st.fixed_dictionaries(
    just(type="reasoning", summary=[{"type": "summary_text", "text": "so"}]),
    optional={"encrypted_content": st.just("gAAAAAx")},
)
_ITEM_CALL = st.one_of(
    st.fixed_dictionaries(
        {**just(type="function_call", name="run", arguments="{}"), "call_id": IDS}
    ),
    st.fixed_dictionaries(
        {**just(type="custom_tool_call", name="run", input="x"), "call_id": IDS}
    ),
    st.fixed_dictionaries(
        {**just(type="shell_call", action={"commands": ["ls"]}), "call_id": IDS}
    ),
)
_PARTS = st.lists(block("input_text", text=ANY_TEXT), max_size=2)
_ITEM_ANSWER = st.one_of(
    st.fixed_dictionaries(
        {
            "type": st.sampled_from(
                ["function_call_output", "custom_tool_call_output"]
            ),
            "call_id": IDS,
            "output": ANY_TEXT | st.none() | _PARTS,
        }
    ),
    st.fixed_dictionaries(
        {
            **just(type="shell_call_output", output=[{"stdout": "x", "stderr": ""}]),
            "call_id": IDS,
        }
    ),
)
_WORDS = st.fixed_dictionaries(
    {
        "role": st.sampled_from(["user", "assistant", "system", "developer"]),
        "content": ANY_TEXT | st.none() | _PARTS,
    },
    optional=just(type="message"),
)
_SAID = st.fixed_dictionaries({**just(role="assistant"), "content": TEXTS})
_DONE = st.sampled_from(
    [
        {"type": "web_search_call", "id": "ws_1", "action": {}},
        {"type": "computer_call", "call_id": "z", "action": {}},
    ]
)
_ASIDE = _DONE | st.sampled_from(
    [
        {"type": "computer_call_output", "call_id": "z", "output": {}},
        {"type": "mcp_approval_response", "approve": True},
    ]
)
# A call that the provider answers itself comes with its output.
_HOSTED = [
    {"type": "shell_call", "call_id": "h", "action": {"commands": ["ls"]}},
    {"type": "shell_call_output", "call_id": "h", "output": []},
]
_WHOLE = st.lists(
    (_REASONING | _SAID | _ITEM_CALL | _DONE).map(lambda item: [item])
    | st.just(_HOSTED),
    min_size=1,
    max_size=4,
).map(lambda items: {"object": "response", "output": [*chain(*items)]})
_ITEMS = st.one_of(
    _WORDS, _SAID, _REASONING, _ITEM_CALL, _ITEM_ANSWER, _ASIDE, _WHOLE, _FOREIGN
)

_RECORDS = {
    "anthropic": _ANTHROPIC,
    "mew": _MEW,
    "openai": _OPENAI,
    "responses": _ITEMS,
    "enveloped": st.one_of(_MEW, _ENVELOPE, st.just({"type": "compact", "ts": 1})),
}


_ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | ANY_TEXT
    | st.sampled_from(["a", "x/y"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["type", "id", "text", "content", "function", "name"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=4,
)


@st.composite
def _spoilt(draw, name):
    """A record in which one value, at any depth, is of a wrong type or missing."""
    record = copy.deepcopy(draw(_RECORDS[name]))
    at = record
    while at:
        keys = list(at) if isinstance(at, dict) else range(len(at))
        key = draw(st.sampled_from(list(keys)))
        if isinstance(at[key], (dict, list)) and at[key] and draw(st.booleans()):
            at = at[key]
        elif isinstance(at, dict) and draw(st.booleans()):
            del at[key]
            break
        else:
            at[key] = draw(_ODD)
            break
    return record


def oddities(name, max_size=6):
    """Lists of records of ``name`` with values of wrong types anywhere."""
    return st.lists(_spoilt(name), max_size=max_size)


def histories(name, max_size=9):
    """Lists of records of ``name``; ``enveloped`` is mew with envelopes and markers."""
    return st.lists(_RECORDS[name], max_size=max_size)
