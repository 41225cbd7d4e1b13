"""``session clean`` and the trash: only what the rules say, and it comes back."""

from __future__ import annotations

import json
import os
import shutil
import time

import pytest
from talks import user

from mewctl.store.lock import locked

DAY = 86_400


@pytest.fixture
def aged(new):
    """Make a session that was last active so many days ago."""

    def make(days, **more):
        name = new(user(f"{days} days", ts=time.time() - days * DAY, **more))
        return name

    return make


@pytest.fixture
def left(project):
    return lambda: set(os.listdir(project / ".mewcode" / "sessions"))


def types(done, jsonl):
    return [(r["type"], r["id"]) for r in jsonl.read(done.out)]


def test_old_sessions_go_to_the_trash_and_come_back(session, aged, left, jsonl, log):
    old, young = aged(40), aged(2)
    before = log(old).read_bytes()
    done = session("clean")
    assert types(done, jsonl) == [("remove", old)]
    assert left() == {young}
    (row,) = jsonl.read(session("trash", "list").out)
    assert row["id"] == old
    assert row["reasons"] == ["--older-than 30d: last active 40d ago"]
    session("trash", "restore", old[:17])
    assert left() == {old, young}
    assert log(old).read_bytes() == before
    assert session("trash", "list").out == b""


def test_a_dry_run_shows_every_session_and_does_nothing(
    session, aged, left, jsonl, project
):
    old, young = aged(40), aged(2)
    done = session("clean", "--dry-run")
    assert types(done, jsonl) == [("keep", young), ("remove", old)]
    assert all(r["reasons"] and r["title"] for r in jsonl.read(done.out))
    assert left() == {old, young}
    assert not (project / ".mewcode" / "trash").exists()
    assert not (project / ".mewcode" / "clean.log.jsonl").exists()
    table = session("clean", "--dry-run", "--format", "table").out.decode()
    assert "REMOVE" in table
    assert "KEEP" in table


def test_every_removal_is_on_record(session, aged, project, jsonl):
    old = aged(40)
    session("clean")
    (row,) = jsonl.read((project / ".mewcode" / "clean.log.jsonl").read_bytes())
    assert row["id"] == old
    assert row["title"] == "40 days"
    assert row["bytes"] > 0
    assert row["trash"].endswith(old)


def test_what_is_protected_stays(session, aged, left, log):
    pinned, locked_one, torn, future, copied = (
        aged(40), aged(40), aged(40), aged(-3), aged(40),
    )  # fmt: skip
    session("pin", pinned)
    log(torn).write_bytes(b"\0\0")
    os.utime(log(copied))  # a touched file is no activity
    with locked(str(log(locked_one).parent)):
        session("clean")
    assert left() == {pinned, locked_one, torn, future}


def test_a_session_that_is_locked_meanwhile_is_kept(
    session, aged, left, jsonl, monkeypatch, log
):
    from mewctl.commands.session import cleaning

    name = aged(40)
    monkeypatch.setattr(cleaning, "is_locked", lambda _: False)
    with locked(str(log(name).parent)):
        done = session("clean")
    assert [(r["type"], r["why"]) for r in jsonl.read(done.out)] == [
        ("kept", "locked: in use")
    ]
    assert left() == {name}


@pytest.mark.parametrize("what", ["write", "pin"])
def test_what_changed_since_it_was_judged_is_kept(
    session, aged, left, monkeypatch, what, log
):
    from mewctl.commands.session import cleaning

    name = aged(40)
    real = cleaning.apply

    def slow(*args):
        plan = real(*args)
        if what == "pin":
            session("pin", name, "-q")
        else:
            with log(name).open("ab") as file:
                file.write(b'{"role":"user","content":"new"}\n')
        return plan

    monkeypatch.setattr(cleaning, "apply", slow)
    row = json.loads(session("clean").out)
    assert row["type"] == "kept"
    assert "meanwhile" in row["why"]
    assert left() == {name}


