"""``undo``, ``checkpoints`` and ``fork``: back to an earlier history, by adding."""

from __future__ import annotations

import json

import pytest
from talks import turns, user

WINDOW = ("--window", "8000")


# --- undo ---


def test_undo_brings_back_what_was_and_what_came_since(session, long, log, jsonl):
    before = session("load", long).out
    session("compact", long, *WINDOW)
    session("append", long, "-q", data=[user("since")])
    size = log(long).stat().st_size
    done = session("undo", long)
    assert "240 messages before it and 1 since" in done.err
    assert log(long).stat().st_size > size
    out = session("load", long).out
    assert out.startswith(before)
    assert jsonl.read(out)[-1]["content"] == "since"


def test_undo_again_goes_one_further_back_until_none_is_left(session, new, jsonl):
    name = new(user("a"))
    for n in (1, 2):
        session("append", name, "-q", "--replace", data=[user(f"S{n}")])
        session("append", name, "-q", data=[user(f"m{n}")])
    seen = []
    for _ in range(2):
        session("undo", name, "-q")
        out = jsonl.read(session("load", name, "--raw").out)
        last = max(n for n, r in enumerate(out) if r.get("type") == "compact")
        seen.append([r["content"] for r in out[last + 1 :]])
    assert seen == [["S1", "m1", "m2"], ["a", "m1", "m2"]]
    assert "no compaction is left" in session("undo", name, code=4).err


def test_an_old_marker_without_a_count_cannot_be_undone(session, new, log):
    name = new(user("a"))
    with log(name).open("ab") as file:
        file.write(b'{"type":"compact","ts":1}\n{"role":"user","content":"S"}\n')
    assert "does not count" in session("undo", name, code=4).err


def test_after_an_undo_compaction_waits_for_the_user(session, long, log):
    session("compact", long, *WINDOW)
    session("undo", long, "-q")
    size = log(long).stat().st_size
    done = session("resume", long, *WINDOW)
    assert "none until the user's next message" in done.err
    assert log(long).stat().st_size == size
    for more in (("--trigger", "auto"), ("--check",)):
        assert "none until" in session("compact", long, *more, *WINDOW).err
    assert log(long).stat().st_size == size
    answer = {"role": "assistant", "content": "x"}
    session("append", long, "-q", data=[answer])
    assert "none until" in session("resume", long, *WINDOW).err
    session("append", long, "-q", data=[user("go on")])
    assert ": compacted" in session("resume", long, *WINDOW).err


# --- checkpoints and forks ---


def test_checkpoints_tell_each_marker(session, long, jsonl):
    session("compact", long, *WINDOW)
    session("undo", long, "-q")
    rows = jsonl.read(session("checkpoints", long).out)
    assert [(r["number"], r["reason"], r["stands"]) for r in rows] == [
        (1, "manual", False),
        (2, "undo", False),
    ]
    assert rows[0]["tokens_before"] > rows[0]["tokens_after"]
    table = session("checkpoints", long, "--format", "table").out.decode()
    assert "manual" in table


def test_a_fork_has_the_history_and_its_own_bodies(session, new, log):
    name = new(*turns(2), *turns(1, 5, size=100_000))
    parent = session("resume", name, "-q").out
    before = {p: p.read_bytes() for p in log(name).parent.rglob("*") if p.is_file()}
    child = session("fork", name, "--title", "T").out.decode().strip()
    after = {p: p.read_bytes() for p in log(name).parent.rglob("*") if p.is_file()}
    assert after == before
    assert session("load", child).out == session("load", name).out
    spilled = session("load", child, "--spilled").out
    assert spilled == parent.replace(name.encode(), child.encode())
    assert (log(child).parent / "tool-results" / "c5").exists()
    shown = json.loads(session("show", child).out)
    assert shown["origin"]["session"] == name
    assert shown["title"] == "T"
    (log(name).parent / "tool-results" / "c5").unlink()
    assert session("load", child, "--spilled").out == spilled


def test_an_id_in_a_log_never_becomes_a_path(session, new, log, project):
    name = new(user("a"))
    marker = {"type": "compact", "id": "../../../../evil", "messages": 1}
    with log(name).open("ab") as file:
        file.write(
            json.dumps(marker).encode() + b"\n" + b'{"role":"user","content":"S"}\n'
        )
    before = {p for p in project.parent.rglob("*") if "sessions/" not in str(p)}
    child = session("fork", name, "-q").out.decode().strip()
    after = {p for p in project.parent.rglob("*") if "sessions/" not in str(p)}
    assert after == before
    assert not any("evil" in str(p) for p in project.parent.rglob("*"))
    assert session("load", child).code == 0


def test_a_fork_can_recall_what_was_dropped_without_its_parent(
    run,
    session,
    markers,
    long,
    log,
):
    session("compact", long, *WINDOW)
    (marker,) = markers(long)
    expected = run("recall", "-s", long, "--boundary", marker["id"]).out
    child = session("fork", long, "-q").out.decode().strip()
    other = session("fork", long, "--before", "1", "-q").out.decode().strip()
    log(long).unlink()
    assert run("recall", "-s", child, "--boundary", marker["id"]).out == expected
    assert run("recall", "-s", other, "--boundary", marker["id"]).code == 4


@pytest.mark.parametrize(
    ("args", "contents"),
    [
        (("--at", "1"), ["S1"]),
        (("--before", "1"), ["a"]),
        (("--before", "2"), ["S1", "m1"]),
        ((), ["S2", "m2"]),
    ],
)
def test_a_fork_begins_where_it_is_told(session, new, jsonl, args, contents):
    name = new(user("a"))
    for n in (1, 2):
        session("append", name, "-q", "--replace", data=[user(f"S{n}")])
        session("append", name, "-q", data=[user(f"m{n}")])
    child = session("fork", name, *args, "-q").out.decode().strip()
    raw = jsonl.read(session("load", child, "--raw").out)
    assert [r["content"] for r in raw[1:]] == contents
    assert "no compaction is left" in session("undo", child, code=4).err
