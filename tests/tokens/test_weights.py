"""The tables: which byte is of which class, what a step costs, how much fits a sum."""

from __future__ import annotations

import pytest

from mewctl.tokens.weights import (
    BYTE_CLASSES,
    DEFAULT_FAMILY,
    FAMILIES,
    KINDS,
    RUN_CHARACTERS,
    weights,
)
from mewctl.tokens.weights_data import (
    BASE64,
    CLASSES,
    MARGIN,
    REFINEMENTS,
    RUNS,
    WEIGHTS,
)

EVERY = [(family, which) for family in FAMILIES for which in ("centre", "cautious")]
ADLER_MODULUS = 65_521


def test_each_family_has_every_number_and_no_other_family_has_any():
    assert set(MARGIN) == set(BASE64) == set(RUNS) == set(WEIGHTS) == set(FAMILIES)
    assert set(REFINEMENTS) <= set(FAMILIES)
    assert DEFAULT_FAMILY in FAMILIES
    for family in FAMILIES:
        assert [len(numbers) for numbers in WEIGHTS[family]] == [len(CLASSES)] * 2
        assert len(RUNS[family]) == len(RUN_CHARACTERS)


def test_each_byte_has_a_class_that_is_priced_and_a_kind_that_is_a_hex_digit():
    priced = {*CLASSES, "backslash", "tab", "lat2 half", ""}
    assert len(BYTE_CLASSES) == len(KINDS) == 256
    assert set(BYTE_CLASSES) <= priced
    assert set(KINDS) == set(b"0123456789")


@pytest.mark.parametrize(
    ("members", "name"),
    [
        ("etaoinsr", "lowE"),
        ("lhdcumfpg", "lowM"),
        ("wybvk", "lowR"),
        ("xjqz", "lowX"),
        ("ABCXYZ", "upper"),
        ("0189", "digit"),
        ("/", "slash"),
        ("\\", "backslash"),
        ("()[]{}<>", "brk"),
        ("\"'`", "quote"),
        (":;,", "colon"),
        ("!#$%&*+=?@^|~\0\x1b\x7f", "oth"),
        (" ", "space"),
        ("\n\r", "nlt"),
        ("\t", "tab"),
        ("\u0080éˋ", "lat2"),
        ("\u0300\u037f", "lat2 half"),
        ("αώ", "greek"),
        ("жӿ", "cyr"),
        ("אԱ", "hebarm"),
        ("عߐ", "arab"),
        ("नไ", "indic"),
        ("ა\u1000", "e1"),
        ("→─“", "sym"),
        ("あー。", "kana"),
        ("一汉鿿", "han"),
        ("가힣", "hangul"),
        ("\ue000ﬁ\ufffd", "ef"),
        ("😀\U00010000\U0010ffff", "four"),
    ],
)
def test_a_character_is_of_the_class_of_its_first_byte_and_the_rest_is_free(
    members, name
):
    for character in members:
        first, *rest = character.encode()
        assert BYTE_CLASSES[first] == name, character
        assert all(BYTE_CLASSES[byte] == "" for byte in rest)


def test_a_byte_that_utf8_cannot_hold_costs_what_its_replacement_costs():
    for byte in (0xC0, 0xC1, 0xF5, 0xFF):
        assert BYTE_CLASSES[byte] == BYTE_CLASSES["\ufffd".encode()[0]]


@pytest.mark.parametrize(("family", "which"), EVERY)
def test_no_block_of_any_bytes_can_exceed_what_an_adler_sum_holds(family, which):
    tables = weights(family, which)
    assert tables.ascii_block * max(tables.unigram[:128]) < ADLER_MODULUS
    assert tables.block * max(tables.unigram) < ADLER_MODULUS
    assert tables.pair_block * max(tables.pairs) < ADLER_MODULUS
    assert min(tables.ascii_block, tables.block, tables.pair_block) >= 256


@pytest.mark.parametrize(("family", "which"), EVERY)
def test_the_tables_hold_the_measured_weights_in_units_finer_than_a_64th(family, which):
    tables = weights(family, which)
    assert tables.scale >= 64
    costs = dict(zip(CLASSES, WEIGHTS[family][which == "cautious"], strict=True))
    backslash, tab, _, _ = REFINEMENTS.get(family, (0, 0, 0, 0))
    costs["backslash"] = max(0, costs["slash"] + backslash)
    costs["tab"] = max(0, costs["nlt"] + tab)
    costs["lat2 half"] = costs["lat2"] / 2
    costs[""] = 0
    for byte, name in enumerate(BYTE_CLASSES):
        kind = KINDS[byte] - ord("0")
        # A lead byte too dear for one table has its rest in the other.
        rest = tables.pairs[kind] if byte >= 128 else 0
        units = tables.unigram[byte] + rest
        assert abs(units / tables.scale - costs[name]) <= 0.5001 / tables.scale


@pytest.mark.parametrize(("family", "which"), EVERY)
def test_a_step_onto_what_begins_nothing_is_free(family, which):
    pairs = weights(family, which).pairs
    other, space = 0, 5
    assert all(pairs[a * 16 + b] == 0 for a in range(16) for b in (other, space))
    assert all(pairs[a * 16 + a] == 0 for a in range(7))


def test_only_cautious_sums_carry_a_margin():
    for family in FAMILIES:
        assert weights(family, "centre").margin == 1.0
        assert weights(family, "cautious").margin == MARGIN[family] > 1.0


def test_tables_are_built_once():
    assert weights("gemini", "centre") is weights("gemini", "centre")


def test_an_unknown_family_is_refused_by_name():
    with pytest.raises(ValueError, match=r"'gpt-9' \(known: openai-o200k"):
        weights("gpt-9", "centre")
