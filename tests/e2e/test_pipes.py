"""Pipelines: a reader that leaves is no error, and complete records do not wait."""

from __future__ import annotations

import subprocess
import sys

import pytest

FILTERS = ["spill -q", "repair", "convert --to mew", "compact -q --window 100M"]


@pytest.mark.parametrize("command", FILTERS)
@pytest.mark.parametrize("size", ["small", "large"])
def test_a_reader_that_leaves_early_is_success(shell, request, command, size):
    data = request.getfixturevalue(size)
    done = shell(f"mewctl {command} | head -1", data)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == data.splitlines(keepends=True)[0]


@pytest.mark.parametrize("command", [*FILTERS, "--help", "--version", "help formats"])
def test_a_reader_that_reads_nothing_is_success(shell, small, command):
    done = shell(f"mewctl {command} | true", small)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_reader_that_leaves_later_stages_is_success_for_all(shell, large):
    done = shell("mewctl repair | mewctl spill -q | mewctl repair | head -1", large)
    assert (done.returncode, done.stderr) == (0, b"")


def test_filters_in_a_row_give_what_went_in(shell, large):
    done = shell("mewctl repair | mewctl spill -q | mewctl convert --to mew", large)
    assert done.returncode == 0
    assert done.stdout == large


def test_complete_records_come_out_while_the_input_is_still_open(environ, work):
    command = [sys.executable, "-m", "mewctl", "spill", "-q"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ, cwd=work
    ) as process:
        for number in range(3):
            record = b'{"role":"user","content":"%d"}\n' % number
            process.stdin.write(record)
            process.stdin.flush()
            assert process.stdout.readline() == record
        process.stdin.close()
        assert process.stdout.read() == b""
    assert process.returncode == 0


def test_an_error_in_the_middle_leaves_its_code(shell, small):
    done = shell("mewctl repair | mewctl spill -q", small + b"not json\n")
    assert done.returncode != 0
    assert b"stdin:5 (byte " in done.stderr
    assert b"Traceback" not in done.stderr


RECORD = b'{"role":"user","content":"hi"}\n'


@pytest.mark.parametrize(
    "command",
    [
        "spill h >> h",
        "repair h >> h",
        "convert --to mew h >> h",
        "tokens h >> h",
        "compact h >> h",
        "spill - h >> h < other",
        "spill < h >> h",
        "spill h 1<> h",
    ],
)
def test_output_that_is_added_to_its_own_input_is_refused(shell, work, command):
    (work / "h").write_bytes(RECORD)
    (work / "other").write_bytes(RECORD)
    done = shell(f"mewctl {command}")
    assert done.returncode == 12
    assert b"standard output: the output is also an input" in done.stderr
    assert (work / "h").read_bytes() == RECORD


def test_output_may_be_added_to_another_file(shell, work):
    (work / "h").write_bytes(RECORD)
    (work / "all").write_bytes(RECORD)
    assert shell("mewctl spill h >> all").returncode == 0
    assert (work / "all").read_bytes() == RECORD * 2


def test_an_input_that_the_shell_has_emptied_is_an_empty_history(shell, work):
    (work / "h").write_bytes(RECORD)
    done = shell("mewctl spill < h > h")
    assert (done.returncode, (work / "h").read_bytes()) == (0, b"")
