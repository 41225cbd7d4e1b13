"""What asks for a memory, and which sentences become notes by rule."""

from __future__ import annotations

import pytest

from mewctl.history.view import Call, Message, Result, Text
from mewctl.memory.evidence import Said, learnable, said
from mewctl.memory.index import BEGIN, END
from mewctl.memory.remembering import proposals
from mewctl.memory.signals import finished_turns, newest_turns, signalled


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Please remember this.", "remember"),
        ("REMEMBER: tabs", "remember"),
        ("a memo for later", "memo"),
        ("don’t forget the tests", "don't forget"),
        ("记住这个", "记住"),
        ("你别忘了", "别忘"),
        ("写进记忆里", "记忆"),
        ("", ""),
        ("in memory of a memorandum", ""),
        ("I remembered it", ""),
        ("do you remember the host?", ""),
        ("I can't remember the host", ""),
        ("as far as I remember it was db-7", ""),
        ("`remember` is a function", ""),
        ("```\nremember\n```", ""),
        ("> remember this", ""),
        ('it says "remember me" there', ""),
        ("see docs/remember/memo.txt", ""),
    ],
)
def test_a_signal_is_a_request_in_ones_own_words(text, word):
    assert signalled(text) == word


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("I prefer tabs. It is late.", ["user_preference"]),
        ("I'd rather use uv", ["user_preference"]),
        ("我更喜欢用空格。", ["user_preference"]),
        ("Always run the tests. Never push to main!", ["correction_feedback"] * 2),
        ("Please, always run `make test`.", ["correction_feedback"]),
        ("From now on use uv.", ["correction_feedback"]),
        ("以后都用中文回答。从现在起别改这个文件", ["correction_feedback"] * 2),
        ("Remember that file.py v1.2 is old.", ["project_knowledge"]),
        ("记住：数据库在 db-7。", ["project_knowledge"]),
        ("It always fails. He never came. You never know.", []),
        ("Do you prefer tabs? Why always me?", []),
        ("If I prefer tabs, what changes", []),
        ('The rule says "never push" somewhere', []),
        ("run it again", []),
        ("always " + "x" * 500, []),
    ],
)
def test_a_sentence_becomes_a_note_by_its_kind(text, kinds):
    made = list(proposals([text]))
    assert [action.type for action in made] == kinds
    for action in made:
        assert action.evidence in text
        assert action.content == action.evidence
        assert action.source == "user"


def test_a_sentence_said_twice_is_one_note_with_a_short_title():
    (action,) = proposals(
        ["Remember that the host is db-7.", "Remember that the host is db-7."]
    )
    assert action.title == "The host is db-7"


def user(text):
    return Message("user", (Text(text),))


def answer(text="done", *calls):
    return Message("assistant", (Text(text), *calls))


CALL = Call("1", "sh", {})
RESULT = Message("user", (Result("1", (Text("out of a tool"),)),))


@pytest.mark.parametrize(
    ("messages", "count"),
    [
        ([], 0),
        ([user("a")], 0),
        ([user("a"), answer()], 1),
        ([user("a"), answer("x", CALL), RESULT], 0),
        ([user("a"), answer("x", CALL), RESULT, answer()], 1),
        ([user("a"), answer(), answer()], 1),
        ([answer()], 0),
        ([user("a"), answer(), user("b"), answer(), user("c")], 2),
    ],
)
def test_a_turn_is_finished_by_an_answer_without_calls(messages, count):
    assert finished_turns(messages) == count


def test_the_newest_turns_begin_with_the_users_words():
    messages = [user("a"), answer(), user("b"), answer("x", CALL), RESULT, answer()]
    assert newest_turns(messages, 1) == messages[2:]
    assert newest_turns(messages, 9) == messages


def test_whose_word_a_quotation_is():
    texts = said([user("I  said\nthis"), answer("I think so", CALL), RESULT])
    assert texts.source("said this") == "user"
    assert texts.source("out of a tool") == "tool"
    assert texts.source("think so") == "model"
    assert texts.source("never said") is None
    assert Said().source("x") is None


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a <memory>b</memory> c", "a  c"),
        ("a <memory> never closed", "a <memory> never closed"),
        (f"a\n{BEGIN}\n- x\n{END}\nb", "a\n\nb"),
        (f"a\n{BEGIN}\nall the rest", "a\n"),
        ("- [user_preference] [T](.mewcode/memory/t.md) — x\nb", "b"),
        ("- [x] [T](other.md)\n", "- [x] [T](other.md)\n"),
        ("<memory>" * 50_000, "<memory>" * 50_000),
    ],
    ids=range(7),
)
def test_recalled_notes_are_nobodys_word(text, left):
    assert learnable(text) == left
