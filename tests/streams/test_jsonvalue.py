"""JSON in and out: exact where JSON is exact, refused where JSON refuses."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl import limits
from mewctl.streams.jsonvalue import (
    BadJSON,
    dumps,
    is_cut_short,
    loads,
    utf8,
    utf8_size,
)

texts = st.text(st.characters())  # lone surrogates included
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4)
    ),
    max_leaves=20,
).filter(lambda value: json.dumps(value).find("Infinity") < 0)


@given(values)
def test_a_value_written_and_read_again_is_the_same_value(value):
    assert loads(dumps(value), exact=True) == value


@given(values)
def test_a_written_value_is_one_line_of_utf8(value):
    line = dumps(value)
    assert b"\n" not in line
    line.decode("utf-8")


@given(st.binary())
def test_any_bytes_are_a_value_or_bad_json(raw):
    with contextlib.suppress(BadJSON):
        assert json.loads(dumps(loads(raw))) == loads(raw)


def test_a_lone_surrogate_is_read_and_written_escaped():
    assert loads(b'"a\\ud83d"') == "a\ud83d"
    assert dumps("a\ud83d") == b'"a\\ud83d"'


def test_big_integers_stay_exact_when_asked_for():
    raw = b'{"n":123456789012345678901234567890}'
    assert loads(raw, exact=True) == {"n": 123456789012345678901234567890}
    assert dumps(loads(raw, exact=True)) == raw


def test_of_duplicate_keys_the_last_wins():
    assert loads(b'{"a":1,"a":2}') == {"a": 2}
    assert loads(b'{"a":1,"a":12345678901234567890123}', exact=True) == {
        "a": 12345678901234567890123
    }


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"NaN", "NaN is not JSON"),
        (b"[Infinity]", "Infinity is not JSON"),
        (b"[-Infinity]", "-Infinity is not JSON"),
        (b"1e400", "a number too large for JSON"),
        (b'{"a":', "not JSON: expecting value at byte 5"),
        (b'"\xff"', "not UTF-8 at byte 1"),
        (b"", "not JSON: expecting value at byte 0"),
        (b"[" * 100_000, "nested too deep"),
        (b'{"a":' * 100_000, "nested too deep"),
    ],
)
def test_what_is_no_json_says_why(raw, why, exact):
    with pytest.raises(BadJSON) as caught:
        loads(raw, exact=exact)
    assert str(caught.value) == why


def test_a_number_with_thousands_of_digits_is_refused_where_it_would_stay_exact():
    with pytest.raises(BadJSON, match="a number with too many digits"):
        loads(b"9" * 5000, exact=True)


def nested(levels: int) -> bytes:
    return b'{"a":' * (levels - 1) + b"[]" + b"}" * (levels - 1)


def test_nesting_up_to_the_limit_may_be_changed_and_written():
    raw = nested(limits.MAX_DEPTH)
    assert dumps(loads(raw, exact=True)) == raw


def test_nesting_over_the_limit_is_refused_before_a_change():
    raw = nested(limits.MAX_DEPTH + 1)
    assert loads(raw) is not None
    with pytest.raises(BadJSON, match="nested too deep"):
        loads(raw, exact=True)


def test_many_brackets_are_no_nesting():
    raw = b'[{"a":[]},' * 1 + b"[]," * 500 + b'"' + b"[" * 500 + b'"]'
    assert len(loads(raw, exact=True)) == 502
    assert loads(b'"' + b"[" * 500 + b'"', exact=True) == "[" * 500


def test_a_value_too_deep_to_write_is_bad_json():
    value: list = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(BadJSON, match="nested too deep"):
        dumps(value)


@pytest.mark.parametrize(
    ("raw", "cut"),
    [
        (b"{", True),
        (b"[", True),
        (b'{"a": 1,', True),
        (b'{"a": [ ', True),
        (b"{}", False),
        (b'{"a": 1}{', False),
        (b'{"a": "torn te', False),
        (b'"text', False),
        (b"{\xff", False),
        (b"[" * 100_000, False),
        (b"", False),
    ],
)
def test_a_document_over_several_lines_is_told_from_a_torn_record(raw, cut):
    assert is_cut_short(raw) is cut


@given(texts)
def test_sizes_count_the_bytes_that_are_written(text):
    assert utf8_size(text) == len(utf8(text))
    assert utf8(text).decode("utf-8", "surrogatepass") == text
