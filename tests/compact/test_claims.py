"""What a sentence claims: found where it is, and nothing found where there is none."""

from __future__ import annotations

import pytest

from mewctl.compact import claims


@pytest.mark.parametrize(
    ("sentence", "paths"),
    [
        ("We changed src/app.py.", ("src/app.py",)),
        ("See /etc/hosts and ~/x.", ("/etc/hosts", "~/x")),
        ("Edited app.py, then ./run.sh", ("app.py", "./run.sh")),
        ("Both read/write and and/or are fine.", ()),
        ("It is 3/4 done, e.g. the rest.", ()),
        ("Version 1.2.3 works.", ()),
        ("修改了 src/应用.py。", ("src/应用.py",)),
        ("See https://example.org/a/b.html now.", ()),
        ("In `src/app.py` only.", ()),
        ("No path here.", ()),
    ],
)
def test_paths(sentence, paths):
    assert claims.find(sentence).paths == paths


def test_code_and_addresses_are_to_be_found_word_for_word():
    found = claims.find("Ran `make test` and ``a`b`` at https://example.org/a.")
    assert found.code == ("make test", "a`b", "https://example.org/a.")


@pytest.mark.parametrize(
    ("sentence", "quotes"),
    [
        ('He said "do it right now".', ("do it right now",)),
        ("He said “do it right now”.", ("do it right now",)),
        ("用户说「马上就做」。", ("马上就做",)),
        ('The "real" cause.', ()),
        ('The key "a b" is set.', ()),
    ],
)
def test_quotations_are_statements_not_single_words(sentence, quotes):
    assert claims.find(sentence).quotes == quotes


@pytest.mark.parametrize(
    ("sentence", "numbers"),
    [
        ("It took 1,234 ms and 17 s.", ("1,234",)),
        ("Exit after 999 tries.", ("999",)),
        ("On 2026-12-01 it was #1234 and v1000.", ()),
        ("In `1234` only.", ()),
        ("约 12345 个。", ("12345",)),
    ],
)
def test_numbers_of_three_digits_and_more(sentence, numbers):
    assert claims.find(sentence).numbers == numbers


def test_a_mark_stands_behind_its_number_and_outside_of_code():
    marked = claims.with_mark("`999` of 999, 1,234.", frozenset({"999"}), " [?]")
    assert marked == "`999` of 999 [?], 1,234."
