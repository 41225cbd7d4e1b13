from __future__ import annotations

from dataclasses import replace

import pytest

from mewctl.compact.sections import HEADINGS
from mewctl.compact.summary import Budgets, Pointers, render
from mewctl.history.facts import Facts, LastCall, Said, Todo, UserWords
from mewctl.providers.protocol import Prose

ROOMY = Budgets(10**9, 10**9, 10**9)


def text_of(facts, *, follows=False):
    pointers = Pointers(str, follows=follows)
    return render(facts, Prose(), ROOMY, "en", len, pointers).text


USER, CALL, SAID = UserWords(3, "Go on"), LastCall(5, "Bash", "make"), Said(7, "Done.")


@pytest.mark.parametrize(
    ("facts", "stop", "next_"),
    [
        (
            Facts(users=(USER,)),
            "The record ends with the user's message 3",
            "The user's message 3 has no answer in this record.",
        ),
        (
            Facts(users=(USER,), last_calls=(CALL,), said=(Said(2, "x"),)),
            "The record ends with a call in message 5",
            "The call in message 5 has no result in this record.",
        ),
        (
            Facts(users=(USER,), last_calls=(replace(CALL, outcome="passed"),)),
            "The record ends with the result of the call in message 5",
            "The record names no next step.",
        ),
        (
            Facts(last_calls=(replace(CALL, excerpt="output"),)),
            "The record ends with the result of the call in message 5",
            "The record names no next step.",
        ),
        (
            Facts(users=(USER,), last_calls=(CALL,), said=(SAID,), last_text="Done."),
            "The record ends with the assistant's words",
            "The record names no next step.",
        ),
    ],
)
def test_where_exactly_it_stopped_is_said(facts, stop, next_):
    text = text_of(facts)
    assert f"{HEADINGS['en'][7]}\n- {stop}" in text
    assert f"\n- {next_}\n" in text


def test_a_record_without_calls_and_words_says_nothing_of_its_end():
    assert "The record ends" not in text_of(Facts(todos=(Todo("x", "open"),)))


def next_of(facts, *, follows=False):
    lines = text_of(facts, follows=follows).split("\n")
    return [line[2:] for line in lines[lines.index(HEADINGS["en"][8]) + 1 :] if line]


BELOW = "The messages below are newer than this summary: where they differ, they count."


@pytest.mark.parametrize(
    ("facts", "stop"),
    [
        (
            Facts(users=(USER,)),
            "This summary stops at the user's message 3; what came of it is in the",
        ),
        (
            Facts(users=(USER,), last_calls=(replace(CALL, outcome="passed"),)),
            "This summary stops at the result of the call in message 5; the newest",
        ),
        (
            Facts(said=(Said(7, "Let me go on."),), last_text="Let me go on."),
            "The record ends with the assistant's words: no call and no message of",
        ),
    ],
)
def test_where_messages_follow_nothing_is_said_to_be_open_that_they_may_answer(
    facts, stop
):
    text = text_of(facts, follows=True)
    assert f"{HEADINGS['en'][7]}\n- {stop}" in text
    assert "follow below, verbatim." in text
    assert next_of(facts, follows=True) == [BELOW]


def test_what_is_announced_at_once_counts_only_at_the_end():
    words = "Let me run the tests. You should rotate the key."
    ended = Facts(said=(Said(7, words),), last_text=words)
    assert next_of(ended) == [
        "Announced by the assistant in message 7: “Let me run the tests.”",
        "Announced by the assistant in message 7: “You should rotate the key.”",
    ]
    acted = replace(ended, last_calls=(LastCall(8, "Bash", "pytest", "passed", "ok"),))
    assert next_of(acted) == [
        "Announced by the assistant in message 7: “You should rotate the key.”"
    ]


def test_what_was_left_before_the_last_turns_is_found():
    said = (
        Said(2, "Ready to push when you are."),
        Said(4, "Let me see."),
        Said(6, "Ok."),
    )
    users = (UserWords(1, "a"), UserWords(3, "b"), UserWords(5, "c"))
    facts = Facts(users=users, said=said, last_text="Ok.")
    assert next_of(facts) == [
        (
            "Announced by the assistant in message 2, before the user's newest message:"
            " “Ready to push when you are.”"
        )
    ]


def test_a_question_of_the_last_words_is_open():
    facts = Facts(said=(Said(7, "Done. Push it?"),), last_text="Done. Push it?")
    assert next_of(facts) == [
        "Asked by the assistant, without an answer in this record: “Push it?”"
    ]


def test_last_words_without_a_number_are_told_without_one():
    text = text_of(Facts(last_text="Let me look.", messages=4))
    assert "\nLast words of the assistant:\n    Let me look.\n" in text
