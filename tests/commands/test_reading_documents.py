"""One JSON document for a history, and what only looks like the beginning of one."""

from __future__ import annotations

from itertools import count

import pytest

from mewctl.commands.reading import Reading, Wish
from mewctl.errors import BadInput
from mewctl.streams.records import Record


def read(records, **wish):
    reading = Reading((), Wish(**wish))
    return [record for record, _ in reading.one(iter(records), "in")]


def as_records(*texts: str):
    return [Record(text.encode(), n, 0) for n, text in enumerate(texts, 1)]


def endless(line: str, taken: list[int]):
    """An array that begins and never ends."""
    yield Record(b"[", 1, 0)
    for n in count(2):
        taken.append(n)
        yield Record(line.encode(), n, 0)


def test_a_bracket_before_records_does_not_make_them_wait():
    taken: list[int] = []
    with pytest.raises(BadInput, match=r"in:1 .*not JSON"):
        read(endless('{"role":"user","content":"x"}', taken))
    assert len(taken) == 2


def test_an_array_that_does_not_end_is_held_up_to_the_longest_record():
    taken: list[int] = []
    with pytest.raises(BadInput, match=r"in:1 .*not JSON"):
        read(endless('{"role":"user","content":"x"},', taken), max_record=3000)
    assert len(taken) < 1000


def test_what_was_held_comes_back_with_its_lines():
    damaged = as_records('{"role":"user",', '{"role":"user","content":"x"}', "[", "{}")
    again = [Record(b'{"role":"user","content":"y"}', 9, 0)]
    found = read([*damaged, *again], on_bad="skip")
    assert [record.line for record in found] == [2, 4, 9]


def test_a_document_over_many_lines_is_its_messages():
    texts = ('{"messages": [', '{"role":"user",', '"content":"x"},', '{"role":"user"')
    found = read(as_records(*texts, ',"content":"y"}', "]", "} "))
    assert [record.mapping()["content"] for record in found] == ["x", "y"]


def test_objects_on_lines_of_their_own_after_an_array_are_records():
    found = read(as_records("[]", '{"role":"user","content":"x"}'), on_bad="skip")
    assert [record.line for record in found] == [2]
