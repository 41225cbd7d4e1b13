"""``session new`` and ``append``: what comes in is there, as the bytes it was."""

from __future__ import annotations

import json
import os
import re
import stat

import pytest
from talks import CHAT, MESSAGES, RESPONSES, THOUGHT, user


def test_a_new_session_is_private_and_has_an_id(session, log, project):
    name = session("new", "--title", "a\n b", "--model", "m").out.decode().strip()
    assert re.fullmatch(r"\d{8}-\d{6}-[0-9a-f]{4}", name)
    directory = log(name).parent
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert stat.S_IMODE(log(name).stat().st_mode) == 0o600
    meta = json.loads((directory / "session.json").read_text())
    assert (meta["title"], meta["model"]) == ("a b", "m")
    assert (project / ".mewcode" / ".gitignore").exists()


@pytest.mark.parametrize("mask", [0o000, 0o777])
def test_no_umask_makes_it_wider_or_narrower(session, log, mask):
    before = os.umask(mask)
    try:
        name = session("new").out.decode().strip()
        session("append", name, "-q", data=[user()])
    finally:
        os.umask(before)
    modes = {stat.S_IMODE(p.stat().st_mode) for p in log(name).parent.iterdir()}
    assert modes == {0o600}
    assert stat.S_IMODE(log(name).parent.stat().st_mode) == 0o700


def test_records_keep_their_bytes_and_get_a_time(session, new, log):
    name = new()
    odd = b'{"role" : "user","content":"\\u00e9","n":1.50}'
    timed = b'{"role":"user","content":"b","ts":5}'
    done = session("append", name, data=odd + b"\r\n\n" + timed + b"\n")
    first, second = log(name).read_bytes().splitlines()
    assert first.startswith(odd[:-1] + b',"ts":')
    assert second == timed
    ack = json.loads(done.out)
    assert (ack["type"], ack["session"], ack["records"]) == ("appended", name, 2)
    assert ack["bytes"] == log(name).stat().st_size


def test_another_format_goes_into_an_envelope_as_it_is(session, new, log):
    name = new(user())
    raw = json.dumps(THOUGHT, indent=None, separators=(" ,", " : ")).encode()
    session("append", name, data=raw + b"\n")
    line = log(name).read_bytes().splitlines()[-1]
    assert raw in line
    assert json.loads(line)["format"] == "anthropic"
    assert session("load", name).out.splitlines()[1] == raw


@pytest.mark.parametrize(
    ("answer", "form", "usage"),
    [
        (MESSAGES, "anthropic", {"input": 10, "cache_read": 5, "output": 2}),
        (CHAT, "openai", {"input": 7, "output": 1}),
        (RESPONSES, "responses", {"input": 7, "output": 1}),
    ],
)
def test_a_whole_response_is_taken_with_usage_and_model(
    session, new, jsonl, answer, form, usage
):
    name = new(user())
    session("append", name, data=json.dumps(answer).encode())
    *_, last = jsonl.read(session("load", name, "--raw").out)
    assert last["format"] == form
    assert last["model"] == answer["model"]
    assert last["id"] == answer["id"]
    assert {k: v for k, v in last["usage"].items() if v} == usage
    out = jsonl.read(session("load", name, "--to", "mew").out)
    assert "yes" in json.dumps(out[-1])
    assert out[-1]["usage"]["input"] == usage["input"]


def test_a_response_may_be_printed_for_people(session, new, jsonl):
    name = new(user())
    session("append", name, data=json.dumps(MESSAGES, indent=2).encode())
    assert len(jsonl.read(session("load", name, "--raw").out)) == 2


def test_further_choices_are_told_of(session, new):
    done = session("append", new(), data=json.dumps(CHAT).encode())
    assert "1 further choices of the answer left out" in done.err


