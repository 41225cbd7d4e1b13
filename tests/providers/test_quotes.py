from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mewctl.history.facts import Facts, Said, UserWords
from mewctl.providers.quotes import Picker, Quote, gather, quoted_before


def spell(quote):
    return quote.text


def test_a_sentence_said_twice_is_kept_where_it_is_newest():
    facts = Facts(said=(Said(2, "Same here. Other."), Said(4, "Same here.")))
    assert [(q.n, q.text) for q in gather(facts, ())] == [
        (2, "Other."),
        (4, "Same here."),
    ]


def test_the_newer_and_the_end_of_a_turn_rank_higher():
    text = "The parser drops the last record of a file{}."
    said = tuple(Said(n, text.format(f" in case {n}")) for n in (2, 4, 6, 8))
    facts = Facts(users=(UserWords(1, "a"), UserWords(5, "b")), said=said)
    ranks = {quote.n: quote.rank - quote.worth for quote in gather(facts, ())}
    assert ranks[2] < ranks[6] < ranks[4] < ranks[8]


def test_the_fullest_account_of_a_turn_s_end_is_marked():
    full = "Fixed the parser in src/a.py. The cause was that `load` dropped 3 records."
    said = (Said(2, full), Said(4, "It is what it is, and nothing more was seen."))
    facts = Facts(users=(UserWords(1, "a"), UserWords(3, "b")), said=said)
    assert {q.n for q in gather(facts, ()) if q.account} == {2}
    assert not any(q.account for q in gather(Facts(said=said[1:]), ()))
    assert gather(Facts(), ()) == []


def test_focus_raises_a_sentence():
    facts = Facts(said=(Said(1, "The parser is slow."),))
    plain, focused = gather(facts, ())[0], gather(facts, ("parser",))[0]
    assert focused.worth > plain.worth


def test_quotes_of_earlier_prose_are_found_again():
    prose = "Done:\n- “It “was” so” (message 3)\n- “那样”（消息 4）\n- “x” (message 9)"
    found = list(quoted_before(prose, 9, ()))
    assert [(q.n, q.text) for q in found] == [(3, "It “was” so"), (4, "那样")]


def test_the_most_telling_that_fit_are_picked_in_their_order():
    quotes = [Quote(n, text, 1, rank) for n, text, rank in ((1, "aa", 1), (2, "b", 3))]
    quotes.append(Quote(3, "c" * 9, 1, 2))
    assert Picker(spell, len, ()).pick(quotes, 3, 0) == ["aa", "b"]
    assert Picker(spell, len, ()).pick(quotes, 1, 0) == ["b"]
    assert Picker(spell, len, ()).pick(quotes, 99, 2) == []


def test_no_sentence_is_picked_twice():
    picker = Picker(spell, len, ["used"])
    quotes = [Quote(1, "used", 1, 1), Quote(2, "free", 1, 1)]
    assert picker.pick(quotes, 99, 0) == ["free"]
    assert picker.pick(quotes, 99, 0) == []


@given(
    st.lists(
        st.builds(Quote, st.integers(), st.text(), st.floats(0, 9), st.floats(0, 9))
    ),
    st.integers(0, 50),
)
def test_what_is_picked_fits(quotes, room):
    lines = Picker(spell, len, ()).pick(quotes, room, 0)
    assert sum(map(len, lines)) <= room
