"""``mewctl memory search``, as its users see it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from searching import put, store_at

from mewctl import cli
from mewctl.commands.memory.querying import matching


@pytest.fixture(autouse=True)
def _project(elsewhere):
    """Nothing of this machine takes part."""


@pytest.fixture
def run(capfdbinary):
    def call(*args):
        code = cli.run(["memory", "search", *args])
        sys.stdout.flush()
        seen = capfdbinary.readouterr()
        rows = [json.loads(line) for line in seen.out.splitlines() if line[:1] == b"{"]
        return SimpleNamespace(
            code=code, rows=rows, out=seen.out, err=seen.err.decode()
        )

    return call


@pytest.fixture
def store():
    made = store_at(Path.cwd())
    put(made, "uv", "Package manager", "Never use pip; uv it is.")
    put(made, "tests", "Tests", "Run pytest before a commit.", type="user_preference")
    return made


@pytest.fixture
def user():
    made = store_at(Path("~").expanduser(), "user")
    put(made, "editor", "Editor", "I use vim before all others.")
    return made


@pytest.mark.usefixtures("store", "user")
def test_notes_of_both_levels_are_found_the_best_first(run):
    done = run("which package manager")
    assert done.code == 0
    assert [row["id"] for row in done.rows] == ["id-uv"]
    assert done.rows[0]["score"] > 0
    assert done.rows[0]["path"] == ".mewcode/memory/project_knowledge_uv.md"
    assert "arms" not in done.rows[0]
    assert {row["level"] for row in run("use before").rows} == {"project", "user"}


@pytest.mark.usefixtures("store", "user")
def test_a_level_and_a_type_leave_others_out(run):
    def ids(*args):
        return {row["id"] for row in run("use run before", *args).rows}

    assert ids() == {"id-uv", "id-tests", "id-editor"}
    assert ids("--level", "user") == {"id-editor"}
    assert ids("--level", "project") == {"id-uv", "id-tests"}
    assert ids("--type", "user_preference") == {"id-tests"}


@pytest.mark.usefixtures("store")
def test_nothing_that_matches_is_exit_code_1(run):
    done = run("葡萄")
    assert (done.code, done.out, done.err) == (1, b"", "")


@pytest.mark.usefixtures("store")
def test_top_leaves_notes_out_and_says_how_many(run):
    done = run("--top", "1", "use run")
    assert len(done.rows) == 1
    assert done.err == "mewctl memory search: 1 more; see --top\n"
    assert run("--top", "1", "-q", "use run").err == ""


@pytest.mark.usefixtures("store")
def test_explain_shows_what_was_sought_and_each_arm(run):
    done = run("--explain", "never use pip")
    assert set(done.rows[0]["arms"]) == {"words", "phrase"}
    assert 'phrase: "never use pip"' in done.err
    assert "words: never|" in done.err
    table = run("--explain", "--format", "table", "never use pip").out.decode()
    assert table.splitlines()[0].split() == ["id", "title", "level", "score", "arms"]
    assert "phrase=" in table


def test_a_secret_in_a_note_is_masked_unless_asked_for(run, store):
    token = "ghp_" + "a1B2" * 9
    put(store, "key", "Key", f"The deploy token is {token}.")
    assert token.encode() not in run("deploy token").out
    assert token.encode() in run("--no-redact", "deploy token").out


def test_what_is_not_searched_is_said(run, store):
    put(store, "tool", "Injected", source="tool")
    done = run("injected")
    assert done.code == 1
    assert done.err == (
        "mewctl memory search: 1 note not searched: "
        "rests on the output of tools, see memory approve\n"
    )
    path = put(store, "bad", "x")
    path.write_bytes(b"\xff")
    assert f"{path}: not UTF-8 at byte 0; not searched\n" in run("injected").err
    assert run("-q", "injected").err == ""


def test_an_empty_store_has_nothing(run):
    assert run("anything").code == 1
    assert not Path(".mewcode").exists()


@pytest.mark.usefixtures("store")
def test_a_python_without_fts5_is_told_in_one_line(run, monkeypatch):
    monkeypatch.setattr(
        "mewctl.memory.search_schema.SCHEMA",
        ("CREATE VIRTUAL TABLE words USING fts9(x)",),
    )
    done = run("uv")
    assert done.code == 6
    assert done.err == (
        "mewctl memory search: this Python: its sqlite3 cannot: no such module: fts9; "
        "install mewctl for a Python whose sqlite3 has FTS5\n"
    )


@pytest.mark.usefixtures("store")
def test_a_python_without_sqlite3_is_told_in_one_line(run, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("mewctl.memory.sea")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sqlite3", None)
    done = run("uv")
    assert done.code == 6
    assert "install mewctl for a Python whose sqlite3 has FTS5" in done.err


def test_an_index_for_a_question_has_the_notes_that_matter(store, user):
    stores = [store, user]
    notes = [note for one in stores for note in one.notes()[0]]
    assert [note.id for note in matching(notes, stores, "vim editor", 1)] == [
        "id-editor"
    ]
    assert matching(notes[:1], stores, "vim editor", 1) == []
