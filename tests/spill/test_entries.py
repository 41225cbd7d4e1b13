from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl.spill import entries
from mewctl.spill.entries import Entry, Subject
from mewctl.spill.groups import Limits

DIGEST = "ab" * 32
SUBJECT = Subject("result", "call/1", DIGEST, 60_000)


def test_a_replaced_record_and_what_is_read_from_it():
    record = entries.replaced(SUBJECT, "h-x.0a1b2c3d", "PREVIEW", "why", short=True)
    assert record == {
        "type": "replaced",
        "of": "result",
        "id": "call/1",
        "name": SUBJECT.name,
        "sha256": DIGEST,
        "bytes": 60_000,
        "file": "h-x.0a1b2c3d",
        "reason": "why",
        "short": True,
        "preview": "PREVIEW",
    }
    assert entries.read_entry(record) == Entry(
        "result", SUBJECT.name, DIGEST, 60_000, True, "h-x.0a1b2c3d", True, "call/1"
    )


def test_a_kept_record_and_what_is_read_from_it():
    record = entries.kept(SUBJECT, "why")
    assert record["type"] == "kept"
    assert "preview" not in record
    got = entries.read_entry(record)
    assert got == Entry(
        "result", SUBJECT.name, DIGEST, 60_000, replaced=False, call_id="call/1"
    )


def test_an_id_that_is_too_long_is_not_written_out():
    record = entries.kept(Subject("result", "x" * 2000, DIGEST, 1), "why")
    assert "id" not in record
    assert record["name"].startswith("h-")


def test_the_header_binds_to_limits():
    record = entries.header(Limits(5, 9))
    assert entries.read_header(record) == Limits(5, 9)
    assert entries.read_header({"type": "kept"}) is None
    with pytest.raises(OverflowError):
        entries.read_header({**record, "version": entries.VERSION + 1})


@pytest.mark.parametrize("key", ["version", "single_limit", "aggregate_limit"])
@pytest.mark.parametrize("value", [None, "5", 5.0, True, -1])
def test_a_header_that_cannot_be_read_is_bad(key, value):
    with pytest.raises(ValueError, match=key):
        entries.read_header({**entries.header(Limits(5, 9)), key: value})


def test_the_language():
    assert entries.read_language(entries.language("zh")) == "zh"
    assert entries.read_language(entries.language("en")) == "en"
    assert entries.read_language({"type": "kept", "lang": "zh"}) is None


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("of", "other"), ("of", None), ("name", 5), ("sha256", None), ("bytes", -1),
        ("bytes", "5"), ("preview", 5), ("file", None),
        # row 60: no file outside the directory, whoever wrote the ledger
        ("file", "../../etc/passwd"), ("file", "/etc/passwd"), ("file", ""),
        ("file", "ledger.jsonl"), ("file", ".lock"), ("file", "a/b"), ("file", "a\n"),
    ],
)  # fmt: skip
def test_a_decision_that_cannot_be_read_is_bad(key, value):
    record = entries.replaced(SUBJECT, "call_1", "PREVIEW", "why")
    with pytest.raises(ValueError):  # noqa: PT011 - the words do not matter
        entries.read_entry({**record, key: value})


def test_records_of_other_types_are_no_decisions():
    assert entries.read_entry({"type": "later"}) is None
    assert entries.read_entry({}) is None


json_values = (
    st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.none())
)
keys = ("type", "of", "name", "sha256", "bytes", "file", "preview", "version", "lang")


@given(
    st.dictionaries(
        st.sampled_from(keys),
        json_values | st.sampled_from(["kept", "replaced", "ledger", "result"]),
    )
)
def test_no_line_is_a_problem(value):
    for read in (entries.read_entry, entries.read_header, entries.read_language):
        try:
            read(value)
        except (ValueError, OverflowError):
            continue
