"""Sessions with people at the other end: a question before removing, and TAB."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest


@pytest.fixture
def old(mew, work):
    """A session that was last active long ago: its directory."""
    (work / ".git").mkdir()
    name = mew("session", "new").stdout.decode().strip()
    record = {"role": "user", "content": "an old talk", "ts": 1_600_000_000}
    mew("session", "append", name, "-q", data=json.dumps(record).encode())
    return work / ".mewcode" / "sessions" / name


def on_terminal(args, keys, env, cwd):
    """Run mewctl on a pseudo-terminal and type ``keys``; exit code and screen."""
    leader, follower = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "mewctl", *args],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env=env | {"TERM": "xterm", "COLUMNS": "120"},
        cwd=cwd,
        start_new_session=True,
    )
    os.close(follower)
    os.write(leader, keys)
    shown = b""
    while True:
        try:
            block = os.read(leader, 65536)
        except OSError:  # nobody holds the other end any more
            break
        if not block:
            break
        shown += block
    os.close(leader)
    return process.wait(30), shown.decode()


@pytest.mark.parametrize(("keys", "gone"), [(b"y\n", True), (b"n\n", False)])
def test_on_a_terminal_the_plan_is_shown_and_asked_about(
    old, environ, work, keys, gone
):
    code, shown = on_terminal(("session", "clean"), keys, environ, work)
    assert code == 0
    assert "REMOVE" in shown
    assert "an old talk" in shown
    assert "Move to the trash: 1 of 1 sessions?" in shown
    assert old.exists() is not gone


def test_yes_is_no_question(old, environ, work):
    code, shown = on_terminal(("session", "clean", "--yes"), b"", environ, work)
    assert code == 0
    assert "?" not in shown
    assert not old.exists()


def test_tab_completes_ids(old, environ, work):
    env = environ | {
        "_MEWCTL_COMPLETE": "bash_complete",
        "COMP_WORDS": "mewctl session load 2",
        "COMP_CWORD": "3",
    }
    done = subprocess.run(
        [sys.executable, "-m", "mewctl"],
        env=env,
        cwd=work,
        capture_output=True,
        check=False,
    )
    assert done.stdout.decode().split() == [f"plain,{old.name}"]
    assert done.stderr == b""
