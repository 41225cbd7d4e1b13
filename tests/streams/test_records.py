"""Records: whatever the blocks a stream arrives in, the same lines come out."""

from __future__ import annotations

import io
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl.errors import BadInput
from mewctl.streams.jsonvalue import BadJSON
from mewctl.streams.records import (
    BOM,
    Record,
    bad_record,
    place,
    read_records,
)


def records(data: bytes, max_record: int = 1 << 20) -> list[Record]:
    return list(read_records(io.BytesIO(data).read, "in", max_record))


def in_blocks(data: bytes, cuts: list[int]):
    """A read function that gives ``data`` in blocks that end at ``cuts``."""
    edges = sorted({min(cut, len(data)) for cut in cuts} | {0, len(data)})
    blocks = [data[a:b] for a, b in pairwise(edges)]
    return lambda _size: blocks.pop(0) if blocks else b""


lines = st.lists(
    st.sampled_from([
        b'{"a":1}', b"", b"\r", b"  \t", b"{}\r", "漢\u2028\u0085字".encode(),
        b"\xff\x00", b"\x0b", b"x" * 40, BOM,
    ]),
    max_size=12,
).map(b"\n".join)  # fmt: skip


@given(lines, st.lists(st.integers(0, 300), max_size=8), st.booleans())
def test_any_split_into_blocks_gives_the_same_records(data, cuts, bom):
    data = BOM * bom + data
    whole = records(data)
    assert list(read_records(in_blocks(data, cuts), "in")) == whole


@given(lines)
def test_a_record_is_the_bytes_that_stand_at_its_line_and_offset(data):
    for record in records(data):
        line = data.split(b"\n")[record.line - 1]
        assert line.removeprefix(BOM).removesuffix(b"\r") == record.raw or (
            record.line > 1 and line.removesuffix(b"\r") == record.raw
        )
        assert data[record.offset :].startswith(line)
        assert data[: record.offset].count(b"\n") == record.line - 1


@given(lines)
def test_every_line_that_is_not_blank_is_a_record(data):
    text = data.removeprefix(BOM)
    kept = [line.removesuffix(b"\r") for line in text.split(b"\n")]
    assert [r.raw for r in records(data)] == [x for x in kept if x and not x.isspace()]


def test_only_a_line_feed_ends_a_line():
    data = "a\u2028b\u2029c\u0085d\x0be\x0cf\rg".encode()
    assert [r.raw for r in records(data + b"\n1")] == [data, b"1"]


def test_a_record_over_the_limit_is_bad_input_that_names_its_line():
    for data in (b"1\n" + b"x" * 11 + b"\n2\n", b"1\n" + b"x" * 11):
        with pytest.raises(BadInput) as caught:
            records(data, max_record=10)
        assert str(caught.value) == (
            "in:2: a record of more than 10 bytes; raise --max-record if it is real"
        )
    assert [r.raw for r in records(b"x" * 10 + b"\n", max_record=10)] == [b"x" * 10]


def test_a_line_that_never_ends_is_refused_before_it_is_all_read():
    served = 0

    def endless(size: int) -> bytes:
        nonlocal served
        served += size
        return b"x" * size

    with pytest.raises(BadInput):
        list(read_records(endless, "in", max_record=3 << 20))
    assert served <= 5 << 20


def test_complete_records_come_out_before_the_next_read():
    blocks = iter([b"1\n2\n3", b"\n"])
    reads = 0

    def read(_size: int) -> bytes:
        nonlocal reads
        reads += 1
        return next(blocks, b"")

    stream = read_records(read, "in")
    assert (next(stream).raw, next(stream).raw, reads) == (b"1", b"2", 1)


@pytest.mark.parametrize(
    ("raw", "what"),
    [
        (b"[1]", "an array"),
        (b'"x"', "a string"),
        (b"null", "null"),
        (b"true", "true"),
        (b"1.5", "a number"),
    ],
)
def test_a_record_that_is_no_object_says_what_it_is(raw, what):
    with pytest.raises(BadJSON, match=f"not an object but {what}"):
        Record(raw).mapping()


def test_a_record_gives_its_value_and_its_mapping():
    assert Record(b"[1]").value() == [1]
    assert Record(b'{"a":1}').mapping(exact=True) == {"a": 1}


def test_a_place_names_input_line_and_offset():
    assert place("h.jsonl", Record(b"x", 7, 120)) == "h.jsonl:7 (byte 120)"


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"\x1f\x8b\x08\x00", "binary input (gzip?)"),
        (b"PK\x03\x04rest", "binary input (zip?)"),
        (b"SQLite format 3\x00", "binary input (SQLite?)"),
        (b"\x89PNG\r", "binary input (PNG?)"),
        (b"\x28\xb5\x2f\xfd", "binary input (zstd?)"),
        (b"\xff\xfe{\x00", "not UTF-8 (looks like UTF-16)"),
        (b"\xfe\xff\x00{", "not UTF-8 (looks like UTF-16)"),
        (b"{\x00}\x00", "not UTF-8 (looks like UTF-16)"),
        (b"\x00\x00\x00", "3 NUL bytes, likely a power cut"),
        (b'{"a":"' + b"x" * 20 + b"\x00", "the parser's words"),
        (b"hello", "the parser's words"),
    ],
)
def test_an_unreadable_record_says_what_it_looks_like(raw, words):
    error = bad_record("in", Record(raw, 1, 0), "the parser's words")
    assert str(error) == (
        f"in:1 (byte 0): {words}; mend the line, or use --on-bad skip"
    )


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"event: ping", "a streamed answer (server-sent events), not JSON; ask"),
        (b'data: {"a":1}', "a streamed answer (server-sent events), not JSON; ask"),
        (b"HTTP/1.1 200 OK", "the head of an HTTP answer, not JSON; ask for the body"),
        (b"<html>", "HTML or XML, not JSON; check which address was asked"),
    ],
)
def test_what_a_server_sent_instead_of_an_answer_is_named(raw, words):
    assert words in str(bad_record("in", Record(raw, 1, 0), "the parser's words"))
