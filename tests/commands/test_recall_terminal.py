"""``mewctl recall`` on a terminal: nothing of a body may steer it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from spilling import lines, spill, step, user

ROOT = Path(__file__).parents[2]
EVIL = "\x1b[2Jgone \x9b31m \u202ebidi\u200b\r\ttab\n" * 4000


@pytest.fixture
def place(tmp_path):
    place = tmp_path / "spill"
    spill(lines(*step("mew", [("call_1", EVIL)])), place)
    (place / "call_2.png").write_bytes(b"\x89PNG\x1b[2J")
    (place / "dropped").mkdir()
    (place / "dropped" / "abc.jsonl").write_bytes(lines(user("mew", "a\u202eb\x9b")))
    return place


def on_terminal(place, *args: str) -> tuple[int, str, str]:
    """Exit code, what a terminal got as data, and words on stderr (a pipe)."""
    leader, follower = os.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "mewctl", "recall", *args, "-d", str(place)],
        stdin=subprocess.DEVNULL,
        stdout=follower,
        stderr=subprocess.PIPE,
        env={"PATH": os.environ["PATH"], "HOME": "/", "PYTHONPATH": str(ROOT)},
    ) as process:
        os.close(follower)
        shown = b""
        while True:
            try:
                block = os.read(leader, 65536)
            except OSError:  # EIO: nobody holds the other end any more
                break
            shown += block
        words = process.stderr.read().decode()
    os.close(leader)
    return process.returncode, shown.decode().replace("\r\n", "\n"), words


def test_escapes_of_a_body_are_shown_and_not_sent(place):
    code, shown, words = on_terminal(place, "call_1", "--lines", "1:2")
    line = "\\x1b[2Jgone \\x9b31m \\u{202e}bidi\\u{200b}\\r\ttab\n"
    assert (code, shown.expandtabs()) == (0, (line * 2).expandtabs())
    assert "a pipe or -o gives the very bytes" in words


@pytest.mark.parametrize("args", [["--boundary", "abc"], ["--grep", "b"],
                                  ["--list", "--format", "jsonl"]])  # fmt: skip
def test_nothing_else_sends_them_either(place, args):
    code, shown, _ = on_terminal(place, *args)
    assert code == 0
    assert shown
    assert not set(shown) & set("\x1b\x9b\u202e\u200b")


def test_data_that_is_no_text_is_kept_from_a_terminal(place, tmp_path):
    code, shown, words = on_terminal(place, "call_2.png")
    assert (code, shown) == (2, "")
    assert "is data, not text" in words
    out = tmp_path / "out"
    assert on_terminal(place, "call_2.png", "-o", str(out)) == (0, "", "")
    assert out.read_bytes() == b"\x89PNG\x1b[2J"
