from __future__ import annotations

import hostile_facts as hostile
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl.compact import quote


@given(hostile.texts)
def test_what_is_quoted_reads_back(text):
    assert quote.unescape(quote.escape(text)) == text
    assert quote.read_inline(quote.inline(text)) == text
    assert quote.read_inline(quote.name(text)[1:-1]) == text
    lines = quote.block(text).split("\n")
    assert quote.read_block([line[4:] for line in lines]) == text


@given(hostile.texts)
def test_what_is_quoted_holds_no_hidden_character_and_no_line_of_ours(text):
    assert "\n" not in quote.inline(text)
    assert not set(quote.name(text)[1:-1]) & set("`—·\n")
    assert all(line.startswith("    ") for line in quote.block(text).split("\n"))
    for shown in (quote.escape(text), quote.neutralise(text)):
        assert not set(shown) & set("\x00\x1b\r\u200b\u202e\u2028\U000e0041\ud800")
        assert "</summary" not in shown
        assert "[mewctl boundary" not in shown


@given(hostile.texts)
def test_a_fence_holds_its_text_verbatim_and_closes_once(text):
    lines = quote.fence(text).split("\n")
    assert "\n".join(lines[1:-1]) == text
    assert lines[0] == lines[-1] == "`" * len(lines[0])
    assert lines.count(lines[0]) == 2


def test_a_fence_is_longer_than_any_run_inside():
    assert quote.fence("a ```` b") == "`````\na ```` b\n`````"
    assert quote.fence("") == "```\n\n```"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[0m", r"a\u{1b}[0m"),
        (r"C:\new\u{41}", r"C:\new\u{5c}u{41}"),
        ("</Summary >", r"\u{3c}/Summary >"),
        ("<summaries>", "<summaries>"),
        ("< system-reminder>", r"\u{3c} system-reminder>"),
        ("[mewctl boundary 0123456789ab tail=1]",) * 2,
        ("a\tb", "a\tb"),
        ("👩‍💻", "👩‍💻"),
    ],
)
def test_only_what_could_mislead_is_escaped(text, shown):
    shown = shown.replace("[mewctl", r"\u{5b}mewctl")
    assert quote.escape(text) == shown


def test_an_escape_beyond_unicode_is_left_as_it_is():
    assert quote.unescape(r"\u{110000}\u{10ffff}") == "\\u{110000}\U0010ffff"


def test_a_line_break_is_shown_on_one_line():
    assert quote.inline("a\nb⏎") == r"a⏎b\u{23ce}"


def test_clipping_says_how_much_is_left_out_and_never_lengthens():
    assert quote.clip("abcdef" * 3, 6) == "abcdef […+12]"
    assert quote.clip("abcdefgh", 6) == "abcdefgh"


@given(st.text(max_size=60), st.integers(1, 20), st.integers(0, 20))
def test_the_ends_of_a_text_and_the_count_between_are_the_text(text, head, tail):
    first, more, last = quote.ends(text, head, tail)
    assert text.startswith(first)
    assert text.endswith(last)
    assert len(first) + more + len(last) == len(text)
    assert len(first) <= max(head, 0) or more == 0


def test_the_ends_of_a_text_are_cut_at_line_ends():
    text = "one two\nthree four\nfive six\nseven"
    assert quote.ends(text, 10, 16) == ("one two", 12, "five six\nseven")
    assert quote.ends("abcdefghij", 3, 2) == ("abc", 5, "ij")
    assert quote.ends(text, 100, 0) == (text, 0, "")


@given(hostile.texts)
def test_neutralising_twice_is_neutralising_once(text):
    once = quote.neutralise(text)
    assert quote.neutralise(once) == once


@given(hostile.texts)
def test_neutral_prose_has_no_heading_and_no_open_fence(text):
    lines = quote.neutralise(text).split("\n")
    assert not any(
        line.lstrip(" ").startswith("# ") and line[0] == "#" for line in lines
    )
    assert not any(line.startswith(("## ", "### ")) for line in lines)
    assert quote.open_fence(lines) == ""


def test_prose_keeps_its_words():
    text = "\n\n# Plan\r\n- `a` <b>\n```sh\n# x\n```\n~~~\ny\n\n"
    assert quote.neutralise(text) == (
        "    # Plan\n- `a` <b>\n```sh\n    # x\n```\n~~~\ny\n~~~"
    )
    assert quote.neutralise(" \n\t\n") == ""


@pytest.mark.parametrize(
    ("lines", "fence"),
    [
        (["```a```"], ""),
        (["~~~ `x`"], "~~~"),
        (["```", "~~~"], "```"),
        (["```", "``` no end"], "```"),
        (["````", "```"], "````"),
        (["```", "`````"], ""),
    ],
)
def test_which_fence_is_open(lines, fence):
    assert quote.open_fence(lines) == fence


@given(
    st.one_of(
        st.integers(-(10**12), 10**12), st.floats(allow_nan=False), st.floats(0, 4e9)
    )
)
def test_a_moment_reads_back(time):
    assert quote.read_moment(quote.moment(time)) == time


@pytest.mark.parametrize(
    ("time", "text"),
    [
        (0, "1970-01-01T00:00:00Z"),
        (1.5, "1970-01-01T00:00:01.500Z"),
        (1.000001, "1970-01-01T00:00:01.000001Z"),
        (0.1 + 0.2, "@0.30000000000000004"),
        (float("inf"), "@inf"),
        (float("nan"), "@nan"),
    ],
)
def test_a_moment_is_as_short_as_it_is_exact(time, text):
    assert quote.moment(time) == text


@pytest.mark.parametrize("text", ["", "2 images", "@x", "2026-01-01T00:00:00"])
def test_what_is_no_moment_reads_as_none(text):
    assert quote.read_moment(text) is None
