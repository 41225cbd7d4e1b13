from __future__ import annotations

import time

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl import limits
from mewctl.streams.records import Record
from mewctl.transcripts import Report
from mewctl.transcripts.damage import rejoin, salvage, whole_objects

ONE = b'{"type":"user","uuid":"a","message":{"role":"user","content":"one"}}'
TWO = b'{"type":"assistant","uuid":"b","message":{"content":[{"type":"text"}]}}'


def is_record(value):
    return "uuid" in value


def objects(raw, known=is_record):
    return [whole for _, whole in salvage(raw, known).objects]


def test_two_glued_objects_are_both_whole():
    found = salvage(ONE + TWO, is_record)
    assert found.objects == ((0, ONE), (len(ONE), TWO))
    assert found.lost == ()


def test_three_glued_objects_with_blanks_between_are_whole():
    assert objects(ONE + b" " + TWO + b"\t" + ONE) == [ONE, TWO, ONE]


def test_glued_objects_are_taken_whatever_they_are():
    assert objects(b'{"a":1}{}', lambda _: False) == [b'{"a":1}', b"{}"]


@pytest.mark.parametrize("cut", range(1, len(ONE)))
def test_a_torn_head_before_a_whole_object_loses_the_head_alone(cut):
    found = salvage(ONE[:cut] + TWO, is_record)
    assert [whole for _, whole in found.objects] == [TWO]
    assert [lost.raw for lost in found.lost] == [ONE[:cut]]
    assert found.objects[0][0] == cut


@pytest.mark.parametrize("cut", range(1, len(TWO)))
def test_a_torn_tail_after_a_whole_object_loses_the_tail_alone(cut):
    found = salvage(ONE + TWO[:cut], is_record)
    assert [whole for _, whole in found.objects] == [ONE]
    assert b"".join(lost.raw for lost in found.lost) == TWO[:cut]


@pytest.mark.parametrize("cut", range(1, len(ONE)))
def test_the_rest_of_a_torn_line_before_a_whole_object_is_lost(cut):
    assert objects(ONE[cut:] + TWO) == [TWO]


@pytest.mark.parametrize("cut", range(1, len(ONE)))
def test_no_part_of_a_torn_object_passes_for_a_record(cut):
    assert objects(ONE[:cut]) == []


@pytest.mark.parametrize("rest", [b"junk", b",", TWO[9:], TWO[40:], b"}"])
def test_what_is_torn_after_a_whole_record_does_not_lose_it(rest):
    found = salvage(ONE + rest, is_record)
    assert [whole for _, whole in found.objects] == [ONE]
    assert [lost.raw for lost in found.lost] == [rest]
    assert objects(ONE + b"," + TWO) == [ONE, TWO]
    assert objects(b'{"a":1}' + rest) == []


def test_what_is_torn_on_both_sides_is_not_taken():
    assert objects(b"x" + ONE + b"x") == []


def test_a_brace_inside_a_string_is_no_object():
    head = rb'{"uuid":"x","content":"call f({\"uuid\": 1}) {'
    assert objects(head + TWO) == [TWO]


def test_a_nested_object_at_the_end_of_a_torn_line_is_no_record():
    head = b'{"uuid":"x","message":{"role":"user","content":"hi"}'
    assert objects(head) == []
    assert objects(head + TWO) == [TWO]


def test_a_record_torn_after_a_colon_is_not_the_value():
    assert objects(b'{"uuid":"x","message":' + TWO) == [TWO]


def test_nul_runs_are_counted_and_what_follows_is_whole():
    found = salvage(b"\0" * 512 + ONE + b"\0\0", is_record)
    assert found.objects == ((512, ONE),)
    assert [lost.why for lost in found.lost] == [
        "512 NUL bytes, likely a power cut",
        "2 NUL bytes, likely a power cut",
    ]


def test_a_character_torn_in_the_middle_keeps_its_bytes():
    head = b'{"uuid":"x","content":"' + "你".encode()[:2]
    found = salvage(head + TWO, is_record)
    assert [whole for _, whole in found.objects] == [TWO]
    assert found.lost[0].raw == head
    assert found.lost[0].why == f"{len(head)} bytes that are no whole record"


def test_offsets_are_bytes():
    first = '{"uuid":"你好"}'.encode()
    assert salvage(first + TWO, is_record).objects == ((0, first), (len(first), TWO))


@pytest.mark.parametrize(
    "bad",
    [
        b'{"uuid":NaN}',
        b'{"uuid":"\xff"}',
        b'{"uuid":' + b"[" * 5_000 + b"]" * 5_000 + b"}",
        b'{"uuid":' + b"[" * 100_000,
        b'{"uuid":' + b"1" * 5_000 + b"}",
    ],
)
def test_what_is_not_strict_json_is_lost(bad):
    assert objects(TWO + bad) in ([TWO], [])
    assert objects(bad + TWO) in ([TWO], [])


