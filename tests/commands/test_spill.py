"""``mewctl spill``: options, exit codes, words, and what it imports."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from spilling import assistant, gone, lines, results, step, texts, user

from mewctl import cli
from mewctl.errors import Exit, StorageError
from mewctl.spill.ledger import Ledger

BIG = "a line of output\n" * 5000
OLD = "an old line of output\n" * 2000
DATA = lines(user("mew", "hi"), *step("mew", [("call_1", BIG)]), user("mew", "next"))


@pytest.fixture(autouse=True)
def _nowhere(tmp_path, monkeypatch):
    """A project of its own, and no settings of this machine."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.chdir(work)


@pytest.fixture
def mew(capfdbinary, tmp_path):
    """Run ``mewctl spill`` on a file: exit code, output, lines on stderr."""

    def run(data, *args):
        path = tmp_path / "input.jsonl"
        path.write_bytes(data)
        code = cli.run(["spill", *args, str(path)])
        sys.stdout.flush()
        seen = capfdbinary.readouterr()
        return code, seen.out, seen.err.decode().splitlines()

    return run


def test_big_results_go_to_the_projects_store_and_that_is_said(mew):
    code, out, err = mew(DATA)
    where = Path.cwd() / ".mewcode" / "spill"
    assert code == Exit.DONE
    assert gone(out) == [True]
    assert err == [f"mewctl spill: 1 body (85000 bytes) moved to {where}"]
    assert (where / "call_1").read_text() == BIG
    assert (where.parent / ".gitignore").exists()
    assert oct(where.stat().st_mode)[-3:] == "700"
    assert mew(DATA) == (Exit.DONE, out, [])


def test_quiet_says_nothing(mew):
    assert mew(DATA, "-q")[2] == []


def test_small_results_leave_no_store(mew):
    data = lines(*step("mew", [("call_1", "x")]))
    assert mew(data) == (Exit.DONE, data, [])
    assert os.listdir() == []


@pytest.mark.parametrize("name", ["dir", "session"])
def test_directory_and_session_name_the_place(mew, tmp_path, name):
    if name == "dir":
        code, _, _ = mew(DATA, "-d", "some/where")
        place = Path.cwd() / "some" / "where"
    else:
        session = tmp_path / "20260101-000000-abcd"
        session.mkdir()
        (session / "conversation.jsonl").touch(0o600)
        code, _, _ = mew(DATA, "-s", str(session))
        place = session / "tool-results"
    assert code == Exit.DONE
    assert (place / "call_1").read_text() == BIG


def test_an_unknown_session_is_not_found(mew):
    assert mew(DATA, "-s", "none")[0] == Exit.NOT_FOUND


def test_limits_are_options(mew):
    data = lines(*step("mew", [("a", "x" * 3000), ("b", "y" * 2900)]))
    assert gone(mew(data, "--single-limit", "2.95k")[1]) == [True, False]
    other = ("-d", "other", "--aggregate-limit", "5000")
    assert gone(mew(data, *other)[1]) == [True, False]


@pytest.mark.parametrize("value", ["0", "-1", "many", "1.5", ""])
def test_limits_must_be_numbers(mew, value):
    assert mew(DATA, "--single-limit", value)[0] == Exit.USAGE


def test_other_limits_than_those_bound_are_ignored_with_a_warning(mew):
    mew(DATA)
    _, out, err = mew(DATA, "--single-limit", "100k")
    assert gone(out) == [True]
    assert "bound to limits of 50000 and 200000 bytes" in err[0]
    small = lines(*step("mew", [("call_2", "x" * 9000)]))
    assert gone(mew(small, "--single-limit", "5k", "--relimit")[1]) == [True]


def test_previews_and_language_are_options(mew):
    _, out, _ = mew(DATA, "--preview", "tail", "--lang", "zh")
    text = texts(out)[0][1]
    assert "[head preview]" not in text
    assert "[完整内容]" in text


@pytest.mark.parametrize("strict", [False, True])
def test_what_cannot_be_written_stays_and_strict_changes_the_exit_alone(mew, strict):
    Path("file").write_bytes(b"")
    code, out, err = mew(DATA, "-d", "file/spill", *["--strict"] * strict)
    assert out == DATA
    assert "stays in the history" in err[0]
    assert code == (Exit.STORAGE if strict else Exit.DONE)


def test_a_ledger_that_is_refused_leaves_the_history_as_it_is(mew):
    Path("store").mkdir()
    Path("store/ledger.jsonl").symlink_to("/etc/passwd")
    code, out, err = mew(DATA, "-d", "store")
    assert (code, out) == (Exit.DONE, DATA)
    assert "is a symbolic link" in err[0]


def test_a_later_version_of_the_ledger_is_a_configuration_error(mew):
    Path("store").mkdir()
    Path("store/ledger.jsonl").write_text(
        '{"type":"ledger","version":9,"single_limit":1,"aggregate_limit":1}\n'
    )
    assert mew(DATA, "-d", "store")[0] == Exit.CONFIG


def test_bad_records_end_the_run_or_are_passed(mew):
    bad = b'{"role":"tool","tool_results":[' + b"x" * 60_000 + b"\n"
    code, out, err = mew(DATA + bad + DATA)
    assert code == Exit.BAD_INPUT
    assert gone(out) == [True]
    assert ":5 (byte " in err[-1]
    code, out, err = mew(DATA + bad + DATA, "--on-bad", "skip")
    assert code == Exit.DONE
    assert gone(out.replace(bad, b"")) == [True, True]


