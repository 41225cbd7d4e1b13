"""Items of the Responses API through the commands, real ones too."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from validity import errors

from mewctl import cli
from mewctl.errors import Exit

SHARED = Path(__file__).parents[2].parent / "shared" / "data" / "transcripts"

RULES = {"role": "developer", "content": "Be brief."}
USER = {"role": "user", "content": [{"type": "input_text", "text": "list files"}]}
THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": [], "status": None}
CALL = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "call_1",
    "name": "bash",
    "arguments": '{"command":"ls"}',
}
WHOLE = {
    "object": "response",
    "id": "resp_1",
    "created_at": 1700000000,
    "model": "gpt-5",
    "error": None,
    "output": [THOUGHT, CALL],
    "usage": {"input_tokens": 100, "output_tokens": 20},
}
HEARD = {"type": "function_call_output", "call_id": "call_1", "output": "a\nb"}


@pytest.fixture(autouse=True)
def _nowhere(tmp_path, monkeypatch):
    """No settings file of this machine takes part."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def mewctl(tmp_path, capfdbinary):
    """Run mewctl on a file with ``data``; code, output, stderr."""

    def run(data, *args):
        path = tmp_path / "in.jsonl"
        path.write_bytes(data)
        code = cli.run([*args, str(path)])
        sys.stdout.flush()
        seen = capfdbinary.readouterr()
        return code, seen.out, seen.err.decode()

    return run


def lines(*values):
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def parsed(data):
    return [json.loads(line) for line in data.splitlines()]


def test_a_response_as_curl_prints_it_gives_its_message(mewctl):
    data = json.dumps(WHOLE, indent=2).encode()
    code, out, _ = mewctl(data, "convert", "--to", "mew")
    assert code == Exit.DONE
    assert out == b""  # its call has no result, and nothing follows
    code, out, _ = mewctl(data, "spill")
    assert parsed(out) == [WHOLE]


def test_a_history_of_items_is_converted_both_ways(mewctl):
    data = lines(RULES, USER, WHOLE, HEARD)
    code, away, words = mewctl(data, "convert", "--to", "mew")
    assert code == Exit.DONE
    assert [record["role"] for record in parsed(away)] == [
        "system",
        "user",
        "assistant",
        "tool",
    ]
    assert words == ""
    _, back, words = mewctl(away, "convert", "--to", "responses")
    call = {key: value for key, value in CALL.items() if key != "id"}
    assert parsed(back) == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "list files"},
        call,
        HEARD,
    ]
    assert "thinking without a signature" in words


def test_a_request_body_has_the_items_of_whole_responses(mewctl):
    data = lines(RULES, USER, WHOLE, HEARD)
    code, out, _ = mewctl(data, "convert", "--to", "responses", "--request")
    assert code == Exit.DONE
    thought = {"type": "reasoning", "id": "rs_1", "summary": []}
    assert parsed(out) == [
        {"instructions": "Be brief.", "input": [USER, thought, CALL, HEARD]}
    ]
    code, again, _ = mewctl(out, "convert", "--to", "responses", "--request")
    assert parsed(again) == parsed(out)


def test_records_that_need_nothing_are_the_very_bytes(mewctl):
    plain = b'{ "role":"user",\t"content":"caf\\u00e9" , "n":1.50}\n'
    items = b'{"type":"function_call","call_id":"a","name":"f","arguments":"{ }"}\n'
    heard = b'{"type" : "function_call_output","call_id":"a","output":""}\n'
    data = plain + items + heard
    for args in (["convert", "--to", "responses"], ["repair"], ["spill"]):
        assert mewctl(data, *args)[:2] == (Exit.DONE, data)


def test_a_chat_message_among_items_is_a_second_kind(mewctl):
    said = {"role": "assistant", "content": "x", "refusal": "no"}
    for chat in ({"role": "tool", "tool_call_id": "a", "content": "x"}, said):
        code, _, words = mewctl(lines(USER, CALL, chat), "repair")
        assert code == Exit.BAD_INPUT
        assert "two kinds of records" in words


@pytest.mark.skipif(not SHARED.is_dir(), reason="no real transcripts here")
@pytest.mark.parametrize("name", ["short", "medium", "v0.4", "compacted"])
def test_real_items_are_spilled_repaired_converted_and_compacted(mewctl, name):
    raw = (SHARED / "codex" / f"{name}.jsonl").read_bytes()
    values = [json.loads(line) for line in raw.splitlines() if line.startswith(b"{")]
    items = [v["payload"] for v in values if v.get("type") == "response_item"]
    data = lines(*items)
    code, mended, _ = mewctl(data, "repair", "-q")
    assert code == Exit.DONE
    assert errors("responses", parsed(mended)) == []
    assert mewctl(mended, "repair")[1:] == (mended, "")
    code, spilled, _ = mewctl(mended, "spill", "--single-limit", "4000", "-q")
    assert code == Exit.DONE
    assert mewctl(spilled, "spill", "-q")[1] == spilled
    code, chat, _ = mewctl(spilled, "convert", "--to", "anthropic", "-q")
    assert code == Exit.DONE
    assert errors("anthropic", parsed(chat)) == []
    code, small, _ = mewctl(mended, "compact", "--trigger", "manual", "-q")
    assert code in (Exit.DONE, Exit.CANNOT_FIT)
    assert errors("responses", parsed(small)) == []
