"""Closed and full descriptors: each has its code, and none becomes a file of ours."""

from __future__ import annotations

import pytest

FILTERS = ["spill -q", "repair", "convert --to mew", "compact -q --window 100M"]
EVERY = [*FILTERS, "tokens"]


@pytest.mark.parametrize("command", EVERY)
def test_a_closed_input_is_not_found(shell, command):
    done = shell(f"mewctl {command} <&-")
    assert done.returncode == 4
    assert done.stdout == b""
    assert b"standard input is closed" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("command", EVERY)
def test_data_for_a_closed_output_is_a_storage_error(shell, small, command):
    done = shell(f"mewctl {command} >&-", small)
    assert done.returncode == 5
    assert b"standard output: closed" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_no_file_of_the_store_becomes_the_output(shell, work, spilling):
    done = shell("mewctl spill -d store >&-", spilling)
    assert done.returncode == 5
    for path in work.rglob("*"):
        if path.is_file():
            assert b'"role"' not in path.read_bytes(), path


def test_no_input_file_becomes_the_closed_output(shell, work, small):
    (work / "h.jsonl").write_bytes(small)
    done = shell("mewctl repair h.jsonl <&- >&- 2>&-")
    assert done.returncode == 5
    assert (work / "h.jsonl").read_bytes() == small


def test_a_closed_error_output_changes_nothing_else(shell, spilling):
    heard = shell("mewctl spill -d a", spilling)
    unheard = shell("mewctl spill -d a 2>&-", spilling)
    assert unheard.returncode == heard.returncode == 0
    assert unheard.stdout == heard.stdout
    assert shell("mewctl repair no-such-file 2>&-").returncode == 4
    assert shell("mewctl 2>&-").returncode == 2


def test_debug_without_an_error_output_does_not_spoil_the_data(shell):
    done = shell("mewctl repair no-such-file 2>&-", MEWCTL_DEBUG="1")
    assert (done.returncode, done.stdout) == (4, b"")


@pytest.mark.parametrize("size", ["small", "large"])
@pytest.mark.parametrize("command", EVERY)
def test_a_full_disk_is_a_storage_error_in_one_line(shell, request, command, size):
    done = shell(f"mewctl {command} > /dev/full", request.getfixturevalue(size))
    assert done.returncode == 5
    assert b"No space left on device" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("args", ["--help", "--version", "help exit-codes"])
def test_help_for_a_full_disk_is_a_storage_error_too(shell, args):
    done = shell(f"mewctl {args} > /dev/full")
    assert done.returncode == 5
    assert len(done.stderr.splitlines()) == 1


def test_a_full_error_output_keeps_the_code(shell):
    assert shell("mewctl frobnicate 2> /dev/full").returncode == 2
    assert shell("mewctl repair no-such-file 2> /dev/full").returncode == 4


def test_a_directory_as_input_is_a_storage_error(shell):
    done = shell("mewctl repair .")
    assert done.returncode == 5
    assert b"Is a directory" in done.stderr


def test_an_output_file_is_written_whole_or_not_at_all(shell, work, small):
    (work / "old").write_bytes(b"old")
    done = shell("mewctl repair -o old", small + b"not json\n")
    assert done.returncode == 3
    assert (work / "old").read_bytes() == b"old"
    assert shell("mewctl repair -o old", small).returncode == 0
    assert (work / "old").read_bytes() == small
    assert [p.name for p in work.iterdir()] == ["old"]


@pytest.mark.parametrize("how", ["h.jsonl -o h.jsonl", "-o h.jsonl < h.jsonl"])
def test_an_output_that_is_an_input_is_refused(shell, work, small, how):
    (work / "h.jsonl").write_bytes(small)
    done = shell(f"mewctl repair {how}")
    assert done.returncode == 12
    assert (work / "h.jsonl").read_bytes() == small
