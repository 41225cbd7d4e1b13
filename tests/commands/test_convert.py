"""``mewctl convert``: output and report, both or neither; requests; bad places."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from mewctl import cli, limits
from mewctl.errors import Exit

BIG = 123456789012345678901234567890
USER = {"role": "user", "content": "go"}
USE = {
    "role": "assistant",
    "content": [{"type": "tool_use", "id": "a", "name": "run", "input": {"n": BIG}}],
}
DONE = {
    "role": "user",
    "content": [{"type": "tool_result", "tool_use_id": "a", "content": "k"}],
}


@pytest.fixture
def mew(tmp_path, monkeypatch, capfdbinary):
    """Run ``mewctl convert`` in an empty directory: code, output, words on stderr."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)

    def run(*args):
        code = cli.run(["convert", *args])
        out, err = capfdbinary.readouterr()
        return code, out, err.decode()

    return run


@pytest.fixture
def history(tmp_path):
    def write(*values):
        path = tmp_path / "history.jsonl"
        lines = (v if isinstance(v, bytes) else json.dumps(v).encode() for v in values)
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        return path.name

    return write


def lines(data):
    return [json.loads(line) for line in data.splitlines()]


def test_a_report_without_a_place_stops_the_run_before_anything_is_written(
    history, mew, tmp_path
):
    name = history(USER)
    code, out, err = mew("--report", "no/such/dir/x", "-o", "out", name)
    assert (code, out) == (Exit.STORAGE, b"")
    assert err.startswith("mewctl convert: no/such/dir/x: ")
    assert not (tmp_path / "out").exists()
    assert mew("--report", "no/such/dir/x", name)[:2] == (Exit.STORAGE, b"")


@pytest.mark.parametrize(
    "places",
    [("x", "-o", "x"), ("x", "-o", "./x"), ("-",), ("-", "-o", "-")],
)
def test_report_and_output_need_two_places(history, mew, tmp_path, places):
    code, out, err = mew("--report", *places, history(USER))
    assert (code, out) == (Exit.USAGE, b"")
    assert "is the output twice; give each a file of its own" in err
    assert not (tmp_path / "x").exists()


def test_the_report_may_go_to_standard_output_beside_a_file(history, mew, tmp_path):
    code, out, _ = mew("--report", "-", "-o", "x", "--to", "openai", history(USER))
    assert code == Exit.DONE
    assert json.loads(out)["records"] == 1
    assert lines((tmp_path / "x").read_bytes()) == [USER]


def test_the_report_is_written_though_the_reader_of_the_output_has_left(
    history, tmp_path
):
    name = history(USER)
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "mewctl", "convert", "--report", "r", name]
    with os.fdopen(write, "wb") as gone:
        done = subprocess.run(
            command, stdout=gone, stderr=subprocess.PIPE, cwd=tmp_path, check=False
        )
    assert (done.returncode, done.stderr) == (Exit.DONE, b"")
    assert json.loads((tmp_path / "r").read_bytes())["records"] == 1


def test_a_bad_record_leaves_neither_output_nor_report(history, mew, tmp_path):
    name = history(*[USER] * 2000, b"not json")
    assert mew("--report", "r", name)[:2] == (Exit.BAD_INPUT, b"")
    assert mew("--report", "r", "-o", "out", name)[0] == Exit.BAD_INPUT
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_the_report_says_what_was_lost_mended_and_skipped(history, mew, tmp_path):
    name = history(USER, {**USE, "extra": 1}, b"{", {**USER, "content": "x"})
    args = ("--report", "r", "--on-bad", "skip", "--to", "openai", name)
    code, out, err = mew(*args)
    report = json.loads((tmp_path / "r").read_bytes())
    assert (code, len(lines(out))) == (Exit.DONE, 4)
    assert report["type"] == "conversion"
    assert (report["from"], report["to"]) == ("anthropic", "openai")
    assert (report["records"], report["bad_records"]) == (3, 1)
    assert report["lost"] == {"key extra": 1}
    assert [repair["kind"] for repair in report["repairs"]] == ["orphan-call"]
    assert "cannot carry: 1 key extra" in err
    assert mew("-q", *args)[2].count("\n") == 1  # the bad record


def test_a_request_holds_the_very_records(history, mew):
    plain = b'{ "role":"user", "content":"caf\\u00e9" }'
    code, out, _ = mew("--to", "anthropic", "--request", history(plain, USE, DONE))
    assert code == Exit.DONE
    assert out.startswith(b'{"messages":[' + plain + b",")
    assert out.endswith(b"]}\n")
    assert json.loads(out)["messages"][1]["content"][0]["input"] == {"n": BIG}


def test_system_text_of_a_request_keeps_its_numbers(history, mew):
    block = {"type": "text", "text": "a", "n": BIG}
    name = history({"role": "system", "content": [block]}, USE, DONE)
    _, out, _ = mew("--from", "anthropic", "--to", "anthropic", "--request", name)
    assert json.loads(out)["system"] == [block]


def test_a_request_for_nothing_is_a_request(history, mew):
    assert mew("--to", "openai", "--request", history())[1] == b'{"messages":[]}\n'
    assert mew("--to", "mew", "--request", history())[0] == Exit.USAGE


def test_ids_that_the_api_refuses_or_has_seen_become_others(history, mew):
    def turn(call_id):
        call = {"id": call_id, "name": "run", "input": {}}
        result = {"tool_call_id": call_id, "content": "k"}
        yield {"role": "assistant", "content": "", "tool_calls": [call]}
        yield {"role": "tool", "content": "", "tool_results": [result]}

    turns = [record for call_id in ("a b", "ok", "ok", "") for record in turn(call_id)]
    code, out, _ = mew("--to", "anthropic", history(USER, *turns))
    assert code == Exit.DONE
    blocks = [b for r in lines(out)[1:] for b in r["content"]]
    calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
    assert calls == [b["tool_use_id"] for b in blocks if b["type"] == "tool_result"]
    assert len(set(calls)) == 4
    assert calls[1] == "ok"
    assert all(call.replace("_", "").isalnum() for call in calls)


def test_a_long_history_is_converted_as_a_short_one(history, mew):
    size = limits.SHELF_BLOCK // 20
    turns = [{"role": "user", "content": f"{n}"} for n in range(size)]
    code, out, _ = mew("--to", "openai", history(*turns))
    assert code == Exit.DONE
    assert lines(out) == turns
