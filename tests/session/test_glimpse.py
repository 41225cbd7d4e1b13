"""Title, time and model from the ends of a log."""

from __future__ import annotations

import json

import pytest

from mewctl import limits
from mewctl.session import glimpse


def at(*records, end=b"\n"):
    data = b"\n".join(
        r if isinstance(r, bytes) else json.dumps(r).encode() for r in records
    )
    data += end if records else b""
    return (lambda offset, size: data[offset : offset + size]), len(data)


def user(text, **more):
    return {"role": "user", "content": text, **more}


@pytest.mark.parametrize(
    ("records", "title"),
    [
        ([], "(empty session)"),
        ([user("hello")], "hello"),
        ([user("a\n b\tc")], "a b c"),
        ([user("x" * 50)], "x" * 50),
        ([user("x" * 51)], "x" * 50 + "..."),
        ([user("<system-reminder>\nno\n</system-reminder>"), user("yes")], "yes"),
        ([user("no", injected=True), user("yes")], "yes"),
        ([user("[mewctl notice] paused"), user("yes")], "yes"),
        ([{"role": "assistant", "content": "no"}], "(no title)"),
        ([b"\xff\xfe", b'{"role":"user"', user("yes")], "yes"),
        (
            [{"format": "anthropic", "record": user([{"type": "text", "text": "A"}])}],
            "A",
        ),
        (
            [{"format": "openai", "record": {"role": "developer", "content": "user"}}],
            "(no title)",
        ),
    ],
)
def test_the_title_is_what_the_user_said_first(records, title):
    assert glimpse.title(*at(*records)) == title


def test_a_title_behind_a_long_beginning_is_found_and_no_further():
    long = {"role": "system", "content": "s" * (limits.HEAD_STEP * 3)}
    assert glimpse.title(*at(long, user("late"))) == "late"
    huge = {"role": "system", "content": "s" * limits.HEAD_BYTES}
    assert glimpse.title(*at(huge, user("too late"))) == "(no title)"


def test_a_last_line_without_its_end_counts():
    assert glimpse.title(*at(user("hello"), end=b"")) == "hello"


@pytest.mark.parametrize(
    ("records", "time", "model"),
    [
        ([], None, ""),
        ([user("a", ts=5)], 5.0, ""),
        ([user("a", ts=5, model="m"), user("b", ts=6)], 6.0, "m"),
        ([user("a", ts=5), user("b")], 5.0, ""),
        ([user("a", ts=5), b'{"role":"us'], 5.0, ""),
        ([user("a", ts=True)], None, ""),
        ([user("a", ts=5, model="old"), {"type": "compact", "ts": 7}], 7.0, ""),
        ([{"format": "x", "ts": 3, "model": "m", "record": {}}], 3.0, "m"),
    ],
)
def test_the_end_tells_the_newest_time_and_model(records, time, model):
    assert glimpse.ending(*at(*records)) == glimpse.Ending(time, model)


def test_a_last_record_longer_than_the_first_look_is_read():
    long = user("x" * (2 * limits.TAIL_BYTES), ts=9)
    assert glimpse.ending(*at(user("a", ts=1), long)).time == 9.0


@pytest.mark.parametrize(
    ("records", "form"),
    [
        ([], ""),
        ([user("a")], ""),
        ([{"format": "openai", "record": {}}], "openai"),
        ([{"format": "openai", "record": {}}, b"torn"], "openai"),
        ([{"format": 1, "record": {}}], ""),
    ],
)
def test_the_format_of_the_last_message_is_known(records, form):
    assert glimpse.last_format(*at(*records)) == form
