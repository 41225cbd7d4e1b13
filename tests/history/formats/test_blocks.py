"""Odd values: what is read from them, and that nothing worse than an error comes."""

from __future__ import annotations

import pytest

from mewctl.history.formats import NAMES, blocks, load
from mewctl.history.view import Message, Opaque, Text
from mewctl.streams.jsonvalue import loads

DEEP = 900  # levels: more than any writer takes, fewer than the parser refuses


def nest(levels):
    return loads(b"[" * levels + b"]" * levels)


@pytest.mark.parametrize("empty", [None, "", 0, False, {}, []])
def test_an_empty_value_is_an_empty_array(empty):
    assert list(blocks.as_list(empty, "x")) == []


def test_a_value_too_deep_to_write_is_a_value_error():
    value = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(ValueError, match="nested too deep"):
        blocks.json_text(value)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("key", ["content", "tool_calls", "tool_results", "x"])
def test_deep_nesting_gives_a_view_or_a_value_error(name, key):
    inner = [{"type": "x", "id": nest(DEEP), "input": nest(DEEP), "role": "tool"}]
    for role in ("user", "tool", "critic"):
        assert look(load(name), {"role": role, key: inner}) in ("", "nested too deep")


def look(form, value):
    """The error of a view, "" if there is none."""
    try:
        form.view(value)
    except ValueError as error:
        return str(error)
    return ""


def test_only_the_view_of_an_unknown_record_is_unknown():
    assert blocks.is_unknown(blocks.unknown({"x": 1}))
    assert not blocks.is_unknown(Message("user", (Text("x"),)))
    assert not blocks.is_unknown(Message("user", (Opaque("x", 1, {}),)))
    assert not blocks.is_unknown(Message("user", ()))


def test_the_size_of_an_opaque_block_is_its_json_in_bytes():
    assert blocks.opaque({"type": "x", "k": "字"}).size == len(
        '{"type":"x","k":"字"}'.encode()
    )
    assert blocks.opaque({"k": 1}).kind == "block"


@pytest.mark.parametrize(
    ("value", "word"),
    [
        ({}, "an object"),
        ([], "an array"),
        ("", "a string"),
        (None, "null"),
        (True, "a boolean"),
        (1.5, "a number"),
    ],
)
def test_values_are_called_by_jsons_words(value, word):
    assert blocks.type_word(value) == word


def test_safe_names_differ_where_the_names_do():
    long = "n" * 70
    assert blocks.safe_name(long, 64) != blocks.safe_name(long + "x", 64)
    assert len(blocks.safe_name(long, 64)) == 64
    assert blocks.safe_name("a.b/c", 64) == "a_b_c"
    assert blocks.safe_name("\ud800", 64) == "_"
    assert blocks.safe_id("\ud800") != blocks.safe_id("\ud801")
