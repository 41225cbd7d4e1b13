"""What a fork keeps of its parent's compactions: all of it, on its own."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import sys
from contextlib import contextmanager

import pytest
from talks import turns, user

WINDOW = ("--window", "4000")


@pytest.fixture
def parent(session, new):
    """A session that was compacted twice: its id."""
    name = new(*turns(60))
    session("compact", name, "-q", *WINDOW)
    session("append", name, "-q", data=turns(60, 100))
    session("compact", name, "-q", *WINDOW)
    return name


def ids(jsonl, session, name):
    rows = jsonl.read(session("checkpoints", name).out)
    return [row["id"] for row in rows if row.get("id")]


def dropped(run, name, boundary):
    done = run("recall", "--boundary", boundary, "-s", name)
    assert done.code == 0, done.err
    return done.out


def test_what_was_dropped_outlives_the_parent(session, run, jsonl, parent, log):
    found = ids(jsonl, session, parent)
    before = [dropped(run, parent, boundary) for boundary in found]
    child = session("fork", parent, "-q").out.decode().strip()
    grandchild = session("fork", child, "-q").out.decode().strip()
    shutil.rmtree(log(parent).parent)
    shutil.rmtree(log(child).parent)
    assert len(found) == 2
    assert [dropped(run, grandchild, boundary) for boundary in found] == before


def test_the_summary_says_to_recall_it_from_the_fork(session, parent, log):
    child = session("fork", parent, "-q").out.decode().strip()
    text = session("load", child).out.decode()
    told = set(re.findall(r"recall --boundary [0-9a-f]{12} -s (\S+?)[`\\\"]", text))
    assert told == {str(log(child).parent)}


def test_only_a_summary_is_told_anew(session, new, log):
    name = new(user("hello"))
    command = f"`mewctl recall --boundary 0123456789ab -s {log(name).parent}`"
    quoted = f"What is [mewctl boundary 0123456789ab tail=1], and {command}?"
    session("append", name, "-q", data=[user(quoted)])
    child = session("fork", name, "-q").out.decode().strip()
    assert session("load", child).out == session("load", name).out


def test_a_fork_from_before_has_what_was_dropped_until_then(
    session, run, jsonl, parent
):
    first, second = ids(jsonl, session, parent)
    child = session("fork", parent, "--before", "2", "-q").out.decode().strip()
    assert dropped(run, child, first) == dropped(run, parent, first)
    assert run("recall", "--boundary", second, "-s", child).code == 4


@contextmanager
def files_up_to(size):
    """No file of this process may become larger. Python writes no half a cache file."""
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        sys.dont_write_bytecode = writes


def test_a_fork_that_fails_leaves_no_session(session, new, project):
    name = new(user("x" * 20_000))
    sessions = project / ".mewcode" / "sessions"
    with files_up_to(10_000):
        assert "File too large" in session("fork", name, code=5).err
    assert os.listdir(sessions) == [name]


def test_an_import_that_fails_leaves_no_session(session, project, tmp_path, jsonl):
    path = tmp_path / "talk.jsonl"
    path.write_text(json.dumps(user("x" * 20_000)) + "\n")
    with files_up_to(10_000):
        session("import", path, code=5)
    assert os.listdir(project / ".mewcode" / "sessions") == []
    assert jsonl.read(session("import", path).out)[0]["outcome"] == "new"
