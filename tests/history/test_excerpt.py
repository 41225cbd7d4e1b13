from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl.history import excerpt
from mewctl.streams.jsonvalue import utf8_size

TEXTS = st.text(alphabet=st.sampled_from("ab .\n。é漢🎉"), max_size=60)
SIZES = st.integers(1, 40)


@given(TEXTS, SIZES)
def test_head_and_tail_are_the_longest_pieces_that_fit(text: str, size: int) -> None:
    head, tail = excerpt.head(text, size), excerpt.tail(text, size)
    assert text.startswith(head)
    assert text.endswith(tail)
    assert size - 4 < utf8_size(head) <= size or head == text
    assert size - 4 < utf8_size(tail) <= size or tail == text


@given(TEXTS, SIZES)
def test_what_fits_stays_as_it_is(text: str, size: int) -> None:
    assert excerpt.fits(text, size) is (utf8_size(text) <= size)
    if utf8_size(text) <= size:
        assert excerpt.clip(text, size) == text
        assert excerpt.lines(text, size) == text
        assert excerpt.sentences(text, size) == text.strip()


@given(TEXTS, SIZES)
def test_a_cut_is_marked_and_bounded(text: str, size: int) -> None:
    if utf8_size(text) > size:
        assert excerpt.clip(text, size).endswith("…")
        assert "…" in excerpt.lines(text, size)
    for cut in (excerpt.clip, excerpt.sentences, excerpt.line):
        assert utf8_size(cut(text, size)) <= size + len(" …".encode())


@pytest.mark.parametrize(
    ("text", "size", "cut"),
    [
        ("One. Two. Three.", 10, "One. Two. …"),
        ("一二三。四五六。七八九。", 24, "一二三。四五六。 …"),
        ("words without any end at all", 16, "words without …"),
        ("unbroken" * 4, 10, "unbrokenun …"),
        ("A. " + "b" * 30, 20, "A. …"),
        ("first line\nsecond line goes on", 16, "first line …"),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(
    text: str, size: int, cut: str
) -> None:
    assert excerpt.sentences(text, size) == cut


def test_line_puts_a_text_on_one_line() -> None:
    assert excerpt.line("  a\n\n b\tc  ", 20) == "a b c"
    assert excerpt.line("a" * 100, 5) == "aaaaa …"


@pytest.mark.parametrize(
    ("text", "size", "cut"),
    [
        ("a\nb\nc\nd\n", 4, "a\nb\n… (+2 lines)"),
        ("a\nb\nc", 4, "a\nb\n… (+1 lines)"),
        ("long first line\nb", 4, "long …\n… (+1 lines)"),
        ("long line", 4, "long …"),
        ("aaaa\n", 4, "aaaa …"),
    ],
)
def test_lines_say_how_many_follow(text: str, size: int, cut: str) -> None:
    assert excerpt.lines(text, size) == cut


@pytest.mark.parametrize(
    ("text", "size", "cut"),
    [
        ("a\nb\n\n", 9, "a\nb"),
        ("aaa\nbbb\nccc", 8, "…\nbbb\nccc"),
        ("x" * 10, 4, "…xxxx"),
        ("y\n" * 50, 4, "…\ny\ny"),
    ],
)
def test_last_lines_end_the_text(text: str, size: int, cut: str) -> None:
    assert excerpt.last_lines(text, size) == cut
