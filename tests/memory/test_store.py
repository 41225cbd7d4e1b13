"""The notes on a disk: what each step leaves when the process dies in it."""

from __future__ import annotations

import os

import pytest

from mewctl.errors import Locked, StorageError, Unsafe
from mewctl.memory.checking import checked
from mewctl.memory.note import read
from mewctl.memory.store import Store
from mewctl.memory.writes import Write, with_body

TIME = 1_790_000_000.0
STEPS = ("replace", "rename", "link", "unlink", "fsync", "write", "open", "mkdir")


def note(name, body, level="project"):
    text = f"---\nid: {name}\ntype: project_knowledge\ntitle: {name}\n---\n{body}\n"
    return read(text, f"project_knowledge_{name}.md", level)


@pytest.fixture
def store(tmp_path):
    return Store(str(tmp_path / ".mewcode" / "memory"), "project")


def carry_out(store, *writes):
    with store.lock():
        store.carry_out(writes, TIME, "test")


class Killed(BaseException):
    """What a process is told when it is killed: nothing more happens."""


@pytest.fixture
def die_at():
    """Let the n-th change of the disk, and all after it, not happen."""

    def arrange(patch, n):
        count = 0

        def wrapped(real):
            def act(*args, **kwargs):
                nonlocal count
                count += 1
                if count >= n:
                    raise Killed
                return real(*args, **kwargs)

            return act

        for step in STEPS:
            patch.setattr(os, step, wrapped(getattr(os, step)))

    return arrange


def test_at_every_step_each_note_is_old_or_new(tmp_path, monkeypatch, die_at):
    """Whatever step is the last: nothing is half, nothing is gone without a trace."""
    finished = False
    for n in range(1, 400):
        store = Store(str(tmp_path / str(n) / ".mewcode" / "memory"), "project")
        old, gone = note("old", "before"), note("gone", "was here")
        carry_out(store, Write("created", None, old), Write("created", None, gone))
        new, made = with_body(old, "after\n"), note("made", "first")
        writes = [
            Write("created", None, made),
            Write("updated", old, new),
            Write("removed", gone, None, "because"),
        ]
        try:
            with monkeypatch.context() as patch:
                die_at(patch, n)
                carry_out(store, *writes)
            finished = True
        except Killed:
            pass
        notes, unread = store.notes()
        bodies = {one.id: one.body for one in notes}
        assert not unread
        assert bodies["old"] in {"before\n", "after\n"}
        assert bodies.get("made", "first\n") == "first\n"
        assert "gone" in bodies or [a.note.text for a in store.archived()] == [
            gone.text
        ]
        if bodies["old"] == "after\n":
            assert store.version(old.hash) == old.text
        with store.lock():
            store.reindex()
        assert {f.kind for f in checked(store, TIME)} == set()
        if finished:
            break
    assert finished
    assert n > 20
    assert (set(bodies), bodies["old"]) == ({"old", "made"}, "after\n")
    assert [e["event"] for e in store.events()][-3:] == [
        "created",
        "updated",
        "removed",
    ]


def test_what_was_edited_since_it_was_read_is_not_written_over(store, tmp_path):
    old = note("host", "before")
    carry_out(store, Write("created", None, old))
    path = tmp_path / ".mewcode" / "memory" / old.file
    path.write_text(old.text + "by hand\n")
    with pytest.raises(Locked):
        carry_out(store, Write("updated", old, with_body(old, "after\n")))
    assert path.read_text().endswith("by hand\n")
    assert len(store.conflicts()) == 1


def test_a_created_note_takes_nobodys_name(store):
    carry_out(store, Write("created", None, note("host", "one")))
    with pytest.raises(StorageError):
        carry_out(store, Write("created", None, note("host", "two")))
    assert store.notes()[0][0].body == "one\n"


def test_an_index_that_is_a_link_is_not_followed(store, tmp_path):
    carry_out(store, Write("created", None, note("host", "one")))
    victim = tmp_path / "victim"
    victim.write_text("mine")
    os.unlink(store.index_path)
    os.symlink(victim, store.index_path)
    with pytest.raises(Unsafe):
        carry_out(store, Write("created", None, note("other", "two")))
    assert victim.read_text() == "mine"


def test_a_tombstone_without_its_note_is_nothing(store, tmp_path):
    one = note("host", "one")
    carry_out(store, Write("created", None, one))
    carry_out(store, Write("removed", one, None))
    archive = tmp_path / ".mewcode" / "memory" / "archive"
    (archive / "x.1.json").write_text("{}")
    (archive / "y.1.json").write_text("no json")
    (archive / "z.1.json").write_text('{"time": 1, "file": "../z.md"}')
    (archive / "z.1.md").write_text("text")
    assert [a.note.id for a in store.archived()] == ["host"]


def test_damaged_lines_of_the_journal_hide_no_other(store, tmp_path):
    carry_out(store, Write("created", None, note("host", "one")))
    path = tmp_path / ".mewcode" / "memory" / "journal.jsonl"
    path.write_bytes(b'torn{"\n\n[1]\n' + path.read_bytes() + b'{"type":"memo')
    assert [e["id"] for e in store.events()] == ["host"]
