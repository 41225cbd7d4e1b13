from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl.compact.extracts import (
    announced,
    explains,
    left_for_later,
    questions,
    sentences,
    worth,
)


def squeezed(text):
    return "".join(text.split())


@given(st.text())
def test_a_sentence_is_a_piece_of_its_text(text):
    for sentence in sentences(text):
        assert squeezed(sentence) in squeezed(text)
        assert sentence == sentence.strip()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("One. Two!  Three?", ["One.", "Two!", "Three?"]),
        ("See v1.2 of a.py. Next", ["See v1.2 of a.py.", "Next"]),
        ("Use e.g. this. Or J. Doe.", ["Use e.g. this.", "Or J. Doe."]),
        ("一。二！三", ["一。", "二！", "三"]),
        ("- a\n* b\n1. c\n- [x] d\n> e", ["a", "b", "c", "d", "e"]),
        ("# Title\ntext", ["text"]),
        ("a\n```\ncode. here\n```\nb", ["a", "b"]),
        ("| a | b |\nc", ["c"]),
        ("**Done.** More", ["**Done.**", "More"]),
        ("two   spaces\tand tab", ["two spaces and tab"]),
        ("", []),
    ],
)
def test_sentences_are_found_outside_of_code_tables_and_headings(text, found):
    assert sentences(text) == found


def test_what_comes_at_once_is_told_from_what_is_left():
    text = (
        "Let me run it. You should rotate the key. Shall I go on? It works. Ready to:"
    )
    assert announced(text) == ["Let me run it.", "You should rotate the key."]
    assert left_for_later(text) == ["You should rotate the key."]
    assert questions(text) == ["Shall I go on?"]


@pytest.mark.parametrize(
    "text",
    [
        "Next steps are open.",
        "接下来运行测试。",
        "Let me know.",
        "Once you push, say so.",
    ],
)
def test_what_is_left_is_known_in_both_languages(text):
    assert left_for_later(text) == [text]


@pytest.mark.parametrize("text", ["Next.js is used here.", "The TODO app runs."])
def test_names_are_no_announcements(text):
    assert announced(text) == []


def test_reasons_are_known_in_both_languages():
    assert explains("It failed because the port was taken.")
    assert explains("问题在于端口被占用。")
    assert not explains("It failed.")


def test_telling_sentences_are_worth_more():
    ranked = [
        "The root cause was that `load()` in src/a.py dropped 3 records, now fixed.",
        "The test passes with the new parser in place, as expected here.",
        "This sentence is long enough but says nothing in particular at all.",
        "**A heading in bold letters, nothing else in it**",
        "Let me look.",
    ]
    values = [worth(sentence) for sentence in ranked]
    assert values == sorted(values, reverse=True)
    assert worth("Done.") < 0 < worth("Fixed the parser so that it keeps all records.")
    assert worth("Here is a list of what was changed and why:") < 1


def test_what_was_asked_for_is_worth_more():
    sentence = "The parser reads one record after the other."
    assert worth(sentence, ("parser", "record")) == worth(sentence) + 3
