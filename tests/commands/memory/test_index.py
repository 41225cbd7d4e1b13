"""``memory index``, ``check``, ``reindex`` and ``gc``."""

from __future__ import annotations

import hashlib
import json
import os

import pytest

from mewctl.memory import index

OLD = "2020-01-01T00:00:00Z"


def aged(store, file, **fields):
    """Give a note other fields, as a hand would."""
    path = store / file
    lines = path.read_text().splitlines(keepends=True)
    kept = [line for line in lines if line.partition(":")[0] not in fields]
    head = [f"{key}: {value}\n" for key, value in fields.items()]
    path.write_text("".join([kept[0], *head, *kept[1:]]))


def test_the_project_comes_first_and_links_resolve_from_its_root(memory, add, project):
    add("B", "second", "--level", "user")
    add("A", "first")
    assert memory("index").out == (
        "- [project_knowledge] [A](.mewcode/memory/project_knowledge_a.md) — first\n"
        "- [project_knowledge] [B](~/.mewcode/memory/project_knowledge_b.md) — second\n"
    )
    assert (project / ".mewcode/memory/project_knowledge_a.md").exists()


def test_the_index_is_read_fresh_and_the_same_every_time(memory, add, store):
    add("A", "first")
    before = memory("index").out
    assert memory("index").out == before
    path = store / "project_knowledge_a.md"
    path.write_text(path.read_text().replace("first", "by hand"))
    assert "by hand" in memory("index").out


def test_nothing_is_printed_while_nothing_changed(memory, add):
    add("A", "first")
    mark = memory("index", "--hash").out.strip()
    assert mark == hashlib.sha256(memory("index").out.encode()).hexdigest()
    assert memory("index", "--if-changed", mark).out == ""
    add("B", "second thing")
    assert memory("index", "--if-changed", mark).out


def test_a_message_for_the_system(memory, add):
    add("A", "first")
    value = json.loads(memory("index", "--jsonl").out)
    assert value == {"role": "system", "content": memory("index").out}


def test_use_is_recorded_for_what_was_printed_alone(memory, add, store):
    add("A", "first")
    add("B", "x" * 300)
    aged(store, "project_knowledge_a.md", created=OLD, updated=OLD)
    out = memory("index", "--mark-used", "--max-bytes", "200").out
    assert out.splitlines()[-1] == "(index truncated: 1 of 2)"
    uses = {r["title"]: r.get("uses", 0) for r in memory("list").records}
    assert uses == {"A": 0, "B": 1}
    memory("index", "--mark-used", "--max-bytes", "0")
    assert {r.get("uses", 0) for r in memory("list").records} == {0, 1}


def test_ages_are_told_only_when_asked_for(memory, add, store):
    add("A", "first")
    aged(store, "project_knowledge_a.md", created=OLD, updated=OLD)
    assert memory("index").out.endswith("first\n")
    assert memory("index", "--ages").out.endswith(" d)\n")


def test_a_hash_alone_uses_nothing(memory):
    done = memory("index", "--hash", "--mark-used", code=2)
    assert done.out == ""
    assert "--hash uses no note" in done.err


# --- MEMORY.md ---


def test_a_users_text_around_the_index_is_kept(add, store):
    add("A", "first")
    path = store / "MEMORY.md"
    path.write_text("# Mine\n\n" + path.read_text() + "\nafter\n")
    add("B", "second thing")
    text = path.read_text()
    assert text.startswith("# Mine\n\n<!--")
    assert text.endswith("\nafter\n")
    assert text.count("- [project_knowledge]") == 2


def _unclosed(path):
    path.write_text(path.read_text().replace(index.END, ""))


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: None,
        lambda path: path.write_text(""),
        lambda path: path.write_text("mine"),
        lambda path: path.write_text(path.read_text().replace("[A]", "[Z]")),
        _unclosed,
        lambda path: path.unlink(),
        lambda path: path.write_bytes(b"\xff\n" + path.read_bytes()),
    ],
)
def test_drift_is_found_and_mended(memory, add, store, damage):
    add("A", "first")
    path = store / "MEMORY.md"
    whole = path.read_bytes()
    damage(path)
    broken = path.read_bytes() if path.exists() else b""
    kinds = {r["kind"] for r in memory("check", code=int(whole not in broken)).records}
    assert kinds == (set() if whole in broken else {"index"})
    memory("reindex")
    assert memory("check").out == ""
    assert whole in path.read_bytes()
    assert (b"mine" in broken) <= (b"mine" in path.read_bytes())
    assert not memory("reindex").err


# --- check ---


def test_every_kind_of_fault_is_found(memory, add, store):
    for title in ("Broken", "Secret", "Hidden", "Date", "Past"):
        add(title, f"{title} has its own text here")
    first = store / "project_knowledge_broken.md"
    first.write_text("---\nid: [\n---\nx\n")
    (store / "project_knowledge_none.md").write_text("no fields at all\n")
    (store / "project_knowledge_raw.md").write_bytes(b"\xff")
    for name, text in (("secret", "AKIAABCDEFGHIJKLMNOP"), ("hidden", "a\u202eb")):
        with (store / f"project_knowledge_{name}.md").open("a") as file:
            file.write(f"{text}\n")
    aged(store, "project_knowledge_date.md", valid_until="soon")
    aged(store, "project_knowledge_past.md", valid_until="2020-01-01")
    os.link(store / "project_knowledge_past.md", store / "project_knowledge_copy.md")
    memory("reindex")
    found = {
        (r["kind"], os.path.basename(r["path"]).removeprefix("project_knowledge_"))
        for r in memory("check", code=1).records
    }
    assert found == {
        ("fields", "broken.md"),
        ("fields", "none.md"),
        ("unreadable", "raw.md"),
        ("secret", "secret.md"),
        ("hidden", "hidden.md"),
        ("fields", "date.md"),
        ("expired", "past.md"),
        ("expired", "copy.md"),
        ("duplicate", "past.md"),
    }


# --- gc ---


def test_what_nobody_uses_ages_out_and_rules_do_not(memory, add, store):
    add("Knowledge", "an old fact of some kind")
    add("Rule", "always do it this way", "--type", "correction_feedback")
    add("Pinned", "this one stays for good")
    add("New", "found out only today")
    for file in ("project_knowledge_knowledge", "correction_feedback_rule",
                 "project_knowledge_pinned"):  # fmt: skip
        aged(store, f"{file}.md", created=OLD, updated=OLD)
    memory("pin", "pinned")
    (would,) = memory("gc", "--dry-run").records
    assert would["why"].startswith("not used for ")
    assert len(memory("list").records) == 4
    (went,) = memory("gc").records
    assert went["id"] == would["id"]
    assert {r["title"] for r in memory("list").records} == {"Rule", "Pinned", "New"}
    assert [r["event"] for r in memory("list", "--archived").records] == ["archived"]
    assert memory("gc").records == []


def test_what_gc_archived_may_be_learned_again(memory, add, store):
    add("Host", "The deploy host is called db-7.")
    aged(store, "project_knowledge_host.md", created=OLD, updated=OLD)
    memory("gc")
    action = {"action": "create", "type": "project_knowledge", "title": "Host"}
    done = memory(
        "apply", data=[action | {"content": "The deploy host is called db-7."}]
    )
    assert done.records[0]["result"] == "applied"
