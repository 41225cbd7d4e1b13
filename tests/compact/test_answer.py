"""A model's answer: which part counts, and which section each line belongs to."""

from __future__ import annotations

import pytest

from mewctl.compact import answer
from mewctl.compact.sections import HEADINGS


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("<analysis>x</analysis><summary>a</summary>", "a"),
        ("<summary>\na\n</summary>\nBye.", "a"),
        ("<SUMMARY>a</SUMMARY>", "a"),
        ("<summary>a </summary> b</summary>", "a </summary> b"),
        ("<summary>a", "a"),
        ("no tag at all", "no tag at all"),
        ("<analysis>draft</analysis>\nthe text", "the text"),
        ("<analysis>never closed", ""),
        ("<think>hm</think>text", "text"),
        ("<analysis>I will use <summary> then</analysis><summary>a</summary>", "a"),
        ("<analysis>open <summary>a</summary>", "a"),
        ("", ""),
    ],
)
def test_the_part_that_counts(text, kept):
    assert answer.kept(text) == kept


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_all_headings_are_known(lang):
    text = "\n".join(f"{head}\nbody {n}" for n, head in enumerate(HEADINGS[lang], 1))
    assert answer.sections(text) == {n: f"body {n}" for n in range(1, 10)}


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("## 3 Files and Code Sections:", 3),
        ("### 3. Files", 3),
        ("**4. Errors and fixes**", 4),
        ("## 9 Optional next step", 9),
        ("## 7. Pending Tasks", 7),
        ("## 3 apples were eaten", 0),
        ("3. Files", 0),
        ("## Files", 0),
        ("Section 3 Files", 0),
    ],
)
def test_a_heading_may_be_worded_otherwise(line, number):
    found = answer.sections(f"{line}\ntext")
    assert found == ({number: "text"} if number else {})


def test_a_heading_inside_a_fence_is_code():
    text = "## 3 Files\n```\n## 4 Errors and fixes\n```\nend"
    assert list(answer.sections(text)) == [3]


def test_a_section_that_comes_twice_is_one():
    assert answer.sections("## 8 Current work\na\n## 8 Current work\nb") == {8: "a\nb"}


def test_what_stands_before_the_first_heading_is_left_out():
    assert answer.sections("Sure!\n## 8 Current work\na") == {8: "a"}
