"""The fast sums are exact: equal to a loop over bytes, whatever the bytes."""

from __future__ import annotations

import base64
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl import limits
from mewctl.tokens import summing
from mewctl.tokens.summing import base64_spans, price
from mewctl.tokens.weights import (
    FAMILIES,
    KINDS,
    RUN_CHARACTERS,
    RUN_LENGTH,
    weights,
)
from mewctl.tokens.weights_data import CLASSES, REFINEMENTS, WEIGHTS

BOTH = [weights("claude-4.7-and-later", w) for w in ("centre", "cautious")]
LAT2 = weights("claude-3-to-4.6", "cautious")  # lead bytes dearer than a table's byte
SETS = [*BOTH, LAT2]
BASE64_RUN = re.compile(rb"[A-Za-z0-9+/=_-]{%d,}" % limits.BASE64_RUN)


def naive(raw: bytes, tables) -> float:
    """The same price, one byte at a time."""
    base64_size = 0
    pieces, done = [], 0
    for found in BASE64_RUN.finditer(raw):
        run = found[0]
        upper = sum(65 <= byte <= 90 for byte in run)
        lower = sum(97 <= byte <= 122 for byte in run)
        digit = sum(48 <= byte <= 57 for byte in run)
        if min(upper / 26, lower / 26, digit / 10) * 3 >= len(run) / 64:
            base64_size += len(run)
            pieces.append(raw[done : found.start()])
            done = found.end()
    pieces.append(raw[done:])
    taken = [0] * len(RUN_CHARACTERS)
    plain = b""
    for piece in pieces:
        for i, character in enumerate(RUN_CHARACTERS):
            pattern = re.compile(re.escape(character * RUN_LENGTH))
            taken[i] += len(pattern.findall(piece))
            piece = pattern.sub(b"", piece)  # noqa: PLW2901 - one character after another
        plain += piece
    units = sum(tables.unigram[byte] for byte in plain)
    before = 0
    for byte in plain:
        kind = KINDS[byte] - ord("0")
        units += tables.pairs[before * 16 + kind]
        before = kind
    tokens = units / tables.scale + base64_size * tables.base64
    tokens += sum(n * cost for n, cost in zip(taken, tables.runs, strict=True))
    return tokens * tables.margin


def random_base64(size: int, seed: int = 1) -> bytes:
    return base64.b64encode(random.Random(seed).randbytes(size))[:size]


texts = st.text(st.characters()) | st.text("aA1 _\t\n/\\=─é😀漢", max_size=300)
pieces = st.lists(
    st.binary(max_size=40)
    | texts.map(lambda text: text.encode("utf-8", "surrogatepass"))
    | st.builds(
        lambda character, n: character * n,
        st.sampled_from([*RUN_CHARACTERS, b"x", b"A", b"\t", "é".encode()]),
        st.integers(1, 150),
    )
    | st.builds(random_base64, st.integers(900, 2300), st.integers(0, 9)),
    max_size=6,
).map(b"".join)


@given(pieces)
def test_the_price_is_that_of_a_loop_over_the_bytes(raw):
    assert price(raw, SETS) == pytest.approx([naive(raw, tables) for tables in SETS])


@given(texts)
def test_text_costs_what_its_bytes_cost_even_with_lone_surrogates(text):
    assert price(text, SETS) == price(text.encode("utf-8", "surrogatepass"), SETS)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("character", ["x", "é", "😀", "~1", "aA", " 1", "\t.", "漢"])
def test_long_texts_of_the_dearest_characters_do_not_wrap(family, character):
    raw = (character * 50_000).encode()
    for which in ("centre", "cautious"):
        tables = weights(family, which)
        assert price(raw, [tables]) == pytest.approx([naive(raw, tables)])


@given(st.text("aA1 .\té漢", max_size=60), st.integers(1, 9))
def test_it_does_not_matter_where_a_text_is_cut_into_slices(text, size):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(summing, "_SLICE", size)
        cut = price(text, SETS)
    assert cut == price(text, SETS)


