from __future__ import annotations

import tracemalloc
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl.streams.held import Held
from mewctl.streams.records import Record, read_records


def held(data: bytes) -> tuple[list[Record], Held]:
    records = list(read_records(BytesIO(data).read, "in"))
    made = Held()
    for record in records:
        made.add(record)
    return records, made


@given(
    st.lists(st.sampled_from([b"", b" ", b"a", b"bcd", b"\r", b"{"])),
    st.lists(st.sampled_from([b"\n", b"\r\n"]), min_size=1, max_size=3),
)
def test_records_come_out_as_they_went_in(texts, ends):
    data = b"".join(t + ends[n % len(ends)] for n, t in enumerate(texts))
    records, made = held(data)
    assert list(made.records()) == records
    assert made.text() == b"\n".join(record.raw for record in records)


@pytest.mark.parametrize(
    ("data", "whole"),
    [(b"[\n1\n]", True), (b"{\n}  ", True), (b"[\n{}", False), (b"[\n1,", False)],
)
def test_a_value_ends_as_it_begins(data, whole):
    assert held(data)[1].may_be_whole() is whole


@pytest.mark.parametrize(
    ("data", "after", "parts"),
    [
        (b"[\n{}", b" {", True),
        (b"[\n[] ", b"{", True),
        (b"[\n{},", b"{", False),
        (b"[\n{}", b"]", False),
        (b"[\n{", b"{", False),
    ],
)
def test_between_two_objects_of_one_value_stands_a_comma(data, after, parts):
    assert held(data)[1].parts_from(Record(after)) is parts


def test_many_short_lines_cost_little_more_than_their_bytes():
    tracemalloc.start()
    made = Held()
    for n in range(100_000):
        made.add(Record(b"[", n, 2 * n))
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size < 400_000
    assert made.size == 200_000