def test_the_work_is_bounded():
    nested = b'{"a":' * 60_000
    begun = time.process_time()
    assert objects(nested + TWO) == []
    assert objects(b'{"' * 200_000) == []
    assert time.process_time() - begun < 20


@given(st.binary())
def test_any_bytes_are_accounted_for(raw):
    found = salvage(raw, is_record)
    pieces = sorted(
        [(o, p) for o, p in found.objects] + [(x.offset, x.raw) for x in found.lost]
    )
    assert b"".join(p for _, p in pieces).split() == raw.split() or all(
        raw[o : o + len(p)] == p for o, p in pieces
    )


@given(st.lists(st.dictionaries(st.text(), st.text() | st.integers() | st.none())))
def test_glued_objects_come_back_as_they_were(values):
    lines = [
        orjson.dumps(value, option=orjson.OPT_PASSTHROUGH_SUBCLASS)
        for value in values
        if _fits(value)
    ]
    assert objects(b"".join(lines)) == lines


def _fits(value):
    try:
        orjson.dumps(value)
    except TypeError:
        return False
    return True


# --- records that line breaks spread ---


def test_a_raw_line_break_inside_a_string_is_mended():
    records = [Record(b'{"uuid":"a","text":"one', 4), Record(b'two"}', 5)]
    assert orjson.loads(rejoin(records)) == {"uuid": "a", "text": "one\ntwo"}


def test_blank_lines_between_are_told_from_the_line_numbers():
    records = [Record(b'{"text":"one', 4), Record(b'two"}', 7)]
    assert orjson.loads(rejoin(records)) == {"text": "one\n\n\ntwo"}


def test_a_line_break_between_tokens_is_mended():
    assert rejoin([Record(b'{"text":', 1), Record(b"1}", 2)]) == b'{"text":\n1}'


def test_lines_that_are_no_object_together_stay_apart():
    assert rejoin([Record(b'{"text":', 1), Record(b"}", 2)]) is None
    assert rejoin([Record(b"[1,", 1), Record(b"2]", 2)]) is None


def run(*lines):
    report = Report()
    records = [Record(line, n, 100 * n) for n, line in enumerate(lines, 1)]
    found = list(whole_objects(records, is_record, report))
    for record, value in found:
        assert orjson.loads(record.raw) == value
    return found, [(note.line, note.kind, note.text) for note in report.notes]


def test_whole_lines_come_as_they_are():
    found, notes = run(ONE, TWO)
    assert [record.raw for record, _ in found] == [ONE, TWO]
    assert notes == []


def test_a_glued_line_is_recovered_and_reported():
    found, notes = run(ONE, TWO + ONE)
    assert [(r.raw, r.line, r.offset) for r, _ in found] == [
        (ONE, 1, 100),
        (TWO, 2, 200),
        (ONE, 2, 200 + len(TWO)),
    ]
    assert notes == [(2, "recovered", "2 whole records in a damaged line")]


def test_a_torn_head_is_reported_with_what_is_lost():
    _, notes = run(ONE[:20] + TWO)
    assert notes == [
        (1, "recovered", "1 whole record in a damaged line"),
        (1, "skipped", "20 bytes that are no whole record"),
    ]


def test_reading_goes_on_after_a_line_that_is_lost():
    found, notes = run(b"\0\0\0\0", ONE, b"{torn", b"42", b"null", TWO, b'{"end":')
    assert [record.raw for record, _ in found] == [ONE, TWO]
    assert [(line, kind) for line, kind, _ in notes] == [
        (1, "skipped"),
        (3, "skipped"),
        (4, "skipped"),
        (5, "skipped"),
        (7, "skipped"),
    ]
    assert notes[0][2] == "4 NUL bytes, likely a power cut"
    assert notes[2][2] == "not an object"


def test_a_spread_record_is_one_record():
    found, notes = run(ONE, b'{"uuid":"c","text":"a', b"b", b'c"}', TWO)
    assert [value.get("text") for _, value in found] == [None, "a\nb\nc", None]
    assert found[1][0].line == 2
    assert notes == [(2, "recovered", "one record that line breaks spread to line 4")]


def test_a_torn_line_does_not_swallow_a_damaged_one():
    found, notes = run(b'{"uuid":"c","text":"a', ONE + TWO, TWO)
    assert [record.raw for record, _ in found] == [ONE, TWO, TWO]
    assert [(line, kind) for line, kind, _ in notes] == [
        (1, "skipped"),
        (2, "recovered"),
    ]


def test_a_record_is_sought_over_few_lines_only():
    broken = [b'{"uuid":"c","text":"a'] + [b"b"] * limits.REJOIN_LINES
    found, notes = run(*broken, b'c"}', ONE)
    assert [record.raw for record, _ in found] == [ONE]
    assert len(notes) == len(broken) + 1


@given(st.lists(st.binary() | st.sampled_from([ONE, TWO, ONE + TWO, ONE[:9]])))
def test_any_lines_are_read_without_an_error(lines):
    run(*lines)
