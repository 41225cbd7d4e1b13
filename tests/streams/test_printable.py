"""The sanitiser: nothing that could steer a terminal gets through."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl.streams.printable import cell, counted, printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("a\tb", "a\tb"),
        ("two\nlines\r\n", "two\\nlines\\r\\n"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x9b31m", "\\x9b31m"),
        ("bell\x07\x7f", "bell\\x07\\x7f"),
        ("left\u202eright", "left\\u{202e}right"),
        ("zero\u200bwidth\u2066x\u2069", "zero\\u{200b}width\\u{2066}x\\u{2069}"),
        ("tag\U000e0041", "tag\\u{e0041}"),
        ("lone \ud83d", "lone \\u{d83d}"),
        ("\ufeffbom", "\\u{feff}bom"),
        ("漢字 héé 😀", "漢字 héé 😀"),
    ],
)
def test_what_steers_a_terminal_is_shown_as_an_escape(text, shown):
    assert printable(text) == shown


@given(st.text(st.characters()))
def test_nothing_hidden_survives_and_the_text_stays_one_line(text):
    shown = printable(text)
    hidden = {c for c in shown if unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"}}
    assert hidden <= {"\t"}
    assert len(shown.splitlines()) <= 1


@given(st.text(st.characters()))
def test_text_that_is_shown_once_is_shown_the_same_again(text):
    assert printable(printable(text)) == printable(text)


@given(st.text(), st.integers(0, 30))
def test_a_cell_is_never_wider_than_asked(text, width):
    assert len(cell(text, width)) <= max(width, 1)


def test_a_cell_that_was_cut_says_so():
    assert cell("abcdef", 4) == "abc…"
    assert cell("abcd", 4) == "abcd"


@pytest.mark.parametrize(
    ("number", "plural", "text"),
    [
        (0, "", "0 lines"),
        (1, "", "1 line"),
        (2, "", "2 lines"),
        (1, "rows", "1 line"),
        (1000, "rows", "1000 rows"),
    ],
)
def test_a_noun_follows_its_number(number, plural, text):
    assert counted(number, "line", plural) == text
