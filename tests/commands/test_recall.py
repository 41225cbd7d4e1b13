"""``mewctl recall``: options, exit codes and words."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import pytest
from spilling import lines, spill, step, user

from mewctl import cli, limits
from mewctl.errors import Exit

BIG = "".join(f"line {n}\n" for n in range(1, 10_001))


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """A project with two bodies and two boundaries."""
    work = tmp_path / "work"
    (work / ".git").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.chdir(work)
    place = work / ".mewcode" / "spill"
    steps = [*step("mew", [("call_1", BIG)]), *step("mew", [("-x", BIG + "\x1b[2J")])]
    spill(lines(*steps), place)
    dropped = place / "dropped"
    dropped.mkdir()
    (dropped / "abc123.jsonl").write_bytes(
        lines(user("mew", "one"), user("mew", "two"))
    )
    (dropped / "abd999.jsonl").write_bytes(lines(user("mew", "three")))
    return place


@pytest.fixture
def mew(capfdbinary):
    """Run ``mewctl recall``: exit code, output, lines on stderr."""

    def run(*args):
        code = cli.run(["recall", *args])
        sys.stdout.flush()
        seen = capfdbinary.readouterr()
        return code, seen.out, seen.err.decode().splitlines()

    return run


def test_an_id_prints_the_bytes(mew):
    assert mew("call_1") == (Exit.DONE, BIG.encode(), [])


def test_the_command_that_a_preview_spells_out_works(mew, place):
    ledger = (place / "ledger.jsonl").read_text().splitlines()
    for entry in map(json.loads, ledger):
        if entry["type"] != "replaced":
            continue
        command = entry["preview"].rsplit("[recall] mewctl recall ", 1)[1]
        code, out, _ = mew(*command.split())
        assert code == Exit.DONE
        assert len(out) == entry["bytes"]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("2:4", "line 2\nline 3\nline 4\n"),
        ("9999:", "line 9999\nline 10000\n"),
        (":2", "line 1\nline 2\n"),
        ("7", "line 7\n"),
        ("10000:20000", "line 10000\n"),
    ],
)
def test_lines_are_a_part(mew, lines, expected):
    assert mew("call_1", "--lines", lines) == (Exit.DONE, expected.encode(), [])


@pytest.mark.parametrize("lines", ["0:3", "5:2", "a:b", "", "-1", "1:2:3"])
def test_lines_that_are_no_range_are_usage_errors(mew, lines):
    assert mew("call_1", "--lines", lines)[0] == Exit.USAGE


def test_lines_behind_the_end_are_not_found(mew):
    code, out, err = mew("call_1", "--lines", "20000:")
    assert (code, out) == (Exit.NOT_FOUND, b"")
    assert "it has 10000 lines only" in err[0]


def test_what_is_not_there_is_not_found(mew):
    code, out, err = mew("none")
    assert (code, out) == (Exit.NOT_FOUND, b"")
    assert "nothing spilled is called none" in err[0]


def test_an_altered_body_is_bad_input_and_nothing_is_printed(mew, place):
    (place / "call_1").write_text(BIG[:-2] + "X\n")
    code, out, err = mew("call_1")
    assert (code, out) == (Exit.BAD_INPUT, b"")
    assert "sha256 differs" in err[0]


def test_another_directory(mew, tmp_path):
    spill(lines(*step("mew", [("other", BIG)])), tmp_path / "else where")
    assert mew("other")[0] == Exit.NOT_FOUND
    assert mew("other", "-d", str(tmp_path / "else where"))[:2] == (
        Exit.DONE,
        BIG.encode(),
    )


def test_a_session(mew, tmp_path):
    session = tmp_path / "20260101-000000-abcd"
    spill(lines(*step("mew", [("other", BIG)])), session / "tool-results")
    (session / "conversation.jsonl").touch(0o600)
    (session / "boundaries").mkdir()
    (session / "boundaries" / "b1.jsonl").write_bytes(lines(user("mew", "x")))
    assert mew("other", "-s", str(session))[0] == Exit.DONE
    assert mew("--boundary", "b1", "-s", str(session))[:2] == (
        Exit.DONE,
        lines(user("mew", "x")),
    )


def test_dropped_messages(mew):
    both = lines(user("mew", "one"), user("mew", "two"))
    assert mew("--boundary", "abc123") == (Exit.DONE, both, [])
    assert mew("--boundary", "abc", "--message", "2") == (
        Exit.DONE,
        lines(user("mew", "two")),
        [],
    )
    code, _, err = mew("--boundary", "abc", "--message", "3")
    assert code == Exit.NOT_FOUND
    assert "abc has 2 messages" in err[0]
    assert mew("--boundary", "ab")[0] == Exit.NOT_FOUND


def test_the_list_is_jsonl_in_a_pipe(mew):
    code, out, _ = mew("--list")
    rows = [json.loads(line) for line in out.splitlines()]
    assert code == Exit.DONE
    assert {row["handle"]: row["kind"] for row in rows} == {
        "-x": "result",
        "call_1": "result",
        "abc123": "boundary",
        "abd999": "boundary",
    }
    assert rows[1]["bytes"] == len(BIG)


def test_the_list_is_a_table_for_people(mew, place):
    spill(lines(*step("mew", [("\x1b]0;evil\x07[/red]", BIG)])), place)
    code, out, _ = mew("--list", "--format", "table")
    assert code == Exit.DONE
    assert b"call_1" in out
    assert f"{len(BIG):,}".encode() in out
    assert b"\x1b" not in out
    assert b"\\x1b]0;evil" in out


def test_a_search_gives_handles_lines_and_excerpts(mew):
    code, out, err = mew("--grep", r"line 77\b")
    assert (code, err) == (Exit.DONE, [])
    assert [json.loads(line) for line in out.splitlines()] == [
        {"handle": "-x", "line": 77, "excerpt": "line 77"},
        {"handle": "call_1", "line": 77, "excerpt": "line 77"},
    ]
    found = json.loads(mew("--grep", "two")[1])
    assert found == {"handle": "abc123", "line": 2, "excerpt": "two", "message": 2}
    assert mew("--grep", "nothing like it") == (Exit.DONE, b"", [])


def test_a_search_stops_at_its_limit_and_says_so(mew):
    code, out, err = mew("--grep", "line", "--limit", "3")
    assert code == Exit.DONE
    assert out.count(b"\n") == 3
    assert err == ["mewctl recall: more than 3 lines match; see --limit"]
    assert mew("--grep", "^two$", "--limit", "1")[2] == []
    assert mew("--grep", "line")[1].count(b"\n") == 50


@pytest.mark.parametrize("pattern", ["(", "[", "*", "a{99999999999}"])
def test_a_pattern_that_is_none_is_a_usage_error(mew, pattern):
    assert mew("--grep", pattern)[0] == Exit.USAGE


@pytest.mark.parametrize(
    "args",
    [
        [], ["call_1", "--list"], ["--list", "--grep", "x"], ["--boundary", "a", "x"],
        ["--lines", "1:2", "--list"], ["--message", "1", "--list"], ["a", "b"],
        ["--boundary", "abc", "--message", "0"],
    ],
)  # fmt: skip
def test_contradictory_options_are_usage_errors(mew, args):
    assert mew(*args)[0] == Exit.USAGE


def test_other_bodies_of_the_same_call_are_told(mew, place):
    spill(lines(*step("mew", [("call_1", BIG + "2")])), place)
    code, out, err = mew("call_1")
    assert (code, out) == (Exit.DONE, BIG.encode())
    assert "call_1 is a file; there is also another body of its call" in err[0]
    spill(lines(*step("mew", [("call_1", BIG + "3")])), place)
    assert "2 other bodies" in mew("call_1")[2][0]


def test_a_search_tells_of_altered_bodies(mew, place):
    (place / "call_1").write_text(BIG.replace("line 77\n", "line 78\n"))
    code, out, err = mew("--grep", r"line 77\b")
    assert code == Exit.DONE
    assert [json.loads(line)["handle"] for line in out.splitlines()] == ["-x"]
    assert "call_1: sha256 differs" in err[0]


def test_a_pattern_that_takes_for_ever_is_given_up(mew, place, monkeypatch):
    monkeypatch.setattr(limits, "RECALL_PATIENCE", 0.2)
    (place / "dropped" / "aaa.jsonl").write_bytes(b"a" * 60 + b"b\n")
    code, out, err = mew("--grep", "(a+)+$")
    assert (code, out) == (Exit.USAGE, b"")
    assert "(a+)+$: no answer for one line within 0.2 s" in err[0]
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_long_search_of_many_lines_is_not_given_up(mew, place, monkeypatch):
    monkeypatch.setattr(limits, "RECALL_PATIENCE", 0.01)
    (place / "many").write_text("a line\n" * 200_000)
    assert mew("--grep", "no such thing") == (Exit.DONE, b"", [])


def test_an_output_file_appears_only_when_all_is_well(mew, place):
    assert mew("call_1", "-o", "out.txt") == (Exit.DONE, b"", [])
    assert Path("out.txt").read_text() == BIG
    (place / "call_1").write_text("changed")
    assert mew("call_1", "-o", "other.txt")[0] == Exit.BAD_INPUT
    assert not Path("other.txt").exists()


def test_reading_changes_nothing(mew, place):
    before = {path: path.stat().st_mtime_ns for path in place.rglob("*")}
    for args in (["call_1"], ["--list"], ["--grep", "x"], ["--boundary", "abc123"]):
        mew(*args)
    assert {path: path.stat().st_mtime_ns for path in place.rglob("*")} == before


def test_where_nothing_was_spilled_there_is_nothing(mew, tmp_path, monkeypatch):
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    assert mew("--list") == (Exit.DONE, b"", [])
    assert mew("--grep", "x") == (Exit.DONE, b"", [])
    assert os.listdir(tmp_path / "empty") == []
