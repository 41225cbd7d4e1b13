from __future__ import annotations

from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl import limits
from mewctl.spill.blocks import Cutter, TooLong


def pieces(data: bytes, short: int, sizes=(1 << 20,), most: int = 1 << 30):
    stream, turns = BytesIO(data), list(sizes)

    def read(_size):
        turns.append(turns.pop(0))
        return stream.read(turns[-1])

    return [
        (kind, block[start:end])
        for kind, block, start, end in Cutter(read, short, most).pieces()
    ]


def test_short_lines_come_in_runs_and_long_ones_alone():
    data = b"a\nbb\n" + b"c" * 5 + b"\nd\n\n" + b"e" * 6 + b"\nrest"
    assert pieces(data, 4) == [
        ("run", b"a\nbb\n"),
        ("long", b"ccccc\n"),
        ("run", b"d\n\n"),
        ("long", b"eeeeee\n"),
        ("pause", b""),
        ("rest", b"rest"),
    ]


@pytest.mark.parametrize(("length", "kind"), [(4, "run"), (5, "long")])
@pytest.mark.parametrize("before", [b"", b"x\n", b"xxxx\n", b"long long\n"])
@pytest.mark.parametrize("after", [b"", b"y\n", b"y" * 9])
def test_a_line_of_exactly_the_limit_is_short(length, kind, before, after):
    line = b"z" * length + b"\n"
    found = [piece for piece in pieces(before + line + after, 4) if b"z" in piece[1]]
    assert [k for k, _ in found] == [kind]


def test_all_that_arrived_is_given_before_the_next_read():
    assert pieces(b"a\nbb\nc\n", 4, [3, 100]) == [
        ("run", b"a\n"),
        ("pause", b""),
        ("run", b"bb\n"),
        ("run", b"c\n"),
        ("pause", b""),
    ]


lines = st.lists(st.binary(max_size=12), max_size=12).map(b"\n".join)
chunks = st.lists(st.integers(1, 30), min_size=1, max_size=4)


@given(data=lines, short=st.integers(0, 8), sizes=chunks)
def test_pieces_are_the_stream_and_of_their_kinds(data, short, sizes):
    found = pieces(data, short, sizes)
    assert b"".join(piece for _, piece in found) == data
    for kind, piece in found:
        if kind == "run":
            assert piece.endswith(b"\n")
            short_ones = piece[:-1].split(b"\n")
            assert all(len(line) <= short or line.isspace() for line in short_ones)
        elif kind == "long":
            assert piece.count(b"\n") == 1
            assert len(piece) - 1 > short
        elif kind == "rest":
            assert b"\n" not in piece


@pytest.mark.parametrize("sizes", [(1 << 20,), (3,)])
@pytest.mark.parametrize("end", [b"\n", b""])
def test_a_line_over_the_guard_is_refused(sizes, end):
    assert pieces(b"x" * 20 + end, 4, sizes, most=21)
    with pytest.raises(TooLong):
        pieces(b"x" * 20 + end, 4, sizes, most=19)


def test_an_endless_line_is_refused_before_it_ends():
    asked = []

    def read(size):
        asked.append(size)
        return b"y" * limits.SPILL_BLOCK

    with pytest.raises(TooLong):
        list(Cutter(read, 10, 5 * limits.SPILL_BLOCK).pieces())
    assert len(asked) == 6


def test_blank_lines_come_together_even_where_every_line_is_long():
    blank = b"\n" * 9 + b" \t\r\n" * 9
    assert pieces(blank + b"x\n" + blank, 0) == [
        ("run", blank),
        ("long", b"x\n"),
        ("run", blank),
        ("pause", b""),
    ]


def test_the_limit_may_change_on_the_way():
    stream = BytesIO(b"aaaa\nbbbb\ncccc\n")
    cutter = Cutter(stream.read, 0)
    kinds = []
    for kind, block, start, end in cutter.pieces():
        kinds.append((kind, block[start:end]))
        cutter.short = 10
    assert kinds == [("long", b"aaaa\n"), ("run", b"bbbb\ncccc\n"), ("pause", b"")]
