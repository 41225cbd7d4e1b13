"""The streaming engine: what it looks at, what it passes, and when it writes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spilling import (
    Sink,
    assistant,
    gone,
    lines,
    reader,
    results,
    spill,
    step,
    texts,
    user,
)

from mewctl.errors import BadInput
from mewctl.history.offloaded import recognise
from mewctl.spill.scan import Elsewhere, scan
from mewctl.spill.spiller import Options, Spiller
from mewctl.spill.vault import Vault
from mewctl.spill.weave import Setting

BIG = "a line of output\n" * 5000  # 85,000 bytes


def as_ascii(line: bytes) -> bytes:
    return json.dumps(json.loads(line)).encode() + b"\n"


# --- limits ---


def test_a_big_result_leaves_a_preview_and_all_else_stays(tmp_path, form):
    before = lines(user(form, "hello"), assistant(form, [("toolu_1", {"a": 1})]))
    after = lines(assistant(form, [], "done"), user(form, "thanks"))
    data = before + lines(*results(form, [("toolu_1", BIG)])) + after
    run = spill(data, tmp_path / "spill")
    assert run.data.startswith(before)
    assert run.data.endswith(after)
    ((identity, text),) = texts(run.data)
    assert identity == "toolu_1"
    known = recognise(text)
    assert known is not None
    assert known.size == len(BIG)
    assert known.path == str(tmp_path / "spill" / "toolu_1")
    assert (tmp_path / "spill" / "toolu_1").read_text() == BIG
    assert (run.tally.spilled, run.tally.size, run.tally.failed) == (1, len(BIG), 0)


def test_the_default_limits(tmp_path, form):
    data = lines(*step(form, [("a", "x" * 50_000)]), *step(form, [("b", "y" * 50_001)]))
    assert gone(spill(data, tmp_path).data) == [False, True]
    many = [(f"c{n}", f"{n}" * 45_000) for n in range(5)]
    run = spill(lines(*step(form, many)), tmp_path)
    assert gone(run.data) == [True, False, False, False, False]


def test_sizes_are_bytes_of_utf8_whatever_the_escapes(tmp_path, form):
    text = "错" * 17_000  # 51,000 bytes, 17,000 characters, 102,000 bytes if escaped
    data = lines(*step(form, [("a", text)]), *step(form, [("b", "错" * 16_000)]))
    escaped = b"".join(map(as_ascii, data.splitlines()))
    for stream in (data, escaped):
        assert gone(spill(stream, tmp_path).data) == [True, False]


def test_what_is_marked_as_failed_shows_its_errors(tmp_path):
    noise = "fine\n" * 20_000
    answer = results("mew", [("a", noise + "TypeError: no\n" + noise)], failed=True)
    data = lines(assistant("mew", [("a", {})]), *answer)
    assert "TypeError: no" in texts(spill(data, tmp_path).data)[0][1]


def test_unchanged_parts_of_a_changed_record_stay(tmp_path):
    marked = {"type": "text", "text": "ok", "cache_control": {"type": "ephemeral"}}
    answer = {"type": "tool_result", "tool_use_id": "a", "content": BIG, "x": 2**64}
    record = {
        "role": "user",
        "content": [
            answer,
            {"type": "tool_result", "tool_use_id": "b", "content": [marked]},
            {"type": "text", "text": "please go on"},
        ],
        "unknown": {"n": 12345678901234567890123},
    }
    data = lines(assistant("anthropic", [("a", {}), ("b", {})]), record)
    changed = json.loads(spill(data, tmp_path).data.splitlines()[1])
    assert recognise(changed["content"][0].pop("content"))
    del record["content"][0]["content"]
    assert changed == record


def test_results_of_several_texts_have_them_joined_for_a_body(tmp_path):
    blocks = [{"type": "text", "text": BIG}, {"type": "text", "text": "end"}]
    data = lines(*step("anthropic", [("a", blocks)]))
    spill(data, tmp_path)
    assert (tmp_path / "a").read_text() == BIG + "end"


# --- the very bytes ---


def test_short_lines_pass_unseen_with_blank_lines_and_carriage_returns(tmp_path, form):
    data = (
        b"\xef\xbb\xbf" + lines(*step(form, [("a", "x")]), end="\r\n") + b"\n \t\r\n"
        + b'{ "role" : "user",\t"content":"\\u00e9 \\/ 1e5" , "n":1.50}\r\n\n\n'
        + b"this is no record, but too short to matter\n"
    )  # fmt: skip
    assert spill(data, tmp_path).data == data
    assert not list(tmp_path.iterdir())


def test_a_last_line_without_an_end_gets_one(tmp_path, form):
    data = lines(*step(form, [("a", "x")])).rstrip(b"\n")
    assert spill(data, tmp_path).data == data + b"\n"
    big = lines(*step(form, [("a", BIG)])).rstrip(b"\n")
    assert gone(spill(big, tmp_path).data) == [True]
    assert spill(data + b"\n  ", tmp_path).data == data + b"\n  "


def test_a_torn_last_line_is_a_bad_record(tmp_path):
    data = lines(user("mew", "hi"), user("mew", "there"))[:-5]
    with pytest.raises(BadInput) as caught:
        spill(data, tmp_path)
    assert caught.value.fields["place"] == "test:2 (byte 34)"


def test_a_byte_order_mark_before_a_changed_record_goes(tmp_path):
    data = lines(*results("mew", [("a", BIG)]))
    assert spill(b"\xef\xbb\xbf" + data, tmp_path).data == spill(data, tmp_path).data


# --- bad input ---


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (b"42\n", "not an object but a number"),
        (b"null\n", "not an object but null"),
        (b'"x"\n', "not an object but a string"),
        (b"\x1f\x8b\x08\n", "binary input"),
        (b"\0\0\0\0\n", "NUL bytes, likely a power cut"),
        (b"not json\n", "not JSON"),
        (b'{"a":NaN}\n', "not JSON"),
        (b'{"a":"\xff"}\n', "not UTF-8"),
        (b"[" * 100_000 + b"\n", "nested too deep"),
    ],
)
def test_a_first_line_that_is_no_record_ends_the_run(tmp_path, bad, why):
    with pytest.raises(BadInput, match=why) as caught:
        spill(bad + lines(user("mew", "hi")), tmp_path)
    assert str(caught.value.fields["place"]).startswith("test:1 (byte 0)")
    run = spill(bad + lines(user("mew", "hi")), tmp_path, on_bad="skip")
    assert run.data == bad + lines(user("mew", "hi"))
    assert run.warnings[0].startswith("passed test:1 (byte 0): ")


def test_a_bad_record_that_could_matter_ends_the_run_after_what_precedes_it(
    tmp_path, form
):
    good = lines(user(form, "hi"), *step(form, [("a", BIG)]))
    bad = b'{"role":"tool","tool_results":[' + b"x" * 60_000 + b"\n"
    sink = Sink()
    spiller = Spiller(Vault(str(tmp_path)), Options(), lambda _: None)
    with pytest.raises(BadInput) as caught:
        scan(
            reader(good + bad + good),
            Setting(sink, spiller, lambda _: None, "in"),
            form,
        )
    line = good.count(b"\n") + 1
    assert caught.value.fields["place"] == f"in:{line} (byte {len(good)})"
    assert gone(sink.data) == [True]
    run = spill(good + bad + good, tmp_path, form=form, on_bad="skip")
    assert bad in run.data
    assert gone(run.data.replace(bad, b"")) == [True, True]


def test_lines_are_counted_again_where_that_is_possible(tmp_path):
    bad = b'{"role":"tool","tool_results":[' + b"x" * 60_000 + b"\n"
    asked = []

    def recount(start, end):
        asked.append((start, end))
        return 41

    sink, head = Sink(), lines(*step("mew", [("a", "x")]))
    spiller = Spiller(Vault(str(tmp_path)), Options(), lambda _: None)
    setting = Setting(sink, spiller, lambda _: None, "in")
    with pytest.raises(BadInput) as caught:
        scan(reader(head + bad), setting, recount=recount)
    assert caught.value.fields["place"] == f"in:42 (byte {len(head)})"
    assert asked == [(0, len(head))]


def test_two_kinds_of_records_in_one_stream_are_refused(tmp_path):
    data = lines(*step("mew", [("a", BIG)]), *step("anthropic", [("b", BIG)]))
    with pytest.raises(BadInput, match="two kinds of records") as caught:
        spill(data, tmp_path)
    assert caught.value.fields["place"] == "test:4"
    named = spill(data, tmp_path, form="mew")
    assert gone(named.data)[0]


def test_records_of_unknown_roles_and_types_pass(tmp_path):
    data = lines(
        {"type": "x-future", "payload": "p" * 60_000, "note": "tool"},
        {"role": "narrator", "content": "y" * 60_000, "tool": "tool"},
        *step("mew", [("a", "x")]),
    )
    assert spill(data, tmp_path).data == data


def test_a_record_over_the_guard_is_refused(tmp_path):
    with pytest.raises(BadInput, match="more than 1000 bytes"):
        spill(lines(user("mew", "x" * 2000)), tmp_path, max_record=1000)


@given(
    data=st.binary(max_size=300)
    | st.text(alphabet='{}[]":,\\nu0 \n\t', max_size=80).map(str.encode)
)
@settings(max_examples=300, deadline=None)
def test_any_bytes_pass_or_are_bad_input(tmp_path_factory, data):
    place = tmp_path_factory.getbasetemp() / "any"
    for on_bad in ("fail", "skip"):
        try:
            run = spill(data, place, on_bad=on_bad)
        except (BadInput, Elsewhere):
            continue
        assert run.data in (data, data + b"\n")


def test_a_record_too_deep_to_be_written_stays_as_it_was(tmp_path):
    result = f'{{"tool_call_id":"a","content":{json.dumps(BIG)}}}'
    end = f'"x":{"[" * 1010}{"]" * 1010}'
    deep = f'{{"role":"tool","tool_results":[{result}],{end}}}\n'
    run = spill(deep.encode(), tmp_path, form="mew")
    assert run.data == deep.encode()
    assert "stays as it was: nested too deep" in run.warnings[0]


# --- what a stream is ---


@pytest.mark.parametrize("sizes", [(1 << 20,), (10,), (1,)])
def test_the_format_is_found_by_the_first_telling_record(tmp_path, form, sizes):
    plain = lines(user(form, "hi"), {"role": "assistant", "content": "hello"})
    data = plain * 3 + lines(*step(form, [("a", BIG)]))
    assert gone(spill(data, tmp_path, sizes=sizes).data) == [True]


def test_a_stream_of_nothing_but_plain_messages_passes(tmp_path):
    data = lines(*[user("mew", f"hello {n}") for n in range(50)])
    run = spill(data, tmp_path, sizes=(100,))
    assert run.data == data
    assert len(run.flushed) > 10


def test_nothing_is_nothing(tmp_path):
    assert spill(b"", tmp_path).data == b""
    assert spill(b"\n\n", tmp_path).data == b"\n\n"


def elsewhere(data: bytes, tmp_path, sizes=(1 << 20,)) -> bytes:
    """What is given back of an input that is no stream of messages."""
    sink = Sink()
    spiller = Spiller(Vault(str(tmp_path)), Options(), lambda _: None)
    with pytest.raises(Elsewhere) as caught:
        scan(reader(data, sizes), Setting(sink, spiller, lambda _: None, "in"))
    assert sink.data == b""
    pieces = iter(lambda: caught.value.read(1 << 20), b"")
    return b"".join(pieces)


TRANSCRIPT = lines(
    {"type": "summary", "summary": "x", "leafUuid": "u"},
    {"type": "user", "uuid": "u", "parentUuid": None, "sessionId": "s", "cwd": "/",
     "version": "2.1", "isSidechain": False, "userType": "external",
     "timestamp": "2026-01-01T00:00:00Z", "message": {"role": "user", "content": "hi"}},
)  # fmt: skip


@pytest.mark.parametrize("sizes", [(1 << 20,), (7,)])
@pytest.mark.parametrize(
    "data",
    [
        TRANSCRIPT,
        b"not json\n" + TRANSCRIPT,
        json.dumps([user("mew", "hi")], indent=1).encode(),
        json.dumps({"messages": [user("mew", "hi")]}, indent=1).encode() + b"\n",
        b'[{"role":"user","content":"hi"}]',
        b'[{"role":"user","content":"hi"}]\n',
        b'{"messages":[{"role":"user","content":"hi"}]}\n',
        b"\xef\xbb\xbf[\n]",
    ],
)
def test_a_transcript_or_a_document_is_given_back_whole(tmp_path, data, sizes):
    assert elsewhere(data, tmp_path, sizes) == data


def test_an_array_among_messages_is_a_bad_record(tmp_path):
    data = lines(user("mew", "hi")) + b'["type"]\n'
    with pytest.raises(BadInput, match="an array"):
        spill(data, tmp_path)


# --- flow ---


def test_what_is_complete_is_written_before_the_next_read(tmp_path, form):
    history = [
        lines(user(form, "hi")),
        lines(assistant(form, [("a", {}), ("b", {})])),
        lines(*results(form, [("a", "x" * 10), ("b", BIG)])),
        lines(assistant(form, [], "done")),
    ]
    sink = Sink()
    waiting = list(history)
    written = []

    def read(_size):
        written.append(len(sink.data))
        return waiting.pop(0) if waiting else b""

    spiller = Spiller(Vault(str(tmp_path)), Options(), lambda _: None)
    scan(read, Setting(sink, spiller, lambda _: None, "in"), form)
    sizes = [len(part) for part in history]
    assert written[:3] == [0, sizes[0], sizes[0] + sizes[1]]
    assert written[3] > written[2]  # the group was complete: all its results are there
    assert written[4] == len(sink.data)
    assert sink.flushed[-1] == len(sink.data)