@pytest.mark.parametrize(
    "args",
    [
        ("--older-than", "0"),
        ("--older-than", "0d"),
        ("--older-than", "-1d"),
        ("--older-than", "30"),
        ("--older-than", "1e9d"),
        ("--older-than", "yesterday"),
        ("--keep-last", "0"),
        ("--max-total-size", "2"),
        ("--max-total-size", "0G"),
        ("--keep-daily", "-1"),
        ("--min-age", "0d"),
    ],
)
def test_a_rule_that_is_none_is_usage_and_deletes_nothing(session, aged, left, args):
    name = aged(400)
    session("clean", *args, code=2)
    assert left() == {name}


def test_a_contradictory_policy_is_configuration_and_deletes_nothing(
    session, aged, left
):
    name = aged(400)
    session("clean", "--older-than", "1h", code=6)
    assert left() == {name}


def test_an_unreadable_policy_deletes_nothing(session, aged, left, project):
    name = aged(400)
    config = project / ".mewcode" / "config.toml"
    for text in ('[session.clean]\nolder-than = "soon"\n', "[session.clean\n"):
        config.write_text(text)
        session("clean", code=6)
    config.write_text("[session.clean]\nkeep-latest = 3\n")
    assert "keep_last" in session("clean", code=6).err
    assert left() == {name}


def test_a_policy_of_a_settings_file_counts(session, aged, left, project):
    name, other = aged(400), aged(300)
    config = project / ".mewcode" / "config.toml"
    config.write_text("[session.clean]\nkeep-last = 1\n")
    session("clean")
    assert left() == {other}
    assert name not in left()


@pytest.mark.parametrize("where", ["/", "home", "nothing", "link"])
def test_what_is_no_store_is_refused(session, tmp_path, where):
    root = {"/": "/", "home": tmp_path / "home", "nothing": tmp_path / "nothing"}
    if where == "link":
        (tmp_path / "linked").mkdir()
        (tmp_path / "linked" / ".mewcode").symlink_to(tmp_path / "home")
        (tmp_path / "home" / "sessions").mkdir()
        root["link"] = tmp_path / "linked"
    (tmp_path / "nothing").mkdir()
    for args in (("clean",), ("trash", "empty")):
        done = session(*args, "--root", root[where], code=12)
        remedy = "remove the link" if where == "link" else "name a project"
        assert remedy in done.err


def test_a_store_without_sessions_has_nothing_to_remove(session, project):
    (project / ".mewcode").mkdir()
    assert session("clean").out == b""


def test_deleting_skips_the_trash(session, aged, left, project, jsonl):
    aged(40)
    done = session("clean", "--delete")
    assert jsonl.read(done.out)[0]["trash"] == ""
    assert left() == set()
    assert os.listdir(project / ".mewcode" / "trash") == []


def test_the_trash_is_emptied_after_its_time(session, aged, project, jsonl):
    aged(40)
    session("clean")
    trash = project / ".mewcode" / "trash"
    session("clean")
    assert len(os.listdir(trash)) == 1
    (unit,) = trash.iterdir()
    note = json.loads((unit / ".trash.json").read_text())
    note["trashed"] -= 15 * DAY
    (unit / ".trash.json").write_text(json.dumps(note))
    done = session("clean")
    assert [t for t, _ in types(done, jsonl)] == ["emptied"]
    assert os.listdir(trash) == []


def test_the_trash_is_emptied_on_request(session, aged, project):
    aged(40)
    session("clean")
    session("trash", "empty", "--older-than", "7d")
    assert len(os.listdir(project / ".mewcode" / "trash")) == 1
    assert "1 deleted for good" in session("trash", "empty").err
    assert os.listdir(project / ".mewcode" / "trash") == []


