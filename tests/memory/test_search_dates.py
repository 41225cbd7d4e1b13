from __future__ import annotations

import pytest

from mewctl.memory.search_dates import terms

DAY = ["y2023", "m5", "y2023m5", "m5d8", "y2023m5d8"]


@pytest.mark.parametrize(
    "text",
    [
        "2023-05-08",
        "2023/5/8",
        "2023.05.08",
        "2023-05-08T13:56:00Z",
        "8 May 2023",
        "8 May, 2023",
        "8th of May 2023",
        "May 8, 2023",
        "may 8th, 2023",
        "8. Mai 2023",
        "8.5.2023",
        "8 mai 2023",
        "8 de mayo de 2023",
        "2023年5月8日",
        "2023年 5月 8日",
        "2023년 5월 8일",
        "1:56 pm on 8 May, 2023",
    ],
)
def test_a_day_is_the_same_however_it_is_written(text):
    assert terms(text) == DAY


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("May 2023", ["y2023", "m5", "y2023m5"]),
        ("2023-05", ["y2023", "m5", "y2023m5"]),
        ("on 31 October", ["m10", "m10d31"]),
        ("5月8日に", ["m5", "m5d8"]),
        ("in may", ["m5"]),
        ("July was hot", ["m7"]),
        ("back in 2019", ["y2019"]),
        ("2023-05-08 and 2023-05-09", [*DAY, "m5d9", "y2023m5d9"]),
    ],
)
def test_a_part_of_a_date_is_its_terms(text, found):
    assert terms(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "you may go",
        "May I ask",
        "to march on",
        "version 3.11.7",
        "20230508",
        "port 8080",
        "1:56",
        "july",
        "99月99日",
        "",
        "no digits",
        "item 45.13.2023x",
    ],
)
def test_what_is_no_date_has_no_terms(text):
    assert terms(text) == []


def test_an_impossible_date_is_its_year_at_most():
    assert terms("2023/13/45") == ["y2023"]
    assert terms("45 May 2023") == ["y2023", "m5", "y2023m5"]
