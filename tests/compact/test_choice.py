from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl.compact.choice import Costs, fill_facts, fill_prose, pieces, share_out
from mewctl.compact.piece import Item, Piece


def piece(rank, *forms, share=1.0):
    return Piece((rank, 0), forms, "calls", share)


def costs(items, groups=None, prose=None):
    forms = {form for _, piece in pieces(items) for form in piece.forms}
    return Costs([], {form: len(form) for form in forms}, groups or {}, prose or {}, 2)


def filled(items, room, **more):
    return fill_facts(items, room, costs(items, **more))


@pytest.mark.parametrize(
    ("wants", "shares", "room", "given_"),
    [
        ((100, 100, 100), (2, 1, 1), 40, [20, 10, 10]),
        ((5, 100, 100), (2, 1, 1), 40, [5, 25, 10]),
        ((100, 5, 3), (2, 1, 1), 40, [32, 5, 3]),
        ((1, 2, 3), (2, 1, 1), 40, [1, 2, 3]),
        ((1, 2, 3), (0, 0, 0), 4, [1, 2, 1]),
    ],
)
def test_what_one_share_does_not_use_passes_on_in_order(wants, shares, room, given_):
    assert share_out(wants, shares, room) == pytest.approx(given_)


_SIZES = st.lists(st.floats(0, 1000), min_size=3, max_size=3)


@given(_SIZES, _SIZES, st.floats(0, 1000))
def test_no_more_is_given_than_there_is_or_than_is_wanted(wants, shares, room):
    given_ = share_out(wants, shares, room)
    assert sum(given_) <= room + 1e-6
    assert all(g <= w + 1e-6 for g, w in zip(given_, wants, strict=True))
    assert sum(given_) >= min(room, sum(wants)) - 1e-6


def test_pieces_go_in_by_rank_and_smaller_ones_pass_a_large_one():
    items = [Item(3, "", piece(2, "bb")), Item(3, "", piece(1, "a" * 9))]
    assert filled(items, 11) == {(1, -1): "a" * 9, (0, -1): "bb"}
    assert filled(items, 9) == {(1, -1): "a" * 9}
    assert filled(items, 8) == {(0, -1): "bb"}


def test_a_detail_needs_its_head():
    item = Item(3, "", piece(2, "head"), (piece(1, "x"), piece(3, "yy")))
    assert filled([item], 6) == {(0, -1): "head", (0, 1): "yy"}
    assert filled([item], 3) == {}


def test_an_item_needs_the_one_it_refers_to():
    items = [Item(4, "", piece(1, "long")), Item(5, "", piece(2, "x"), needs=0)]
    assert filled(items, 3) == {}
    assert filled(items, 5) == {(0, -1): "long", (1, -1): "x"}


def test_the_heading_of_a_group_is_paid_once():
    items = [Item(3, "g", piece(1, "aa")), Item(3, "g", piece(2, "bb"))]
    assert filled(items, 6, groups={"g": 3}) == {(0, -1): "aa"}
    assert len(filled(items, 7, groups={"g": 3})) == 2
    assert filled(items, 4, groups={"g": 3}) == {}


def test_the_longest_form_within_its_share_and_half_the_room_is_taken():
    item = Item(3, "", piece(1, "a" * 8, "b" * 4, "c"))
    assert filled([item], 16)[0, -1] == "a" * 8
    assert filled([item], 15)[0, -1] == "b" * 4
    assert filled([item], 1)[0, -1] == "c"
    modest = Item(3, "", piece(1, "a" * 8, "b" * 4, "c", share=0.05))
    assert filled([modest], 100)[0, -1] == "b" * 4


def test_prose_pays_for_its_label_and_returns_what_is_left():
    prose = {(1, 0): "aaa", (2, 0): "b", (1, 1): "c"}
    sizes = costs([], prose={key: len(text) for key, text in prose.items()})
    assert fill_prose(prose, 20, sizes) == (prose, 11)
    assert fill_prose(prose, 6, sizes) == ({(1, 0): "aaa", (1, 1): "c"}, 0)
    assert fill_prose(prose, 4, sizes) == ({(2, 0): "b"}, 1)
