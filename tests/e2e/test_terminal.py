"""A terminal on the other end: hints, harmless words, and data that stays data."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time

import pytest


class Terminal:
    """A pseudo-terminal with mewctl on it; ``streams`` says which of 0, 1, 2."""

    def __init__(self, args, streams, env, cwd, data: bytes = b"") -> None:
        leader, follower = os.openpty()
        pipes = {0: subprocess.PIPE, 1: subprocess.PIPE, 2: subprocess.PIPE}
        stdin, stdout, stderr = (
            follower if n in streams else pipes[n] for n in range(3)
        )
        self.leader = leader
        self.process = subprocess.Popen(
            [sys.executable, "-m", "mewctl", *args],
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            env=env,
            cwd=cwd,
            start_new_session=True,
        )
        os.close(follower)
        if 0 not in streams:
            self.process.stdin.write(data)
            self.process.stdin.close()

    def read_until(self, words: bytes, seconds: float = 20) -> bytes:
        """What the terminal shows until ``words`` (or the end, or too long)."""
        shown = b""
        end = time.monotonic() + seconds
        while words not in shown and time.monotonic() < end:
            ready, _, _ = select.select([self.leader], [], [], 0.1)
            try:
                shown += os.read(self.leader, 65536) if ready else b""
            except OSError:  # EIO: nobody holds the other end any more
                break
        return shown

    def type(self, keys: bytes) -> None:
        os.write(self.leader, keys)


@pytest.fixture
def terminal(environ, work):
    opened = []

    def run(*args: str, streams=(0, 1, 2), data: bytes = b"", **extra: str) -> Terminal:
        env = environ | {"TERM": "xterm-256color"} | extra
        opened.append(Terminal(args, streams, env, work, data))
        return opened[-1]

    yield run
    for one in opened:
        one.process.kill()
        one.process.wait()
        for stream in (one.process.stdin, one.process.stdout, one.process.stderr):
            if stream is not None:
                stream.close()
        os.close(one.leader)


NEVER = b"\0no such words"


def test_reading_from_a_terminal_gives_a_hint(terminal):
    screen = terminal("spill", "-q")
    assert b"reading from the terminal" in screen.read_until(b"ends)")
    screen.type(b'{"role":"user","content":"hi"}\n')
    assert screen.read_until(b'"hi"}\r\n{"role"').count(b'"hi"') >= 1
    screen.type(b"\x04")
    assert screen.process.wait(20) == 0


def test_the_hint_is_not_in_the_data(terminal):
    screen = terminal("spill", "-q", streams=(0, 2))
    screen.read_until(b"ends)")
    screen.type(b"\x04")
    assert screen.process.wait(20) == 0
    assert screen.process.stdout.read() == b""


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("evil\x1b[31m\x1b]0;owned\x07\u202e.jsonl", None),
        ("-", b'\x1b[2J\x9b31m{"role":\n'),
        ("-", b'{"role":"user","content":"x"}\n{"type":"\x1b[31m"}\n'),
        ("-", b'{"role":"\\u001b[31m\\u202e"}\n'),
    ],
    ids=["name", "no-json", "no-json-later", "odd-role"],
)
def test_no_untrusted_text_steers_the_terminal(terminal, name, data):
    screen = terminal("repair", name, streams=(2,), data=data or b"")
    shown = screen.read_until(NEVER)
    assert screen.process.wait(20) in (0, 3, 4)
    assert not shown or shown.startswith((b"mewctl repair: ", b"stdin:"))
    for sign in (b"\x1b", b"\x9b", b"\x07", "\u202e".encode()):
        assert sign not in shown


def test_records_on_a_terminal_are_the_same_bytes(terminal, small):
    screen = terminal("repair", streams=(1,), data=small)
    assert screen.read_until(NEVER).replace(b"\r\n", b"\n") == small


@pytest.mark.parametrize("extra", [{"FORCE_COLOR": "1"}, {"CLICOLOR_FORCE": "1"}, {}])
def test_no_colour_gets_into_a_pipe(mew, environ, small, extra):
    for command in ("repair", "tokens"):
        done = mew(command, data=small, env=environ | extra)
        assert b"\x1b" not in done.stdout


def test_a_table_on_a_terminal_obeys_no_color(terminal, small):
    plain = terminal("tokens", streams=(1,), data=small, NO_COLOR="1").read_until(NEVER)
    assert plain
    assert not plain.startswith(b"{")
    assert b"\x1b[3" not in plain
    assert b"\x1b[1" not in plain


def test_errors_on_a_terminal_are_one_line(terminal):
    screen = terminal("spill", "--frobnicate", streams=(2,))
    shown = screen.read_until(NEVER)
    assert shown.count(b"\n") == 1
    assert b"Usage:" not in shown