def test_an_output_file_is_replaced_as_a_whole_and_is_no_input(mew, tmp_path):
    code, out, _ = mew(DATA, "-o", "out.jsonl")
    assert (code, out) == (Exit.DONE, b"")
    assert gone(Path("out.jsonl").read_bytes()) == [True]
    assert mew(DATA, "-o", str(tmp_path / "input.jsonl"))[0] == Exit.UNSAFE
    assert (tmp_path / "input.jsonl").read_bytes() == DATA


def test_several_files_come_one_after_the_other(mew, tmp_path):
    (tmp_path / "one").write_bytes(DATA)
    two = lines(*step("mew", [("call_2", BIG)]))
    _, out, _ = mew(two, str(tmp_path / "one"))
    assert [identity for identity, _ in texts(out)] == ["call_1", "call_2"]
    assert gone(out) == [True, True]


def test_empty_files_are_no_input(mew, tmp_path):
    assert mew(b"") == (Exit.DONE, b"", [])
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "one").write_bytes(DATA)
    _, out, _ = mew(b"", str(tmp_path / "empty"), str(tmp_path / "one"))
    assert gone(out) == [True]


def test_a_file_that_is_not_there_is_not_found(mew):
    assert mew(b"", "no-such-file")[0] == Exit.NOT_FOUND


# --- not a stream of messages ---


def test_a_json_document_is_read_as_its_messages(mew):
    messages = [user("openai", "hi"), *step("openai", [("call_1", BIG)])]
    for value in (messages, {"messages": messages}):
        code, out, _ = mew(json.dumps(value, indent=1).encode())
        assert code == Exit.DONE
        assert out.count(b"\n") == 3
        assert gone(out) == [True]


def claude(*messages) -> bytes:
    """A transcript of Claude Code."""
    made, parent = [], None
    for number, (kind, message) in enumerate(messages):
        made.append(
            {
                "type": kind, "uuid": f"u{number}", "parentUuid": parent,
                "sessionId": "s", "cwd": "/", "version": "2.1.0", "isSidechain": False,
                "userType": "external", "timestamp": f"2026-01-01T00:00:0{number}Z",
                "message": message,
            }
        )  # fmt: skip
        parent = f"u{number}"
    return lines(*made)


def transcript() -> bytes:
    call, answer = step("anthropic", [("call_1", BIG)])
    call |= {"id": "m1", "model": "claude-x", "type": "message", "usage": {}}
    return claude(("user", user("", "hi")), ("assistant", call), ("user", answer))


def test_a_long_transcript_comes_out_whole(mew, monkeypatch):
    monkeypatch.setattr("mewctl.limits.READ_BLOCK", 200)
    said = [(kind, user("", f"{kind} {n}")) for n in range(9) for kind in ("user",)]
    code, out, _ = mew(claude(*said), "--from", "claude-code")
    assert code == Exit.DONE
    assert out.count(b"\n") == 9


@pytest.mark.parametrize("form", ["auto", "claude-code"])
def test_a_transcript_comes_out_as_mew(mew, form):
    code, out, _ = mew(transcript(), "--from", form)
    assert code == Exit.DONE
    assert gone(out) == [True]
    assert json.loads(out.splitlines()[-1])["role"] == "tool"


def test_a_transcript_comes_out_in_the_format_asked_for(mew):
    code, out, _ = mew(transcript(), "--to", "openai")
    assert code == Exit.DONE
    assert json.loads(out.splitlines()[-1])["tool_call_id"] == "call_1"
    assert gone(out) == [True]


# --- what needs the whole history ---


def test_old_output_goes_where_asked_and_the_first_changed_byte_is_told(mew):
    data = lines(*(r for n in range(6) for r in step("mew", [(f"c{n}", OLD + str(n))])))
    code, out, err = mew(data, "--keep-recent", "5000", "--window", "50000")
    assert code == Exit.DONE
    assert gone(out)[0]
    assert not gone(out)[-1]
    first = next(n for n, (a, b) in enumerate(zip(data, out, strict=False)) if a != b)
    told = int(err[0].split("first changed byte: ")[1].split(";")[0])
    assert told <= first < told + 100
    assert mew(data)[1] == out


def test_old_output_stays_where_that_frees_too_little(mew):
    data = lines(*(r for n in range(6) for r in step("mew", [(f"c{n}", OLD + str(n))])))
    assert mew(data, "--keep-recent", "1G") == (Exit.DONE, data, [])
    few = lines(*step("mew", [("a", OLD)]))
    assert mew(few, "--keep-recent", "0") == (Exit.DONE, few, [])


def test_calls_go_where_asked(mew):
    call = assistant("mew", [("w", {"content": BIG})])
    data = lines(
        user("mew", "write"), call, *results("mew", [("w", "ok")]), user("mew", "x")
    )
    assert mew(data) == (Exit.DONE, data, [])
    code, out, err = mew(data, "--calls")
    assert code == Exit.DONE
    assert len(out) < len(data) / 10
    assert "first changed byte: " in err[0]
    assert mew(data)[1] == out


@pytest.mark.parametrize("option", ["--calls", "--keep-recent=1"])
def test_an_empty_history_is_an_empty_history(mew, option):
    assert mew(b"", option) == (Exit.DONE, b"", [])


@pytest.mark.parametrize("strict", [False, True])
def test_a_ledger_that_cannot_be_read_leaves_the_history_as_it_is(
    mew, monkeypatch, strict
):
    def refresh(_self):
        raise StorageError(path="ledger", what="I/O error", remedy="check the disk")

    monkeypatch.setattr(Ledger, "refresh", refresh)
    code, out, err = mew(DATA, *(["--strict"] if strict else []))
    assert (code, out) == (Exit.STORAGE if strict else Exit.DONE, DATA)
    assert err[0] == (
        "mewctl spill: ledger: I/O error; check the disk;"
        " what would be spilled stays in the history"
    )
