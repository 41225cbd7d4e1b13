"""What the readers share: exact values, whose words, rounds, directories, counts."""

from __future__ import annotations

from collections import Counter

import orjson
import pytest

from mewctl.history.view import Message, Text
from mewctl.transcripts import Report
from mewctl.transcripts.places import Places
from mewctl.transcripts.telling import (
    as_object,
    care,
    listed,
    moved,
    parsed,
    rounds,
    seconds,
    spoken,
    tell_left_out,
)


def nested(levels):
    value = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "needed"),
    [
        ([], ""),
        ([1, "x", None, {"a": [2.5]}], ""),
        ([{"a": {"b": 1e300}}], "exact"),
        ([-1e20], "exact"),
        ([nested(150)], ""),
        ([nested(250)], "deep"),
        ([1e20, nested(250)], "deep"),
    ],
)
def test_values_need_the_care_they_need(value, needed):
    assert care(value) == needed


def told(value):
    return [value.get("told")]


def test_big_integers_are_read_exactly_where_they_are_told():
    report = Report()
    raw = b'{"told": 12345678901234567890123, "beside": 1e300}'
    assert parsed(raw, 1, told, report) == {
        "told": 12345678901234567890123,
        "beside": 1e300,
    }
    assert parsed(b'{"told": 1}', 1, told, report) == {"told": 1}
    assert not report.notes


def test_what_nests_too_deep_is_noted_and_left_out():
    report = Report()
    assert parsed(orjson.dumps({"told": nested(230)}), 3, told, report) is None
    deep_beside = orjson.dumps({"told": 1e20, "beside": nested(230)})
    assert parsed(deep_beside, 4, told, report) is None
    notes = [(note.line, note.kind, note.text) for note in report.notes]
    assert notes == [
        (3, "skipped", "nested too deep"),
        (4, "skipped", "nested too deep"),
    ]


def test_times_at_the_ends_of_the_calendar_are_read():
    assert seconds("0001-01-01T00:00:00+23:59") == -62135683140
    assert seconds("9999-12-31T23:59:59-23:59") == 253402387139
    assert seconds("not a time") is None


def test_contents_and_objects_of_odd_types_are_read_as_far_as_they_go():
    assert [listed(value) for value in (None, [], "x", {"a": 1})] == [
        [],
        [],
        ["x"],
        [{"a": 1}],
    ]
    assert [as_object(value) for value in ({"a": 1}, [], None)] == [{"a": 1}, {}, {}]


def test_a_new_message_begins_where_the_users_words_end():
    parts = [
        (True, Text("a")),
        (True, Text("b")),
        (False, Text("c")),
        (True, Text("d")),
    ]
    assert [(m.injected, m.text) for m in spoken(parts, 5.0)] == [
        (True, "a\nb"),
        (False, "c"),
        (True, "d"),
    ]


def test_rounds_put_results_behind_their_answer():
    items = ["u1", "a1", "a1", "r", "u2", "r", "a2", "a2x", "u3"]
    found = rounds(
        items,
        lambda item: item[:2] if item[0] == "a" else None,
        lambda item: item == "r",
    )
    assert [tuple(one) for one in found] == [
        ([], [], ["u1"]),
        (["a1", "a1"], ["r", "r"], ["u2"]),
        (["a2", "a2x"], [], ["u3"]),
    ]


def test_before_the_first_answer_the_order_is_kept():
    found = rounds(["r1", "u1", "u2", "r2"], lambda _: None, lambda i: i[0] == "r")
    assert [(one.results, one.others) for one in found] == [
        (["r1"], []),
        ([], ["u1", "u2"]),
        (["r2"], []),
    ]


def test_the_same_answer_after_something_else_is_another_round():
    found = rounds(["a", "u", "a"], lambda i: i if i == "a" else None, lambda _: False)
    assert [one.answers for one in found] == [[], ["a"], ["a"]]


def test_a_directory_is_told_where_it_changes():
    given = ["/a", "/a", None, "/a", "/b", "/b", "/a"]
    messages = [Message("assistant", (), cwd=cwd) for cwd in given]
    assert [m.cwd for m in moved(messages)] == [
        "/a",
        None,
        None,
        None,
        "/b",
        None,
        "/a",
    ]


def test_counts_are_told_last_and_nothing_is_told_of_none():
    report = Report()
    report.add(0, "skipped", "somewhere")
    report.add(7, "skipped", "late")
    report.add(2, "branch", "early")
    tell_left_out(Counter({"b": 2, "a": 1, "c": 0}), report)
    assert [(n.line, n.text) for n in report.notes] == [
        (2, "early"),
        (7, "late"),
        (0, "somewhere"),
        (0, "1 a"),
        (0, "2 b"),
    ]


def test_of_several_records_of_a_name_the_nearest_before_is_meant():
    places = Places(["a", "", "b", "a", "a"])
    assert [places.find("a", near) for near in range(6)] == [3, 0, 0, 0, 3, 4]
    assert places.find("b", 0) == 2
    assert places.find("b", 2) is None
    assert places.find("", 3) is None
    assert list(places.all("a")) == [0, 3, 4]
    assert list(places.all("x")) == []