def test_the_model_is_written_when_it_changes(session, new, log, jsonl):
    name = new(user())
    for model in ("m1", "m1", "m2"):
        data = json.dumps({**MESSAGES, "model": model}).encode()
        session("append", name, data=data)
    models = [r.get("model") for r in jsonl.read(log(name).read_bytes())]
    assert models == [None, "m1", None, "m2"]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'{"role":"us', "not JSON"),
        (b"[1]", "not an object"),
        (b"\0" * 9, "9 NUL bytes"),
        (b'{"type":"compact"}', "hide the history"),
        (b'{"hello":"world"}', "not a message of a known format"),
        (b'{"role":"user","content":5}', ""),
        (b'{"error":{"type":"overloaded_error","message":"busy"}}', "overloaded"),
        (b'{"type":"message_start"}', "without streaming"),
        (b'{"role":"user","content":' + b"[" * 3000, "too deep"),
        (b'{"role":"user","content":"\xff"}', "UTF-8"),
    ],
)
def test_what_is_no_message_is_refused_and_the_batch_is_not_written(
    session, new, log, data, words
):
    name = new(user("before"))
    size = log(name).stat().st_size
    done = session("append", name, data=[user("same batch"), data], code=3)
    assert words in done.err
    assert "Traceback" not in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert done.out == b""
    assert log(name).stat().st_size == size


def test_bad_records_are_skipped_where_that_is_wished(session, new, jsonl):
    name = new()
    data = [user("a"), b"torn", user("b")]
    done = session("append", name, "--on-bad", "skip", data=data)
    assert json.loads(done.out)["records"] == 2
    assert "skipped" in done.err
    found = jsonl.read(session("load", name, "--full").out)
    assert [r["content"] for r in found] == ["a", "b"]


def test_two_kinds_in_one_stream_are_refused(session, new):
    openai = {"role": "tool", "tool_call_id": "x", "content": "y"}
    done = session("append", new(), data=[THOUGHT, openai], code=3)
    assert "two kinds" in done.err


def test_records_that_fit_several_formats_are_of_the_sessions_own(
    session, new, log, jsonl
):
    name = new(user(), THOUGHT)
    cached = {"type": "text", "text": "go", "cache_control": {"type": "ephemeral"}}
    session("append", name, data=[user([cached])])
    last = jsonl.read(log(name).read_bytes())[-1]
    assert last["format"] == "anthropic"
    assert last["record"]["content"] == [cached]


def test_nothing_in_is_nothing_written(session, new, log):
    name = new()
    assert session("append", name, data=b"\n\n").out == b""
    assert log(name).read_bytes() == b""


def test_tee_passes_the_input_on(session, new):
    raw = b'{"role" : "user","content":"a"}\n'
    done = session("append", new(), "--tee", data=raw)
    assert done.out == raw
    assert '"type":"appended"' in done.err


@pytest.mark.parametrize("sync", ["batch", "each", "none"])
def test_every_way_of_syncing_writes_the_same(session, new, log, sync):
    name = new()
    data = [user(str(n), ts=n) for n in range(5)]
    done = session("append", name, "--sync", sync, data=data)
    assert json.loads(done.out)["records"] == 5
    assert len(log(name).read_bytes().splitlines()) == 5


def test_a_revision_that_moved_on_is_refused(session, new, log, tmp_path):
    name = new(user())
    session("load", name, "--revision-to", tmp_path / "r")
    revision = (tmp_path / "r").read_text().strip()
    ack = session("append", name, "--if-revision", revision, data=[user()])
    size = log(name).stat().st_size
    done = session("append", name, "--if-revision", revision, data=[user()], code=11)
    assert "changed meanwhile" in done.err
    assert log(name).stat().st_size == size
    newer = json.loads(ack.out)["revision"]
    session("append", name, "--if-revision", newer, data=[user()])


def test_old_directories_are_taken_as_they_are(session, log, project, jsonl):
    directory = project / ".mewcode" / "sessions" / "1700000000-ab12"
    directory.mkdir(parents=True)
    directory.chmod(0o755)
    old = b'{"role":"user","content":"old","ts":1700000000}\n'
    log("1700000000-ab12").write_bytes(old)
    session("append", "1700000000", "-q", data=[user("new")])
    out = jsonl.read(session("load", "latest", "--full").out)
    assert [r["content"] for r in out] == ["old", "new"]
    assert log("1700000000-ab12").read_bytes().startswith(old)


def test_a_streamed_body_is_called_one(session, new, log):
    name = new()
    body = b'event: message_start\ndata: {"type":"message_start"}\n\n'
    refused = session("append", name, data=body, code=3)
    assert "a streamed answer" in refused.err
    assert "ask for the answer without streaming" in refused.err
    assert log(name).read_bytes() == b""
