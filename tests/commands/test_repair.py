"""``mewctl repair``: streams, exit codes and words."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from mewctl import cli, limits
from mewctl.errors import Exit

ROOT = Path(__file__).parents[2]
TRANSCRIPT = ROOT / "tests" / "data" / "claude-code" / "current.jsonl"

USER = {"role": "user", "content": "go"}
SAID = {"role": "assistant", "content": "ok"}
USE = {
    "role": "assistant",
    "content": [{"type": "tool_use", "id": "a", "name": "run", "input": {}}],
}
CALL = {"role": "assistant", "content": "", "tool_calls": [{"id": "a", "name": "n"}]}


@pytest.fixture(autouse=True)
def _nowhere(tmp_path, monkeypatch):
    """No settings file of this machine takes part."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def history(tmp_path):
    """Write a history; its path."""

    def write(*values, name="history.jsonl"):
        path = tmp_path / name
        lines = [v if isinstance(v, bytes) else json.dumps(v).encode() for v in values]
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        return str(path)

    return write


@pytest.fixture
def mew(capfdbinary):
    """Run ``mewctl repair``: exit code, output, lines on stderr."""

    def run(*args):
        code = cli.run(["repair", *args])
        sys.stdout.flush()
        seen = capfdbinary.readouterr()
        return code, seen.out, seen.err.decode().splitlines()

    return run


def test_a_valid_history_comes_out_as_it_was_and_nothing_is_said(history, mew):
    path = history(b'{"role" : "user","content":"\\u0067o", "x":1.0}', SAID)
    assert mew(path) == (Exit.DONE, Path(path).read_bytes(), [])


def test_each_repair_is_told_with_its_place(history, mew):
    path = history(USER, USER, SAID, USE)
    code, out, err = mew("--from", "anthropic", path)
    assert code == Exit.DONE
    assert len(out.splitlines()) == 2
    first, second = err
    assert first == (
        f"mewctl repair: {path}:2: two messages of the user in a row; joined into one"
    )
    assert second == (
        f"mewctl repair: {path}:4: no result is recorded, and the history ends here "
        "(call a); the message is cut"
    )
    assert mew("-q", "--from", "anthropic", path) == (code, out, [])


def test_with_several_inputs_the_message_is_named(history, mew):
    one, two = history(USER, name="1"), history(USER, SAID, name="2")
    _, out, err = mew("--from", "anthropic", one, two)
    assert len(out.splitlines()) == 2
    assert err == [
        "mewctl repair: message 2: two messages of the user in a row; joined into one"
    ]


def test_a_long_history_comes_out_whole(history, mew):
    path = history(*[USER, SAID] * 200)
    assert mew(path) == (Exit.DONE, Path(path).read_bytes(), [])


def test_many_repairs_are_counted(history, mew):
    path = history(*[USER] * (limits.REPAIRS_TOLD + 3))
    _, _, err = mew("--from", "anthropic", path)
    assert len(err) == limits.REPAIRS_TOLD + 1
    assert err[-1] == "mewctl repair: 2 more; mewctl repair --check lists them all"
    code, out, err = mew("--check", "--from", "anthropic", path)
    assert (code, len(out.splitlines()), err) == (Exit.NO, limits.REPAIRS_TOLD + 2, [])


def test_check_writes_a_finding_a_line_and_says_no(history, mew):
    path = history(USER, CALL)
    code, out, err = mew("--check", path)
    assert (code, err) == (Exit.NO, [])
    assert [json.loads(line) for line in out.splitlines()] == [
        {
            "type": "finding",
            "kind": "orphan-call",
            "line": 2,
            "message": 2,
            "id": "a",
            "detail": "no result is recorded, and the history ends here",
            "repair": "the message is cut",
        }
    ]


def test_check_says_nothing_of_a_valid_history(history, mew):
    assert mew("--check", history(USER, SAID)) == (Exit.DONE, b"", [])
    assert mew("--check", history()) == (Exit.DONE, b"", [])


def test_nothing_in_is_nothing_out(history, mew):
    assert mew(history()) == (Exit.DONE, b"", [])


