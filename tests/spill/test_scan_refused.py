"""What a stream is refused for, and that the line is named."""

from __future__ import annotations

from itertools import permutations

import pytest
from spilling import FORMATS, assistant, flat, lines, results, spill, step, user

from mewctl.errors import BadInput

BIG = "a line of output\n" * 5000
SMALL = "a line\n"
NEWLINE = b"\n"


def whole(form: str, text: str):
    """A history of one kind, as a list of records: the last has the result."""
    return list(flat([user(form, "hi"), *step(form, [("c1", text)])]))


def refused(data: bytes, place, **options) -> BadInput:
    with pytest.raises(BadInput) as caught:
        spill(data, place, **options)
    return caught.value


@pytest.mark.parametrize(("first", "second"), list(permutations(FORMATS, 2)))
@pytest.mark.parametrize("sizes", [(1 << 20,), (4096,)])
def test_big_results_of_a_second_kind_are_refused(tmp_path, first, second, sizes):
    before, after = whole(first, BIG), list(flat(results(second, [("c2", BIG)])))
    error = refused(lines(*before, *after), tmp_path, sizes=sizes)
    assert error.fields["place"] == f"test:{len(before) + 1}"
    assert "two kinds of records" in str(error)
    assert second in str(error)


@pytest.mark.parametrize("first", ["openai", "responses"])
@pytest.mark.parametrize("second", FORMATS)
@pytest.mark.parametrize("gap", [b"", b"\n \r\n"])
def test_so_are_small_ones_where_results_stand_apart(tmp_path, first, second, gap):
    before = [*whole(first, SMALL), *whole(first, BIG), user(first, "next")]
    data = lines(*before, gap, *results(second, [("c2", SMALL)]))
    if first == second:
        assert gap in spill(data, tmp_path).data
        return
    place = refused(data, tmp_path).fields["place"]
    assert place == f"test:{len(before) + gap.count(NEWLINE) + 1}"


@pytest.mark.parametrize("form", FORMATS)
def test_calls_of_another_kind_are_refused_if_they_are_long(tmp_path, form):
    other = "anthropic" if form != "anthropic" else "openai"
    before = whole(form, SMALL)
    data = lines(*before, assistant(other, [("c", {"text": BIG})]))
    place = refused(data, tmp_path).fields["place"]
    assert place == f"test:{len(before) + 1}"


def test_a_kind_that_was_named_is_believed(tmp_path):
    data = lines(*whole("openai", SMALL), *results("mew", [("c", BIG)]))
    assert spill(data, tmp_path, form="openai").data == data


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("sizes", [(1 << 20,), (50,)])
@pytest.mark.parametrize("held", [False, True])
def test_a_record_over_the_guard_is_refused_by_its_line(tmp_path, form, sizes, held):
    before = whole(form, SMALL) if held else [user(form, "hi")]
    data = lines(*before, b"\n", user(form, "x" * 2000))
    error = refused(data, tmp_path, max_record=1000, sizes=sizes)
    assert str(error) == (
        f"test:{len(before) + 2}: a record of more than 1000 bytes;"
        " raise --max-record if it is real"
    )


def test_what_came_before_a_record_over_the_guard_was_decided(tmp_path):
    data = lines(*whole("mew", BIG), user("mew", "x" * 2 * len(BIG)))
    refused(data, tmp_path, max_record=len(BIG) + 9000)
    assert (tmp_path / "c1").read_text() == BIG


def test_blank_lines_before_anything_else_pass_as_they_are(tmp_path):
    data = b"\n \r\n\t\n" * 9000 + lines(*whole("mew", SMALL)) + b"\r\n" * 5000
    run = spill(data, tmp_path)
    assert run.data == data
    error = refused(data + b'{"tool":' + b"x" * len(BIG) + b"\n", tmp_path)
    assert error.fields["place"].startswith(f"test:{data.count(NEWLINE) + 1} ")


def test_a_transcript_behind_many_unknown_records_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("mewctl.spill.scan._LOOK_BYTES", 1000)
    record = {
        "type": "user", "uuid": "a", "parentUuid": None, "sessionId": "s",
        "message": user("mew", "hi"),
    }  # fmt: skip
    error = refused(lines(*[{"a": "x" * 100}] * 20, record), tmp_path)
    assert error.fields["place"] == "test:21"
    assert "a claude-code record" in str(error)


@pytest.mark.parametrize("form", ["auto", "messages"])
def test_what_looks_like_a_document_among_messages_is_a_record(tmp_path, form):
    data = lines(user("mew", "hi"), {"input": []}, *step("mew", [("c", BIG)]))
    assert spill(data, tmp_path, form=form).data.startswith(
        lines(user("mew", "hi"), {"input": []})
    )
    with_none_before = lines({}, {"messages": []})
    assert spill(with_none_before, tmp_path, form="messages").data == with_none_before
