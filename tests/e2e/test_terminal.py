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

    def __init__(self, args, streams, env, cwd, data: bytes | None = b"") -> None:
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
        if 0 not in streams and data is not None:  # None: the test feeds it
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

    def run(
        *args: str, streams=(0, 1, 2), data: bytes | None = b"", **extra: str
    ) -> Terminal:
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


# --- colours ---

BOLD = b"\x1b[1m"


@pytest.mark.parametrize(
    ("args", "extra", "colored"),
    [
        ("tokens", {}, True),
        ("tokens", {"NO_COLOR": "1"}, False),
        ("tokens", {"NO_COLOR": ""}, True),
        ("tokens", {"TERM": "dumb"}, False),
        ("tokens", {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ("tokens --color always", {"NO_COLOR": "1"}, True),
        ("--color always tokens", {"NO_COLOR": "1"}, True),
        ("tokens", {"NO_COLOR": "1", "MEWCTL_COLOR": "always"}, True),
        ("--color always tokens --color never", {}, False),
        ("--color never tokens --color auto", {}, True),
        ("tokens --color never", {"FORCE_COLOR": "1"}, False),
        ("recall --list -d store", {}, True),
        ("recall --list -d store --color never", {}, False),
    ],
)
def test_a_table_on_a_terminal_has_colours_if_they_are_wanted(
    mew, terminal, spilling, args, extra, colored
):
    mew("spill", "-q", "-d", "store", data=spilling)
    data = b"" if args.startswith("recall") else spilling
    screen = terminal(*args.split(), streams=(1,), data=data, **extra)
    shown = screen.read_until(NEVER)
    assert screen.process.wait(20) == 0
    assert b"call_big" in shown or b"tokens" in shown
    assert (BOLD in shown) is colored


@pytest.mark.parametrize(
    ("args", "extra", "colored"),
    [
        ("tokens --format table", {}, False),
        ("tokens --format table", {"FORCE_COLOR": "1"}, True),
        ("tokens --format table --color always", {}, True),
        ("tokens --color always", {}, False),  # records have no colours
    ],
)
def test_a_table_in_a_pipe_has_colours_only_if_they_are_asked_for(
    mew, environ, small, args, extra, colored
):
    done = mew(*args.split(), data=small, env=environ | extra)
    assert (BOLD in done.stdout) is colored


# --- progress ---


def feed_slowly(process: subprocess.Popen, data: bytes, seconds: float = 1.2) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        process.stdin.write(data)
        process.stdin.flush()
        time.sleep(0.1)
    process.stdin.close()


@pytest.fixture
def slowly(terminal):
    """Run with slow input and a terminal as the error output: what it shows."""

    def run(*args: str, seconds: float = 1.2, **extra: str) -> tuple[bytes, bytes]:
        screen = terminal(*args, streams=(2,), data=None, **extra)
        feed_slowly(screen.process, b'{"role":"user","content":"hi"}\n', seconds)
        shown = screen.read_until(NEVER)
        assert screen.process.wait(20) == 0
        return shown, screen.process.stdout.read()

    return run


@pytest.mark.parametrize("command", ["spill", "repair", "tokens", "convert", "compact"])
def test_a_long_read_shows_its_progress_and_takes_it_away(slowly, command):
    shown, data = slowly(command)
    assert b"stdin" in shown
    assert b"bytes" in shown
    assert b"/s" in shown
    assert b"\x1b[2K" in shown  # the line is erased
    assert shown.rindex(b"\x1b[2K") > shown.rindex(b"bytes")
    assert data.startswith(b"{")
    assert b"\x1b" not in data


@pytest.mark.parametrize(("extra", "colored"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_progress_has_colours_if_they_are_wanted(slowly, extra, colored):
    shown, _ = slowly("repair", **extra)
    assert (b"\x1b[3" in shown) is colored


def test_a_short_read_and_a_quiet_one_show_nothing(slowly):
    assert slowly("repair", seconds=0.2)[0] == b""
    assert slowly("repair", "-q")[0] == b""


def test_no_progress_gets_into_a_pipe(environ, work):
    with subprocess.Popen(
        [sys.executable, "-m", "mewctl", "repair"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environ | {"FORCE_COLOR": "1"},
        cwd=work,
    ) as process:
        feed_slowly(process, b'{"role":"user","content":"hi"}\n')
        assert process.stdout.read().startswith(b"{")
        assert process.stderr.read() == b""
        assert process.wait(20) == 0


def test_progress_makes_room_for_an_error(terminal):
    screen = terminal("repair", streams=(2,), data=None)
    for _ in range(12):
        screen.process.stdin.write(b'{"role":"user","content":"hi"}\n')
        screen.process.stdin.flush()
        time.sleep(0.1)
    screen.process.stdin.write(b"not json\n")
    screen.process.stdin.close()
    shown = screen.read_until(NEVER)
    assert screen.process.wait(20) == 3
    assert shown.rindex(b"\x1b[2K") < shown.index(b"mewctl repair: stdin:13")
    assert shown.endswith(b"use --on-bad skip\r\n")
