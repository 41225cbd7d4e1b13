from __future__ import annotations

from dataclasses import fields

import pytest

from mewctl.compact.piece import DASH
from mewctl.compact.sections import (
    AFTER,
    COUNT,
    HEADINGS,
    KINDS,
    TITLE,
    WORDS,
    Words,
    heading_number,
    number_in,
)

LITERALS = {
    "en": "Main requests and intent|Key technical concepts|Files and code"
    "|Errors and fixes|How problems were solved|All user messages, verbatim|Open todos"
    "|Current work (in most detail)|Possible next step",
    "zh": "主要请求和意图|关键技术概念|文件和代码段|错误和修复|问题解决过程"
    "|所有用户消息原文|待办任务|当前工作（最详细）|可能的下一步",
}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_headings_are_the_interface(lang):
    titles = LITERALS[lang].split("|")
    assert HEADINGS[lang] == tuple(f"## {n} {t}" for n, t in enumerate(titles, 1))
    assert len(HEADINGS[lang]) == COUNT


def test_the_titles_are_the_interface():
    assert TITLE == {
        "en": "## Summary of the earlier conversation",
        "zh": "## 历史会话摘要",
    }


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("number", range(1, 10))
def test_a_heading_is_known_by_its_number(lang, number):
    heading = HEADINGS[lang][number - 1]
    assert heading_number(heading) == number
    words = heading[5:]
    for spelled in (
        f"### {number}. {words}:",
        f"#{number}、{words.upper()}",
        heading + " ",
    ):
        assert heading_number(spelled) == number


@pytest.mark.parametrize(
    "line",
    [
        "1 Main requests and intent",
        "## 2 Main requests and intent",
        "## 10 Possible next step",
        "## 1",
        "## Important",
        " ## 1 Main requests and intent",
        *AFTER,
        *TITLE.values(),
    ],
)
def test_other_lines_are_no_headings(line):
    assert heading_number(line) == 0


def test_the_remark_of_a_heading_may_be_missing():
    assert heading_number("## 8 Current work") == 8
    assert heading_number("## 8 当前工作") == 8


@pytest.mark.parametrize(
    ("template", "text", "number"),
    [
        ("ran {}×", "ran 3×", 3),
        ("exit code {}", "exit code -9", -9),
        ("ran {}×", "ran ×", None),
        ("ran {}×", "ran 3", None),
        ("ran {}×", "ran 3x×", None),
        ("{}", "1" * 19, None),
    ],
)
def test_a_number_is_read_out_of_its_label(template, text, number):
    assert number_in(template, text) == number


def test_labels_that_are_read_back_cannot_be_taken_for_one_another():
    notes = ("created", "deleted", "written", "read", "message", "ran", "exit_code")
    for words in WORDS.values():
        spelled = [getattr(words, note) for note in notes]
        spelled += [*words.outcomes, *words.later]
        assert len(set(spelled)) == len(spelled)
        assert not any(DASH in text or words.comma in text for text in spelled)


def test_both_languages_say_the_same_things():
    for field in fields(Words):
        values = [getattr(words, field.name) for words in WORDS.values()]
        if isinstance(values[0], str):
            assert len({value.count("{}") for value in values}) == 1, field.name
        assert all(values) or field.name == "between"
    for words in WORDS.values():
        assert tuple(kind for kind, _ in words.kinds) == KINDS
