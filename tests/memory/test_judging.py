"""Small judgements: likeness, value, names, what an action may say."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl.memory import actions
from mewctl.memory.confidence import confidence
from mewctl.memory.note import SOURCES, Note, read, type_of
from mewctl.memory.retention import verdicts
from mewctl.memory.similar import fingerprint, says_same
from mewctl.memory.value import expired, seconds, stamp, value
from mewctl.memory.words import clean, hidden, is_slug, slug

DAY = 86_400
NOTE = Note(
    "a1", "project_knowledge", "T", "x\n", "project", "a.md", created="2026-01-01"
)
START = seconds("2026-01-01")


HOST = "The deploy host is db-7 in rack two."
TESTS = "部署之前先运行全部的测试用例再合并分支"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Use uv, never pip.", "use UV never pip", True),
        (HOST, "The deploy host is db-7, in rack two!", True),
        (HOST, "The deploy host is db-8 in rack two.", False),
        ("Use tabs for indentation here", "Use blanks for indentation here", False),
        (TESTS, "部署之前，先运行全部的测试用例，再合并分支。", True),
        (TESTS, "部署之前先通知全部的测试人员再关闭服务", False),
        ("short", "shore", False),
        ("", "", True),
    ],
)
def test_what_says_the_same(one, other, same):
    assert says_same(one, other) is same
    if same:
        assert set(fingerprint(one)) & set(fingerprint(other))


def test_value_is_use_times_freshness_and_rules_never_age():
    at = START + 90 * DAY
    assert value(NOTE, at) == pytest.approx(0.5)
    assert value(replace(NOTE, uses=3), at) == pytest.approx(1.5)
    assert value(replace(NOTE, type="user_preference"), at + 9999 * DAY) == 1
    assert value(NOTE, START - DAY) == 1


@pytest.mark.parametrize(
    ("change", "days", "goes"),
    [
        ({}, 179, False),
        ({}, 181, True),
        ({"uses": 1}, 181, False),
        ({"last_used": "2026-06-01"}, 181, False),
        ({"pinned": True}, 9999, False),
        ({"type": "correction_feedback"}, 9999, False),
        ({"type": "reference_material"}, 300, False),
        ({"created": ""}, 9999, False),
        ({"problem": "x"}, 9999, False),
        ({"valid_until": "2026-01-02"}, 3, True),
        ({"valid_until": "2026-01-02", "pinned": True}, 3, False),
        ({"valid_until": "soon"}, 3, False),
    ],
)
def test_what_ages_out(change, days, goes):
    assert bool(verdicts([replace(NOTE, **change)], START + days * DAY)) is goes


def test_a_date_holds_through_its_last_second():
    one = replace(NOTE, valid_until="2026-01-01")
    assert not expired(one, START + DAY - 1)
    assert expired(one, START + DAY)
    assert expired(replace(NOTE, valid_until="2026-01-01T12:00:00Z"), START + DAY / 2)


@given(st.integers(0, 4_000_000_000))
def test_a_time_is_read_back_as_it_was_written(time):
    assert seconds(stamp(time)) == time


@given(st.text(max_size=80))
def test_a_slug_is_always_safe_and_clean_text_hides_nothing(title):
    assert is_slug(slug(title))
    assert not hidden(clean(title))
    assert clean(clean(title)) == clean(title)


def test_the_joiners_of_emoji_stay():
    assert clean("👩\u200d💻 क्\u200dष") == "👩\u200d💻 क्\u200dष"


@pytest.mark.parametrize("source", SOURCES)
def test_confidence_has_a_reason_for_every_source(source):
    for evidence in ("", "said"):
        level, reason = confidence(replace(NOTE, source=source, evidence=evidence))
        assert level in {"high", "medium", "low"}
        assert reason
    assert confidence(replace(NOTE, source=source, problem="x"))[0] == "low"


GOOD = {"action": "create", "type": "user", "title": "T", "content": "x"}


def test_an_action_is_read_and_written():
    action = actions.read(GOOD | {"level": "user", "tags": "a", "replace": True})
    assert (action.type, action.tags) == ("user_preference", ("a",))
    assert actions.read(actions.to_json(action)) == action
    assert actions.to_json(actions.read({"action": "delete", "id": "x"})) == {
        "action": "delete", "id": "x", "source": "model",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (None, "is an object"),
        ({}, "action is not one of"),
        ({"action": []}, "action is not one of"),
        (GOOD | {"confidence": 1}, "no key 'confidence'"),
        (GOOD | {"title": 1}, "title is not a text"),
        (GOOD | {"title": "x" * 121}, "a title of more"),
        (GOOD | {"content": " "}, "create needs content"),
        (GOOD | {"content": "x" * 32_001}, "content of more"),
        (GOOD | {"evidence": "x" * 2_001}, "evidence of more"),
        (GOOD | {"level": "global"}, "level is not one of"),
        (GOOD | {"source": "god"}, "source is not one of"),
        (GOOD | {"tags": [1]}, "tags is not a list"),
        (GOOD | {"tags": ["a"] * 21}, "tags: more than"),
        (GOOD | {"replace": "yes"}, "neither true nor false"),
        (GOOD | {"slug": "../x"}, "slug"),
        (GOOD | {"if_match": "x"}, "if_match is no hash"),
        ({"action": "update"}, "update needs the id"),
    ],
)
def test_an_action_that_cannot_be_taken_says_why(value, why):
    with pytest.raises(actions.BadAction, match=why):
        actions.read(value)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("no fields", "no fields before the text"),
        ("---\nid: a\n", "no end"),
        ("---\nid: a\n---\n", "without type and title"),
        ("---\nid: a\ntype: x\ntitle: t\n---\n", "'x' is no type"),
        ("---\nid: a\ntype: user_preference\ntitle: t\n---\n", ""),
    ],
)
def test_a_damaged_note_is_known_by_its_file(text, problem):
    note = read(text, "correction_feedback_my-note.md", "project")
    assert problem in note.problem
    assert bool(problem) is bool(note.problem)
    assert note.text == text
    assert note.id in {"a", "correction_feedback_my-note"}
    if "no" in problem[:2]:
        assert (note.type, note.title) == ("correction_feedback", "my note")


def test_a_file_without_a_type_is_project_knowledge():
    assert type_of("notes") == "project_knowledge"
    assert type_of("user_preferences") == "project_knowledge"
