"""The fields of a note: read as text, changed without touching the rest."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from mewctl import limits
from mewctl.memory import frontmatter
from mewctl.memory.frontmatter import BadFrontmatter, changed, fields, split, whole

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
KEYS = st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True)
VALUES = TEXT | st.lists(TEXT, max_size=3).map(tuple)


@settings(max_examples=80, deadline=None)
@given(st.dictionaries(KEYS, VALUES, min_size=1, max_size=4), TEXT)
def test_what_is_written_is_read_back_by_us_and_by_yaml(values, body):
    text = whole(values, body)
    front = split(text).front
    wanted = {k: list(v) if isinstance(v, tuple) else v for k, v in values.items()}
    assert fields(front) == wanted
    assert yaml.load(front, yaml.BaseLoader) == wanted
    assert split(text).body == body


@settings(max_examples=80, deadline=None)
@given(st.dictionaries(KEYS, VALUES, min_size=1, max_size=4), KEYS, VALUES)
def test_a_change_is_that_field_and_no_other(values, key, value):
    text = whole(values, "body\n")
    after = changed(text, {key: value})
    wanted = {**values, key: value}
    assert after == whole(wanted, "body\n")
    gone = changed(after, {key: None})
    assert gone == whole({k: v for k, v in values.items() if k != key}, "body\n")


HAND = """\
---
# mine
id: abc   # the id
tags:
- a
- b
# between

note: >
  folded # no comment
  text

title: 'It''s'
when: 2026-01-01
off: no
---
---
body --- with marks
"""


def test_dates_and_words_stay_text():
    read = fields(split(HAND).front)
    assert (read["when"], read["off"], read["title"]) == ("2026-01-01", "no", "It's")


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_every_byte_of_a_hand_stays(newline):
    text = HAND.replace("\n", newline)
    after = changed(text, {"title": "New", "tags": ("c",), "id": None, "more": True})
    wanted = (
        HAND.replace("id: abc   # the id\n", "")
        .replace("tags:\n- a\n- b\n", 'tags: ["c"]\n')
        .replace("'It''s'", "New")
        .replace("off: no\n", "off: no\nmore: true\n")
    )
    assert after == wanted.replace("\n", newline)


def test_a_comment_behind_a_value_stays():
    assert "id: x   # the id\n" in changed(HAND, {"id": "x"})


def test_a_note_without_fields_gets_some():
    assert changed("text\n", {"id": "a"}) == "---\nid: a\n---\ntext\n"
    assert changed("text\n", {"id": None}) == "text\n"


@pytest.mark.parametrize(
    ("front", "why"),
    [
        ("a: &x 1\n", "anchor"),
        ("a: [*x]\n", "alias"),
        ("a: !!python/object:os.system x\n", "tag"),
        ("%YAML 1.1\n", "directive"),
        ("a: " + "[" * 2000 + "\n", "nested too deep"),
        ("a: 1\na: 2\n", "twice"),
        ("- a\n", "no mapping"),
        ("a: [\n", "not YAML"),
        ("a: \x01\n", "not YAML"),
        ("\ta: 1\n", "not YAML"),
        ("? [a, b]\n: 1\n", "unhashable"),
    ],
)
def test_what_is_not_read_is_told(front, why):
    with pytest.raises(BadFrontmatter, match=why):
        fields(front)


def test_fields_without_an_end_or_measure_are_told():
    with pytest.raises(BadFrontmatter, match="no end"):
        split("---\nid: a\n")
    with pytest.raises(BadFrontmatter, match="bytes of fields"):
        split("---\nid: " + "a" * limits.FRONTMATTER + "\n---\n")


def test_fields_in_braces_are_read_and_left_alone():
    text = "---\n{id: a}\n---\nx\n"
    assert fields(split(text).front) == {"id": "a"}
    with pytest.raises(BadFrontmatter):
        changed(text, {"id": "b"})


def test_what_mewctl_writes_needs_no_yaml(monkeypatch):
    def fail(_):
        raise AssertionError("the YAML package was asked")

    monkeypatch.setattr(frontmatter, "_by_yaml", fail)
    front = split(whole({"id": "a", "title": "x: y # z", "tags": ("a", "b")}, "")).front
    assert fields(front) == {"id": "a", "title": "x: y # z", "tags": ["a", "b"]}
