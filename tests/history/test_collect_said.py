from __future__ import annotations

from mewctl import limits
from mewctl.history.collect_said import Words
from mewctl.history.facts import Said
from mewctl.streams.jsonvalue import utf8_size

REMARK = "Let me look."
NOTE = "The parser drops the last line because of the missing break. " * 4
REASON = "The offset is wrong by one, so the last entry is lost here."


def numbers(words: Words) -> list[int]:
    return [said.n for said in words.facts()]


def test_the_end_of_each_turn_is_kept_and_remarks_are_not() -> None:
    words = Words()
    words.said(REMARK, 1)
    words.said("Done.", 2)
    words.turn()
    words.said(REMARK, 4)
    words.said("All tests pass.", 5)
    assert words.facts() == (Said(2, "Done."), Said(5, "All tests pass."))
    assert words.last_text == "All tests pass."


def test_explanations_and_words_beside_changes_and_failures_are_kept() -> None:
    words = Words()
    words.said(NOTE, 1)
    words.said(REASON + " So.", 2)
    words.changed()
    words.said(REMARK, 3)
    words.changed()
    words.failed()
    words.said(REASON + " Oh.", 4)
    words.said(REASON + " Meh.", 5)
    words.said("end", 6)
    assert numbers(words) == [1, 2, 4, 6]


def test_a_failure_of_an_earlier_turn_makes_nothing_worthy() -> None:
    words = Words()
    words.failed()
    words.turn()
    words.said(REASON + " So.", 1)
    words.said("end", 2)
    assert numbers(words) == [2]
    words.turn()
    words.changed()
    assert numbers(words) == [2]


def test_a_thought_in_front_of_the_text_is_left_out() -> None:
    words = Words()
    words.said("<thinking>hm</thinking>\nIt works.", 1)
    words.turn()
    words.said("<thinking>only a thought", 2)
    words.turn()
    words.said("<thinking>all</thinking>", 3)
    assert [said.text for said in words.facts()] == [
        "It works.",
        "<thinking>only a thought",
        "<thinking>all</thinking>",
    ]


def test_texts_are_bounded_one_by_one() -> None:
    words = Words()
    words.said("Long. " * 5_000, 1)
    words.turn()
    words.said("Long. " * 5_000, 2)
    words.said("Long. " * 5_000, 3)
    assert utf8_size(words.last_text) <= limits.FACT_LAST_TEXT + 40
    sizes = [utf8_size(said.text) for said in words.facts()]
    bounds = (limits.FACT_SAID_FINAL, limits.FACT_SAID, limits.FACT_SAID_FINAL)
    for size, bound in zip(sizes, bounds, strict=True):
        assert bound - 20 < size <= bound + 4


def test_all_texts_together_are_bounded_and_turn_ends_go_last() -> None:
    words = Words([Said(0, NOTE)] * 20, "before")
    for n in range(1, 400):
        words.said(NOTE, n)
        if n % 10 == 0:
            words.turn()
    kept = words.facts()
    assert sum(utf8_size(said.text) for said in kept) <= limits.FACT_SAID_TOTAL
    assert [said.n for said in kept if said.n % 10 == 0 and said.n] == list(
        range(10, 400, 10)
    )
    assert kept[0].n == 10


def test_even_turn_ends_are_dropped_when_there_is_no_other_way() -> None:
    words = Words()
    for n in range(1, 3_000):
        words.said(NOTE, n)
        words.turn()
    kept = words.facts()
    assert sum(utf8_size(said.text) for said in kept) <= limits.FACT_SAID_TOTAL
    assert kept[-1] == Said(2_999, NOTE.strip())
    assert len(kept) > 50
