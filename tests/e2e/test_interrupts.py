"""Ctrl-C: exit 130, quietly, and the output ends at a whole record."""

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


def test_an_interrupt_while_waiting_for_input(start):
    process = start("spill", "-q")
    feed(process, b'{"role":"user","content":"1"}\n')
    assert process.stdout.readline() == b'{"role":"user","content":"1"}\n'
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 130
    assert process.stdout.read() == b""
    assert process.stderr.read() == b""


@pytest.mark.parametrize("seen", [1, 70_000, 900_000])
def test_an_interrupt_while_writing_ends_at_a_whole_record(start, seen):
    process = start("spill", "-q")
    feed(process, RECORD * 20)
    output = process.stdout.read(seen)
    time.sleep(0.3)  # now it waits for us in the middle of a record
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    output += process.stdout.read()
    assert process.wait(20) == 130
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
