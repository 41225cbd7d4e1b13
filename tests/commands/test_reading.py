"""Reading as all commands do it: several inputs, documents, what was heard, looks."""

from __future__ import annotations

import json

import pytest

from mewctl.commands.looks import Checks, Views
from mewctl.commands.reading import Reading, Source, Wish, load_history
from mewctl.errors import BadInput

BIG = 123456789012345678901234567890
PLAIN = {"role": "user", "content": "x"}
USE = {
    "role": "assistant",
    "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}],
}
SAID = {"role": "assistant", "content": "y", "model": "m", "usage": {"input": 5}}
CALL = {"role": "tool", "tool_call_id": "a", "content": "k"}
OPENAI = {"role": "developer", "content": "x"}  # or of the Responses API
RESPONSE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude",
    "content": [{"type": "text", "text": "hi"}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": BIG, "output_tokens": 2},
}


@pytest.fixture
def files(tmp_path):
    """Write several inputs of JSONL; their paths."""

    def write(*inputs):
        paths = []
        for number, values in enumerate(inputs):
            path = tmp_path / f"{number}.jsonl"
            path.write_text("".join(json.dumps(value) + "\n" for value in values))
            paths.append(str(path))
        return paths

    return write


def read(paths, **wish):
    reading = Reading(paths, Wish(**wish))
    return reading, list(reading)


@pytest.mark.parametrize(
    ("inputs", "form"),
    [
        ([[PLAIN], [PLAIN, USE]], "anthropic"),
        ([[USE], [PLAIN]], "anthropic"),
        ([[PLAIN], [PLAIN]], "mew"),
        ([[OPENAI], [CALL]], "openai"),
        ([[PLAIN], [SAID]], "mew"),
        ([[], [USE], []], "anthropic"),
    ],
)
def test_several_inputs_are_one_history_whose_first_telling_record_decides(
    files, inputs, form
):
    reading, entries = read(files(*inputs))
    assert reading.format == reading.source == form
    assert len(entries) == sum(map(len, inputs))


@pytest.mark.parametrize("first", [USE, OPENAI])
def test_another_kind_in_a_later_input_is_bad_and_both_places_are_named(files, first):
    other = CALL if first is USE else USE
    one, two = files([PLAIN, first], [PLAIN, other])
    with pytest.raises(BadInput, match="two kinds of records") as found:
        read([one, two])
    assert str(found.value).startswith(f"{two}:2: ")
    assert f"in line 2 of {one}" in str(found.value)


def test_a_format_that_was_named_is_that_of_all_inputs(files):
    reading, entries = read(files([PLAIN], [USE]), from_="anthropic")
    assert (reading.format, len(entries)) == ("anthropic", 2)


@pytest.mark.parametrize("look", [Views, Checks])
@pytest.mark.parametrize("from_", ["auto", "mew"])
def test_the_last_model_and_the_largest_usage_are_heard(files, look, from_):
    more = {**SAID, "usage": {"input": 2}, "model": "n"}
    source = Source(files([PLAIN, SAID, more]), Wish(from_=from_), look())
    assert len(list(source)) == 3
    assert (source.model, source.top_usage) == ("n", 5)


@pytest.mark.parametrize("bad", [{"role": "user", "content": 7}, {"role": "user"}])
@pytest.mark.parametrize("on_bad", ["fail", "skip"])
def test_what_is_kept_is_checked_as_what_is_viewed(files, bad, on_bad):
    def seen(look):
        source = Source(files([PLAIN, USE, bad]), Wish(on_bad=on_bad), look)
        try:
            return [record for record, _ in source], source.bad
        except BadInput as error:
            return str(error)

    assert seen(Checks()) == seen(Views())


def test_a_history_that_is_loaded_is_all_of_its_records(files):
    history = load_history(files([PLAIN, USE], [PLAIN]), Wish())
    assert history.lens.format.NAME == "anthropic"
    assert [record.line for record in history.records] == [1, 2, 1]


def test_bad_records_that_are_skipped_are_counted_once_each(tmp_path):
    path = tmp_path / "bad.jsonl"
    path.write_bytes(b'{"role":"user","content":7}\n{\n' + json.dumps(PLAIN).encode())
    reading, entries = read([str(path)], on_bad="skip")
    assert (reading.bad, len(entries)) == (2, 1)
    path.write_bytes(b'{"role":"user","content":7}')
    reading, entries = read([str(path)], on_bad="skip")
    assert (reading.bad, entries) == (1, [])
    path.write_bytes(b"{\n")
    with pytest.raises(BadInput, match="none is a message"):
        read([str(path)], on_bad="skip")


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize(
    "document", [[{**PLAIN, "n": BIG}], {"messages": [{**PLAIN, "n": BIG}]}, RESPONSE]
)
def test_the_records_of_a_document_keep_big_numbers(tmp_path, document, indent):
    path = tmp_path / "document.json"
    path.write_text(json.dumps(document, indent=indent))
    _, [(record, _)] = read([str(path)])
    assert str(BIG).encode() in record.raw


def test_a_document_too_deep_to_be_written_anew_is_bad_input(tmp_path):
    path = tmp_path / "deep.json"
    deep = "[" * 300 + "]" * 300
    path.write_text(f'[{{"role":"user","content":"x","y":{deep}}}]')
    with pytest.raises(BadInput, match=r"deep\.json: nested too deep"):
        read([str(path)])