def test_each_step_costs_what_was_measured():
    family = "openai-o200k"
    cost = dict(zip(CLASSES, WEIGHTS[family][0], strict=True))
    backslash, tab, tabs, number = REFINEMENTS[family]
    tables = weights(family, "centre")

    def check(text: str, *names: str, extra: float = 0.0) -> None:
        wanted = sum(cost[name] for name in names) + extra
        slack = len(text.encode()) * 1.1 / tables.scale
        assert price(text, [tables])[0] == pytest.approx(wanted, abs=slack), text

    check("e", "words", "lowE")
    check("ex", "words", "lowE", "lowX")
    check("E", "words", "upruns", "upper")
    check("EE", "words", "upruns", "upper", "upper")
    check("eE", "words", "lowE", "camel", "upruns", "upper")
    check("Ee", "words", "upruns", "upper", "lowE")
    check("1", "digruns", "digit")
    check("e1", "words", "lowE", "ld", "digruns", "digit")
    check("1e", "digruns", "digit", "ld", "words", "lowE")
    check("1E", "digruns", "digit", "ld", "words", "upruns", "upper")
    check("._", "punruns", "dot", "under")
    check(". .", "punruns", "dot", "space", "punruns", "dot")
    check("e.e", "words", "lowE", "punruns", "dot", "words", "lowE")
    check(" 1", "space", "digruns", "digit", extra=number)
    check("\n1", "nlt", "digruns", "digit")
    check("/", "punruns", "slash")
    check("\\", "punruns", "slash", extra=backslash)
    check("\t\t\t", extra=tabs + 3 * max(0.0, cost["nlt"] + tab))
    check("é", "lat2")
    check("漢字", "han", "han")
    check("漢e", "han", "words", "lowE")


# --- runs of one character ---


@pytest.mark.parametrize("character", [" ", "=", "-", "#", "─"])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_long_run_of_one_character_costs_what_was_measured(character, family):
    tables = weights(family, "centre")
    cost = dict(zip((" ", "=", "-", "#", "─"), tables.runs, strict=True))[character]
    assert price(character * 32 * 100, [tables]) == pytest.approx([cost * 100])


def test_runs_are_counted_in_every_slice():
    raw = (b"=" * RUN_LENGTH + b"-" * RUN_LENGTH + b"e" * RUN_LENGTH) * 3
    whole = price(raw, SETS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(summing, "_SLICE", 3 * RUN_LENGTH)
        assert price(raw, SETS) == pytest.approx(whole)


def test_a_short_run_is_priced_by_the_tables():
    short = price("=" * 31, BOTH)[0]
    assert short > price("=" * 30, BOTH)[0] > price("=" * 32, BOTH)[0]


# --- base64 ---


def test_long_base64_costs_about_a_token_a_character():
    data = random_base64(40_000)
    text = b"see data:image/png;base64," + data + b" for more"
    rest = price(b"see data:image/png;base64, for more", BOTH)
    centre, cautious = price(text, BOTH)
    assert centre == pytest.approx(rest[0] + len(data) * 0.948, rel=0.001)
    assert cautious == pytest.approx(rest[1] + len(data) * 1.0 * 1.05, rel=0.001)


@pytest.mark.parametrize("before", [0, 1, 511, 512, 513, 1000, 1024])
@pytest.mark.parametrize("size", [1024, 1025, 1535, 1536, 1537, 5000])
@pytest.mark.parametrize("after", ["", " ", ".", " and more words" * 100])
def test_base64_is_found_whole_wherever_it_begins(before, size, after):
    raw = b". " * (before // 2) + b"." * (before % 2)
    raw += random_base64(size) + after.encode()
    assert base64_spans(raw) == [(before, before + size)]


def test_two_runs_with_one_character_between_them_are_both_found():
    one, two = random_base64(1100), random_base64(2100)
    assert base64_spans(one + b"," + two) == [(0, 1100), (1101, 3201)]


@pytest.mark.parametrize(
    "text",
    [
        "A" * 5000,
        "0123456789abcdef" * 300,
        "/usr/share/some/long/path/Name1" * 100,
        "-" * 5000,
        "camelCaseNamesWithoutAnyDigits" * 100,
        "SomeNamesOfMoreWordsAndFewDigits5" * 100,
        random_base64(1023).decode(),
        " ".join([random_base64(76).decode()] * 50),
        "\n".join([random_base64(76).decode()] * 50),
        "漢" * 3000,
        "",
    ],
)
def test_what_only_looks_like_base64_is_priced_as_text(text):
    assert base64_spans(text.encode()) == []


def test_looking_for_base64_is_linear_on_what_defeats_it():
    seen: list[int] = []

    class Counting(bytes):
        def __getitem__(self, key):
            part = super().__getitem__(key)
            seen.append(len(part))
            return part

    almost = (random_base64(1023) + b".") * 1000
    assert base64_spans(Counting(almost)) == []
    assert sum(seen) < 8 * len(almost)