def test_restoring_writes_over_nothing_and_knows_its_names(session, aged, log):
    name = aged(40)
    session("clean")
    log(name).parent.mkdir()
    assert "already there" in session("trash", "restore", name, code=5).err
    assert "nothing in the trash" in session("trash", "restore", "zzz", code=4).err


def test_one_that_cannot_be_removed_is_named_and_the_rest_goes_on(
    session, aged, left, monkeypatch, jsonl
):
    from mewctl.errors import StorageError
    from mewctl.store import trash

    bad, good = aged(50), aged(40)
    real = trash.discard

    def fail(directory, *args):
        if directory.endswith(bad):
            raise StorageError(path=directory, what="Permission denied", remedy="-")
        return real(directory, *args)

    monkeypatch.setattr(trash, "discard", fail)
    done = session("clean", code=5)
    assert types(done, jsonl) == [("problem", bad), ("remove", good)]
    assert bad in done.err
    assert left() == {bad}


def test_bodies_without_a_session_go_only_when_nothing_names_them(
    session, run, project, jsonl, new
):
    spill = project / ".mewcode" / "spill"
    big = "".join(f"line {n}\n" for n in range(9000))
    history = []
    for n in (1, 2):
        call = {"id": f"call_{n}", "name": "f", "input": {}}
        result = {"tool_call_id": f"call_{n}", "content": big + str(n)}
        history += [
            user("a"),
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_results": [result]},
        ]
    done = run("spill", "-q", data=jsonl.write(*history))
    lines = done.out.splitlines()
    new(*lines[:3])  # a session holds the preview of the first
    for name in ("call_1", "call_2"):
        os.utime(spill / name, (1000, 1000))
    session("clean", "-q")
    assert {"call_1", "call_2"} <= set(os.listdir(spill))
    session("clean", "--spill-older-than", "30d")
    assert "call_1" in os.listdir(spill)
    assert "call_2" not in os.listdir(spill)
    (row,) = jsonl.read(session("trash", "list").out)
    session("trash", "restore", row["id"])
    assert (spill / "call_2").read_text() == big + "2"


def test_a_session_that_is_a_link_is_listed_and_left_alone(
    session, aged, log, tmp_path, jsonl
):
    name = aged(40)
    real = tmp_path / "real"
    os.rename(log(name).parent, real)
    log(name).parent.symlink_to(real)
    before = {p.name: p.read_bytes() for p in real.iterdir()}
    assert "symbolic link" in jsonl.read(session("list").out)[0]["problem"]
    assert session("clean").out == b""
    refused = session("append", name, data=[user("more")], code=12)
    assert "symbolic link" in refused.err
    assert {p.name: p.read_bytes() for p in real.iterdir()} == before
    session("append", str(real), "-q", data=[user("more")])  # a path is followed


def test_several_come_back_together_or_none_does(session, aged, left, log):
    first, second = aged(40), aged(50)
    session("clean", "-q")
    log(second).parent.mkdir()
    refused = session("trash", "restore", first, second, code=5)
    assert "already there" in refused.err
    assert left() == {second}
    log(second).parent.rmdir()
    session("trash", "restore", first, second)
    assert left() == {first, second}


def test_two_of_one_name_do_not_come_back_together(session, aged, left, project):
    name = aged(40)
    session("clean", "-q")
    trash = project / ".mewcode" / "trash"
    shutil.copytree(trash / name, trash / f"{name}.2")
    assert "same name" in session("trash", "restore", name, f"{name}.2", code=4).err
    assert left() == set()
    session("trash", "restore", f"{name}.2")
    assert left() == {name}


@pytest.mark.parametrize("said", [5, "abc", None, {"a": 1}])
def test_the_trash_is_listed_whatever_its_notes_say(session, aged, project, said):
    name = aged(40)
    session("clean", "-q")
    (path,) = (project / ".mewcode" / "trash").glob("*/.trash.json")
    path.write_text(json.dumps({**json.loads(path.read_text()), "reasons": said}))
    assert name in session("trash", "list", "--format", "table").out.decode()
