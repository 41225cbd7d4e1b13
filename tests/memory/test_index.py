"""The index: a function of the notes, whatever stands in them."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mewctl.memory import index
from mewctl.memory.note import TYPES, Note

NOTE = Note("a1", "project_knowledge", "Title", "first line\n", "project", "a.md")


def notes(count=6):
    return [
        replace(NOTE, id=f"n{n}", file=f"n{n}.md", type=TYPES[n % 4], title=f"T{n}",
                level=("project", "user")[n % 2], created=f"2026-01-0{n + 1}",
                uses=n, body=f"text {n}\n")
        for n in range(count)
    ]  # fmt: skip


def test_the_order_of_the_files_is_none_of_the_index():
    some = notes()
    text = index.written("", some)
    for seed in range(5):
        random.Random(seed).shuffle(some)
        assert index.written("", some) == text


@given(st.text(max_size=40), st.text(max_size=300), st.text(max_size=60))
@settings(deadline=None)
def test_the_users_text_and_the_marks_survive_any_note(title, body, around):
    one = replace(NOTE, title=title, body=body)
    before = around.replace(index.BEGIN, "").replace(index.END, "")
    text = index.written(before, [one])
    assert text.startswith(before)
    assert index.written(text, [one]) == text
    ours = text[len(before) :].strip("\n").split("\n")
    assert (ours[0], ours[-1], len(ours)) == (index.BEGIN, index.END, 3)
    assert index.written(text, []).replace(f"{index.BEGIN}\n{index.END}\n", "") in {
        before, f"{before}\n",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("a](x)[b", r"a\]\(x\)\[b"),
        ("two\nlines", "two lines"),
        (index.END, "&lt;!-- mewctl memory: end --&gt;".replace("&gt;", ">")),
        ("a\u202eb\x1b[0mc", r"ab\[0mc"),
        ("AKIAABCDEFGHIJKLMNOP", r"\[redacted:aws-key\]"),
    ],
)
def test_a_hostile_title_is_shown_as_text(title, shown):
    assert f"[{shown}](" in index.line(replace(NOTE, title=title))


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("\n\n  first  \nsecond", " — first"),
        ("", ""),
        ("x" * 80, " — " + "x" * 80),
        ("x" * 81, " — " + "x" * 77 + "..."),
        ("中" * 27, " — " + "中" * 25 + "..."),
        ("<!-- hidden -->", " — &lt;!-- hidden -->"),
    ],
)
def test_the_first_line_describes_a_note(body, shown):
    line = index.line(replace(NOTE, body=body))
    assert line == f"- [project_knowledge] [Title](.mewcode/memory/a.md){shown}"


def test_a_file_name_with_blanks_is_still_a_link():
    line = index.line(replace(NOTE, file="my (old) <note>.md", body=""))
    assert line.endswith("](<.mewcode/memory/my (old) %3Cnote%3E.md>)")


@given(st.integers(0, 700), st.lists(st.booleans(), min_size=6, max_size=6))
@settings(deadline=None)
def test_whole_lines_within_the_measure_and_the_pinned_last_to_go(most, pins):
    some = [replace(n, pinned=p) for n, p in zip(notes(), pins, strict=True)]
    text = index.rendered(some, most)
    assert len(text.encode()) <= most
    kept = index.kept(some, most)
    if any(not note.pinned for note in kept):
        assert all(note in kept for note in some if note.pinned)
    if len(kept) < 6 and text:
        assert text.endswith(f"(index truncated: {len(kept)} of 6)\n")
    whole = index.rendered(some, 10_000).splitlines()
    lines = [line for line in text.splitlines() if line.startswith("- ")]
    assert lines == [line for line in whole if line in lines]


def test_a_note_of_a_tool_is_not_in_it():
    quarantined = replace(NOTE, source="tool")
    assert index.shown([quarantined]) == []
    assert index.shown([replace(quarantined, approved=True)])


def test_only_our_lines_go_where_the_end_is_lost():
    old = f"mine\n{index.BEGIN}\n{index.line(NOTE)}\nalso mine\n"
    text = index.written(old, [])
    assert text == f"mine\n{index.BEGIN}\n{index.END}\nalso mine\n"
