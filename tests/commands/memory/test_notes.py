"""``memory add, list, show, edit, remove, restore, approve, pin, log, why``."""

from __future__ import annotations

import os
import stat

import pytest

from mewctl.commands.memory import options as shell
from mewctl.memory import note as notes

KEY = "sk-ant-api03-" + "Ab1" * 10


def test_the_shell_spells_types_and_levels_as_the_notes_do():
    assert shell.TYPES == notes.TYPES
    assert shell.LEVELS == notes.LEVELS


def test_a_note_is_one_private_markdown_file(memory, add, store):
    name = add("Package manager", "Use uv.", "--type", "user_preference")
    path = store / "user_preference_package-manager.md"
    text = path.read_text()
    assert text.startswith(f"---\nid: {name}\ntype: user_preference\n")
    assert text.endswith("---\nUse uv.\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(store.stat().st_mode) == 0o700
    assert memory("show", name).out == text


def test_a_note_for_every_project_goes_to_the_user(add, store, user_store):
    add("Tabs", "Tabs, not blanks.", "--level", "user")
    assert not store.exists()
    assert (user_store / "project_knowledge_tabs.md").exists()


def test_what_is_known_is_not_written_twice(memory, add, store):
    first = add("Package manager", "Use uv and never pip for installing packages.")
    again = memory(
        "add", "PM", "--text", "Use UV, and never pip, for installing packages"
    )
    assert again.out.strip() == first
    assert f"already known as {first}" in again.err
    assert len(list(store.glob("project*.md"))) == 1


def test_a_second_text_under_a_name_is_put_behind_the_first(memory, add):
    first = add("Package manager", "Use uv.")
    assert add("Package manager", "And ruff.") == first
    assert memory("show", first).out.endswith("---\nUse uv.\n\nAnd ruff.\n")


def test_a_secret_is_refused_at_write(memory, store):
    done = memory("add", "Key", "--text", f"key {KEY}", code=12)
    assert "holds a secret" in done.err
    assert KEY not in done.err
    assert not list(store.glob("*.md"))


def test_a_secret_that_a_hand_wrote_is_masked_at_read(memory, add, store):
    name = add("Key", "none yet")
    path = store / "project_knowledge_key.md"
    path.write_text(path.read_text().replace("none yet", f"it is {KEY}"))
    for args in (["show", name], ["show", name, "--jsonl"], ["list"], ["index"]):
        assert KEY not in memory(*args).out
    assert KEY in memory("show", name, "--no-redact").out


@pytest.mark.parametrize(
    "slug", ["../x", "/etc/passwd", "..", "a/b", "CON", "x" * 41, "A"]
)
def test_a_hostile_slug_makes_no_file(memory, store, slug):
    memory("add", "T", "--text", "x", "--slug", slug, code=2)
    assert not store.exists()


TITLES = ["..", "../../x", "😀😀", "index", "部署", "CON", "a" * 99, "\u202ex"]


@pytest.mark.parametrize("title", TITLES)
def test_any_title_makes_a_safe_name(memory, add, store, title):
    name = add(title, "x")
    (path,) = store.glob("project_knowledge_*.md")
    assert path.parent == store
    assert len(path.name) <= 64 + 3
    assert path.name.isascii()
    assert memory("show", name).out


def test_an_edit_keeps_every_other_byte_and_what_was_before(memory, add, store):
    name = add("Host", "db-7")
    path = store / "project_knowledge_host.md"
    by_hand = path.read_text().replace("source:", "mine: [a, b]  # mine\nsource:")
    path.write_text(by_hand)
    before = memory("show", name, "--jsonl").records[0]["hash"]
    memory("edit", name, "--title", "The host")
    text = path.read_text()
    assert "mine: [a, b]  # mine\n" in text
    assert "title: The host\n" in text
    assert text.endswith("---\ndb-7\n")
    assert memory("show", name, "--version", before[:12]).out == by_hand


def test_an_edit_that_changes_nothing_is_refused(memory, add):
    name = add("Host", "db-7")
    assert "changes nothing" in memory("edit", name, "--title", "Host", code=1).err


def test_an_edit_of_what_was_changed_meanwhile_keeps_both(memory, add, store):
    name = add("Host", "db-7")
    seen = memory("show", name, "--jsonl").records[0]["hash"]
    path = store / "project_knowledge_host.md"
    path.write_text(path.read_text().replace("db-7", "db-8"))
    memory("edit", name, "--text", "db-9", "--if-match", seen, code=11)
    assert path.read_text().endswith("db-8\n")
    (kept,) = store.glob("*.conflict-*")
    assert kept.read_text().endswith("db-9\n")
    assert "conflict" in {r["kind"] for r in memory("check", code=1).records}


def test_another_type_is_another_file_of_the_same_note(memory, add, store):
    name = add("Host", "db-7")
    memory("edit", name, "--type", "reference_material")
    assert [p.name for p in store.glob("*_host.md")] == ["reference_material_host.md"]
    assert name in memory("show", "host").out


def test_removed_is_archived_and_comes_back_byte_for_byte(memory, add, store):
    name = add("Host", "db-7")
    path = store / "project_knowledge_host.md"
    text = path.read_bytes()
    memory("remove", name, "--why", "moved")
    assert not path.exists()
    assert "Host" not in (store / "MEMORY.md").read_text()
    (gone,) = memory("list", "--archived").records
    assert (gone["id"], gone["event"], gone["why"]) == (name, "removed", "moved")
    memory("restore", name)
    assert path.read_bytes() == text
    assert not memory("list", "--archived").records
    assert "Host" in (store / "MEMORY.md").read_text()


def test_either_all_notes_go_or_none(memory, add, store):
    name = add("Host", "db-7")
    memory("remove", name, "nothing", code=4)
    assert (store / "project_knowledge_host.md").exists()


def test_a_restored_note_takes_no_other_ones_name(memory, add, store):
    name = add("Host", "db-7")
    memory("remove", name)
    add("Host", "quite another thing that nobody said before")
    memory("restore", name, code=5)
    assert "another thing" in (store / "project_knowledge_host.md").read_text()


def test_a_removed_note_is_not_learned_again_but_may_be_written(memory, add):
    name = add("Host", "The deploy host is called db-7.")
    memory("remove", name)
    action = {"action": "create", "type": "project_knowledge", "title": "H"}
    (result,) = memory(
        "apply", data=[action | {"content": "The deploy host is called db-7."}], code=1
    ).records
    assert "was removed" in result["reason"]
    assert add("Host", "The deploy host is called db-7.")


def test_a_note_of_a_tool_waits_for_approval(memory, store):
    action = {"action": "create", "type": "reference_material", "title": "Page",
              "content": "says so", "source": "tool"}  # fmt: skip
    (result,) = memory("apply", data=[action]).records
    assert result["quarantined"] is True
    assert memory("index").out == ""
    assert "Page" not in (store / "MEMORY.md").read_text()
    assert [r["id"] for r in memory("list", "--quarantined").records] == [result["id"]]
    assert memory("why", "page").records[0]["confidence"] == "low"
    memory("approve", "page")
    assert "Page" in memory("index").out
    assert "Page" in (store / "MEMORY.md").read_text()
    assert memory("why", "page").records[0]["confidence"] == "medium"


def test_a_pin_holds_against_a_proposal(memory, add):
    name = add("Host", "db-7")
    memory("pin", name)
    action = {"action": "delete", "id": name}
    (result,) = memory("apply", data=[action], code=1).records
    assert result["reason"] == "is pinned"
    memory("pin", "--off", name)
    assert memory("apply", data=[action]).records[0]["result"] == "applied"


def test_the_log_tells_every_change_and_why_tells_the_ground(memory, add):
    name = add("Host", "db-7")
    memory("pin", name)
    memory("edit", name, "--text", "db-8")
    memory("remove", name, "--why", "gone")
    events = memory("log", name).records
    assert [e["event"] for e in events] == ["created", "pinned", "updated", "removed"]
    assert events[2]["before"] == events[1]["after"]
    memory("restore", name)
    (value,) = memory("why", name).records
    assert (value["confidence"], value["reason"]) == ("high", "given by the user")
    assert len(value["events"]) == 5


def test_a_look_makes_nothing_and_is_no_use(memory, add, store):
    for args in (["list"], ["index"], ["log"], ["check"], ["gc"], ["reindex"]):
        memory(*args)
    assert not store.exists()
    name = add("Host", "db-7")
    before = (store / "project_knowledge_host.md").read_bytes()
    for args in (["list"], ["show", name], ["why", name], ["index"]):
        memory(*args)
    assert (store / "project_knowledge_host.md").read_bytes() == before


def test_one_file_that_is_no_note_hides_no_other(memory, add, store):
    add("Host", "db-7")
    (store / "project_knowledge_bad.md").write_bytes(b"\xff\xfe")
    os.symlink("/etc/passwd", store / "project_knowledge_link.md")
    done = memory("list")
    assert [r["title"] for r in done.records] == ["Host"]
    assert "project_knowledge_bad.md: not UTF-8 at byte 0; left out" in done.err
    assert "project_knowledge_link.md: is a symbolic link; left out" in done.err


@pytest.mark.parametrize("name", ["nothing", "hots"])
def test_a_name_that_means_nothing_says_what_is_near(memory, add, name):
    add("Host", "db-7")
    for command in ("show", "why", "pin", "approve", "remove", "restore"):
        memory(command, name, code=4)
    assert ("near: host" in memory("show", name, code=4).err) is (name == "hots")


def test_a_slug_that_means_two_notes_is_ambiguous(memory, add):
    add("Host", "db-7")
    add("Host", "here it is quite another thing", "--level", "user")
    assert "several notes" in memory("show", "host", code=4).err
    assert "db-7" in memory("show", "host", "--level", "project").out


@pytest.mark.parametrize(
    ("args", "data", "code"),
    [
        (["edit", "host"], b"", 2),
        (["edit", "host", "--text", "x", "-"], b"x", 2),
        (["add", "T"], b"\xff", 3),
        (["add", "T"], b"  \n", 3),
        (["add", "T" * 121, "--text", "x"], b"", 2),
        (["add", "T", "--text", "x", "--valid-until", "soon"], b"", 2),
        (["edit", "host", "--text", "x", "--if-match", "zz"], b"", 2),
        (["list", "--type", "x"], b"", 2),
    ],
)
def test_wrong_words_are_told_and_change_nothing(memory, add, store, args, data, code):
    add("Host", "db-7")
    before = sorted(store.iterdir())
    done = memory(*args, data=data, code=code)
    assert done.err.startswith("mewctl memory")
    assert done.err.count("\n") == 1
    assert sorted(store.iterdir()) == before
