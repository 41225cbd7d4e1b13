from __future__ import annotations

import pytest

from mewctl import limits
from mewctl.memory.search_fusion import ARMS, Lending, arms, first, fused, rarity
from mewctl.memory.search_words import Question


class Made:
    """A store whose answers are written down."""

    def __init__(self, count, words=(), marks=(), phrases=(), beside=()):
        self.count = count
        self._words, self._marks = dict(words), dict(marks)
        self._phrases, self._beside = dict(phrases), beside

    def word(self, term):
        return self._words.get(term, {})

    def mark(self, column, term):
        return self._marks.get((column, term), {})

    def phrase(self, text):
        return self._phrases.get(text, [])

    def beside(self, keys):
        return [row for row in self._beside if row[0] in set(keys)]


def ask(words=(), names=(), dates=(), phrases=()):
    return Question(tuple(words), tuple(names), tuple(dates), tuple(phrases))


def test_a_rare_term_is_worth_more_and_every_term_something():
    assert rarity(1, 100) > rarity(50, 100) > rarity(100, 100) > 0


def test_a_word_counts_once_by_the_best_of_its_stems():
    store = Made(10, {"a": {1: 1.0}, "b": {1: 0.5, 2: 0.5}})
    (found,) = arms(ask([("a", "b")]), [store], ["words"]).values()
    assert found == {(0, 1): rarity(1, 10), (0, 2): 0.5 * rarity(2, 10)}


def test_words_are_added():
    store = Made(10, {"a": {1: 1.0}, "b": {1: 0.5}})
    found = arms(ask([("a",), ("b",)]), [store], ["words"])["words"]
    assert found == {(0, 1): pytest.approx(1.5 * rarity(1, 10))}


def test_rarity_is_counted_over_all_stores():
    one = Made(99, {"a": {1: 1.0}})
    other = Made(1, {"a": {1: 1.0}})
    found = arms(ask([("a",)]), [one, other], ["words"])["words"]
    assert found == {(0, 1): rarity(2, 100), (1, 1): rarity(2, 100)}


def test_each_arm_can_be_asked_alone():
    store = Made(
        10,
        {"w": {1: 1.0}},
        {("names", "n"): {2: 1.0}, ("dates", "d"): {3: 1.0}},
        {"p": [4]},
    )
    asked = ask([("w",)], ["n"], ["d"], ["p"])
    every = arms(asked, [store])
    assert set(every) == set(ARMS) - {"neighbours"}
    for number, arm in enumerate(("words", "names", "dates", "phrase"), 1):
        assert arms(asked, [store], [arm]) == {arm: {(0, number): rarity(1, 10)}}
        assert every[arm] == {(0, number): rarity(1, 10)}
    assert arms(asked, [store], ["neighbours"]) == {}


def test_scores_are_weighted_and_added():
    found = {"words": {(0, 1): 2.0}, "dates": {(0, 1): 1.0, (0, 2): 1.0}}
    scores, lent = fused(found, [Made(2)], None)
    half = limits.SEARCH_DATES
    assert scores == {(0, 1): 2.0 + half, (0, 2): half}
    assert lent == {}


def test_a_note_gets_a_part_of_what_stands_before_and_after_it():
    beside = [(1, None, 2), (2, 1, 3), (3, 2, None)]
    found = {"words": {(0, 2): 1.0}}
    scores, lent = fused(found, [Made(3, beside=beside)], Lending(0.3, 0.1))
    assert scores == {(0, 1): 0.1, (0, 2): 1.0, (0, 3): 0.3}
    assert lent == {(0, 1): 0.1, (0, 3): 0.3}


def test_what_was_lent_is_not_lent_on():
    beside = [(1, None, 2), (2, 1, 3), (3, 2, None)]
    scores, _ = fused({"words": {(0, 1): 1.0}}, [Made(3, beside=beside)], Lending())
    assert (0, 3) not in scores


def test_neighbours_are_those_of_the_same_store():
    stores = [Made(1), Made(2, beside=[(1, None, 2)])]
    scores, _ = fused({"words": {(0, 1): 1.0}}, stores, Lending())
    assert scores == {(0, 1): 1.0}


def test_the_first_are_the_best_and_their_equals():
    scores = {(0, 1): 3.0, (0, 2): 2.0, (0, 3): 2.0, (0, 4): 1.0}
    assert set(first(scores, 2)) == {(0, 1), (0, 2), (0, 3)}
    assert first(scores, 4) == scores