@pytest.mark.parametrize(
    ("values", "kinds"),
    [
        ([USER, USER, SAID], []),
        ([USER, USER, USE, USER], ["consecutive-messages", "orphan-call"]),
        ([USER, USER, CALL, USER], ["orphan-call"]),
        ([SAID, USER, SAID], ["leading-message"]),
        ([{"role": "developer", "content": "x"}, SAID, USER, USER], []),
    ],
    ids=["neutral", "anthropic", "mew", "neutral-leading", "openai"],
)
def test_the_rules_are_those_of_the_format_that_the_records_show(
    history, mew, values, kinds
):
    _, out, _ = mew("--check", history(*values))
    assert [json.loads(line)["kind"] for line in out.splitlines()] == kinds


def test_two_kinds_of_records_are_bad_input(history, mew):
    code, _, err = mew(history(USER, USE, USER, CALL))
    assert code == Exit.BAD_INPUT
    assert "history.jsonl:4: two kinds of records" in err[-1]
    one, two = history(USER, USE, name="1"), history(USER, CALL, name="2")
    code, _, err = mew(one, two)
    assert code == Exit.BAD_INPUT
    assert "2:2: two kinds of records: " in err[-1]
    assert f"in line 2 of {one}" in err[-1]


def test_what_ordinary_records_hide_is_still_seen_as_another_kind(history, mew):
    plain = {"role": "assistant", "content": "x", "tool_calls": [{"id": "b"}]}
    code, _, err = mew(history(USER, USE, plain))
    assert code == Exit.BAD_INPUT
    assert ":3: two kinds of records" in err[-1]


@pytest.mark.parametrize(
    "bad", [b"{", b"[1]", b"\x00\x00", b'{"role":"user","content":7}']
)
def test_a_bad_record_ends_the_run_or_is_skipped(history, mew, bad):
    path = history(USER, bad, SAID)
    code, out, err = mew(path)
    assert code == Exit.BAD_INPUT
    assert f"{path}:2 (byte " in err[-1]
    code, out, err = mew("--on-bad", "skip", path)
    assert (code, len(out.splitlines())) == (Exit.DONE, 2)
    assert err[0].startswith(f"mewctl repair: skipped {path}:2")


def test_an_input_without_any_message_is_bad(history, mew):
    path = history({"a": 1}, {"b": 2})
    code, out, err = mew(path)
    assert (code, out) == (Exit.BAD_INPUT, b"")
    assert "2 records, and none is a message" in err[0]
    assert "1 record, and none" in mew(history({"a": 1}))[2][0]
    assert mew("--from", "mew", path) == (Exit.DONE, Path(path).read_bytes(), [])


def test_a_document_is_read_as_the_messages_it_holds(tmp_path, mew):
    path = tmp_path / "body.json"
    path.write_text(json.dumps({"messages": [USER, USE, USER]}, indent=2))
    code, out, err = mew(str(path))
    assert code == Exit.DONE
    assert [json.loads(line)["role"] for line in out.splitlines()] == [
        "user",
        "assistant",
        "user",
    ]
    assert len(err) == 1


def test_a_transcript_becomes_a_valid_history(mew):
    code, out, err = mew(str(TRANSCRIPT))
    assert (code, err) == (Exit.DONE, [])
    roles = {json.loads(line)["role"] for line in out.splitlines()}
    assert roles == {"user", "assistant", "tool"}


def test_the_output_can_be_a_file_but_no_input(history, mew, tmp_path):
    path, target = history(USER, CALL), tmp_path / "out.jsonl"
    code, out, _ = mew("-o", str(target), path)
    assert (code, out) == (Exit.DONE, b"")
    assert target.read_bytes() == json.dumps(USER).encode() + b"\n"
    assert mew("-o", path, path)[0] == Exit.UNSAFE


def test_a_record_too_deep_to_be_changed_is_bad_input(history, mew):
    deep = b'{"role":"user","content":"x","y":' + b"[" * 300 + b"]" * 300 + b"}"
    code, _, err = mew("--from", "anthropic", history(deep, USER, SAID))
    assert code == Exit.BAD_INPUT
    assert "line 1: must be changed, but is nested too deep" in err[-1]


@pytest.mark.parametrize("options", [[], ["--check"]])
def test_a_bad_record_late_in_the_input_leaves_no_half_result(history, mew, options):
    path = history(*[USER, USER, SAID] * 1334, b"not json")
    code, out, err = mew(*options, "--from", "anthropic", path)
    assert (code, out) == (Exit.BAD_INPUT, b"")
    assert f"{path}:4003 (byte " in err[-1]
