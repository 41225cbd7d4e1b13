"""Facts as JSON: what is written comes back, and nothing else is believed."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl.history.facts import (
    CommandFact,
    Facts,
    Failure,
    FileFact,
    FileRead,
    LastCall,
    Said,
    Todo,
    UserWords,
    from_json,
    to_json,
)
from mewctl.streams.jsonvalue import dumps, loads

WHOLE = Facts(
    users=(UserWords(1, "do it", 1.5, 2, "abc"),),
    files=(FileFact("a.py", 1, 2, created=True, change="+x", why="y", last=3),),
    commands=(CommandFact("make", 2, "failed", 2, 4),),
    failures=(Failure("make", "Bash", 4, 2, ("E1", "E2"), "passed", ("a.py",), "n"),),
    todos=(Todo("t", "doing"),),
    last_calls=(LastCall(5, "Bash", "make", "unknown", "…"),),
    last_text="done",
    earlier="before",
    said=(Said(2, "because"),),
    reads=(FileRead("a.py", "x = 1", 3, 1.0, "lines 1-2", "written", truncated=True),),
    prose={1: "one", 9: "nine"},
    boundaries=("abc",),
    messages=9,
    overhead=1200,
    language="zh",
    extra={"cwd": "/x"},
)


def test_facts_come_back_from_their_json() -> None:
    assert from_json(loads(dumps(to_json(WHOLE)))) == WHOLE


def test_facts_of_a_later_version_lose_only_what_is_not_known() -> None:
    value = to_json(WHOLE)
    value["new"] = 1
    value["users"][0]["new"] = {"x": 1}

    assert from_json(loads(dumps(value))) == WHOLE


@pytest.mark.parametrize(
    ("section", "entry"),
    [
        ("users", {"n": "x", "text": "a"}),
        ("users", {"n": 1, "text": 5}),
        ("users", {"n": 1, "text": "a", "time": True}),
        ("users", {"text": "a"}),
        ("users", "text"),
        ("failures", {"what": "w", "tool": "t", "n": 1, "later": "perhaps"}),
        ("failures", {"what": "w", "tool": "t", "n": 1, "lines": [1]}),
        ("failures", {"what": "w", "tool": "t", "n": 1, "fixed_by": "a.py"}),
        ("commands", {"command": "make", "exit_code": "2"}),
        ("commands", {"command": "make", "outcome": "fine"}),
        ("files", {"path": "a", "created": 1}),
        ("todos", {"text": "t", "state": "never"}),
    ],
)
def test_an_entry_of_another_shape_is_refused(section: str, entry: object) -> None:
    with pytest.raises(ValueError, match="facts are not readable"):
        from_json({section: [entry]})


@pytest.mark.parametrize("value", [None, [], "x", 3, {"users": 5}, {"prose": [1]}])
def test_what_is_no_facts_file_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="facts are"):
        from_json(value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(sorted(to_json(WHOLE))), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_json_is_facts_or_refused(value: object) -> None:
    facts: Facts | None = None
    with suppress(ValueError):
        facts = from_json(value)

    assert facts is None or from_json(to_json(facts)) == facts
