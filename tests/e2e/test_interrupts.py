"""Ctrl-C and its kin: exit 128 + signal, quietly, and output ends at a whole record."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time

import pytest

RECORD = json.dumps({"role": "user", "content": "x" * 400_000}).encode() + b"\n"


@pytest.fixture
def start(environ, work):
    """Start mewctl with pipes on all three streams."""
    started = []

    def run(*args: str) -> subprocess.Popen:
        process = subprocess.Popen(
            [sys.executable, "-m", "mewctl", *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environ,
            cwd=work,
        )
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()
        process.communicate()


def feed(process: subprocess.Popen, data: bytes) -> None:
    """Write ``data`` from a thread of its own, for the reader may stop reading."""

    def write() -> None:
        try:
            process.stdin.write(data)
            process.stdin.flush()
        except BrokenPipeError:
            pass

    threading.Thread(target=write, daemon=True).start()


STOPS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}


@pytest.mark.parametrize(("number", "code"), STOPS.items())
def test_a_stop_while_waiting_for_input(start, number, code):
    process = start("spill", "-q")
    feed(process, b'{"role":"user","content":"1"}\n')
    assert process.stdout.readline() == b'{"role":"user","content":"1"}\n'
    process.send_signal(number)
    assert process.wait(20) == code
    assert process.stdout.read() == b""
    assert process.stderr.read() == b""


@pytest.mark.parametrize(("number", "code"), STOPS.items())
@pytest.mark.parametrize("seen", [1, 900_000])
def test_a_stop_while_writing_ends_at_a_whole_record(start, seen, number, code):
    process = start("spill", "-q")
    feed(process, RECORD * 20)
    output = process.stdout.read(seen)
    time.sleep(0.3)  # now it waits for us in the middle of a record
    process.send_signal(number)
    time.sleep(0.3)
    output += process.stdout.read()
    assert process.wait(20) == code
    assert process.stderr.read() == b""
    assert output == RECORD * (len(output) // len(RECORD))
    assert len(output) >= seen


def test_a_second_interrupt_does_not_wait_for_the_reader(start):
    process = start("spill", "-q")
    feed(process, RECORD * 20)
    process.stdout.read(1)
    for _ in range(2):
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
    assert process.wait(20) == -signal.SIGINT


def test_an_ignored_interrupt_stays_ignored(environ, work):
    script = "trap '' INT; exec \"$0\" -m mewctl spill -q"
    process = subprocess.Popen(
        ["bash", "-c", script, sys.executable],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environ,
        cwd=work,
    )
    process.stdin.write(b'{"role":"user","content":"1"}\n')
    process.stdin.flush()
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(b'{"role":"user","content":"2"}\n', timeout=20)
    assert output == b'{"role":"user","content":"2"}\n'
    assert process.returncode == 0


def test_an_interrupt_before_anything_is_read_is_quiet(start):
    for wait in (0.02, 0.05, 0.08):
        process = start("spill", "-q")
        time.sleep(wait)
        process.send_signal(signal.SIGINT)
        code = process.wait(20)
        words = process.stderr.read()
        if b"__main__.py" in words:
            assert b"Traceback" not in words, words
        assert code in (130, -signal.SIGINT, 1)  # 1: before our first line ran


@pytest.mark.parametrize(("number", "code"), STOPS.items())
@pytest.mark.parametrize("command", ["spill -q -d store", "repair -q", "tokens -q"])
def test_a_stop_leaves_the_old_output_file_and_nothing_else(
    start, work, command, number, code
):
    (work / "out").write_bytes(b"old")
    process = start(*command.split(), "-o", "out")
    feed(process, RECORD * 9)
    if "tokens" not in command:  # which opens its output when it has a report
        wait_for(lambda: list(work.glob(".mewctl-*")))
    time.sleep(0.2)
    process.send_signal(number)
    assert process.wait(20) == code
    assert process.stderr.read() == b""
    assert (work / "out").read_bytes() == b"old"
    assert [p for p in work.rglob("*") if "tmp" in p.name] == []


def test_a_terminal_that_goes_away_hangs_up_more_than_once(start, work):
    for pause in (0, 0.001, 0.01):
        process = start("repair", "-q", "-o", "out")
        feed(process, RECORD)
        wait_for(lambda: list(work.glob(".mewctl-*")))
        process.send_signal(signal.SIGHUP)
        time.sleep(pause)
        process.send_signal(signal.SIGHUP)
        # Late enough, it meets an interpreter that has nothing left to do but to end.
        assert process.wait(20) in (129, -signal.SIGHUP)
        assert list(work.iterdir()) == []


def wait_for(look, seconds: float = 20):
    """What ``look`` finds at last."""
    end = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < end
        time.sleep(0.005)
    return found


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_what_was_ignored_at_the_start_stays_ignored(environ, work, number):
    script = f"trap '' {int(number)}; exec \"$0\" -m mewctl spill -q"
    process = subprocess.Popen(
        ["bash", "-c", script, sys.executable],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environ,
        cwd=work,
    )
    process.stdin.write(b'{"role":"user","content":"1"}\n')
    process.stdin.flush()
    process.stdout.readline()
    process.send_signal(number)
    output, _ = process.communicate(b'{"role":"user","content":"2"}\n', timeout=20)
    assert output == b'{"role":"user","content":"2"}\n'
    assert process.returncode == 0
