"""The cache: never what decides what is found, only how quickly."""

from __future__ import annotations

import os
import shutil
import stat
import time

import pytest
from searching import LATER, cache_of, found, put, rewrite, store_at

from mewctl.errors import StorageError
from mewctl.memory.search_cache import fresh


@pytest.fixture
def store(tmp_path):
    made = store_at(tmp_path)
    put(made, "tests", "How to test", "Run pytest.")
    put(made, "lint", "How to lint", "Run ruff.")
    return made


def read_files(store, monkeypatch):
    """The files that the next searches read."""
    seen = []
    notes = type(store).notes

    def noting(self, names=None):
        seen.extend(names)
        return notes(self, names)

    monkeypatch.setattr(type(store), "notes", noting)
    return seen


def update(store, now=LATER):
    fresh(store, now).close()


def test_what_did_not_change_is_not_read_again(store, monkeypatch):
    update(store)
    before = cache_of(store).stat()
    seen = read_files(store, monkeypatch)
    update(store)
    assert seen == []
    assert cache_of(store).stat().st_ino == before.st_ino


def test_only_what_changed_is_read_again(store, monkeypatch):
    update(store)
    seen = read_files(store, monkeypatch)
    put(store, "lint", "How to lint", "Run flake8.")
    put(store, "new", "Docs", "Run make.")
    update(store)
    assert seen == ["project_knowledge_lint.md", "project_knowledge_new.md"]
    assert found(store, asked="ruff") == []
    assert found(store, asked="flake8") == ["lint"]
    assert found(store, asked="docs") == ["new"]


def test_a_change_in_place_of_the_same_size_is_seen_whatever_its_time_says(store):
    path = put(store, "lint", "How to lint", "Run ruff.")
    assert found(store, asked="ruff") == ["lint"]
    before = path.stat()
    rewrite(path, path.read_text().replace("ruff", "flak"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert found(store, asked="ruff") == []
    assert found(store, asked="flak") == ["lint"]


def test_a_file_that_has_just_been_written_is_read_again(store, monkeypatch):
    now = time.time()
    update(store, now)
    seen = read_files(store, monkeypatch)
    update(store, now)  # it may have changed within the same tick of the clock
    assert len(seen) == 2
    update(store)
    seen.clear()
    update(store)
    assert seen == []


def test_a_removed_note_is_found_no_more(store):
    assert found(store, asked="pytest") == ["tests"]
    put(store, "tests", "x").unlink()
    assert found(store, asked="pytest") == []


def test_a_renamed_note_is_found_by_its_new_name(store):
    path = put(store, "lint", "How to lint", "Run ruff.")
    update(store)
    path.rename(path.with_name("project_knowledge_style.md"))
    assert found(store, asked="ruff") == ["style"]


def test_changes_bit_by_bit_and_a_cache_made_anew_find_the_same(store):
    for number in range(30):
        put(store, f"n{number}", f"Note {number % 5}", "run " * (number % 7))
        if number % 4 == 0:
            update(store)
    put(store, "n3", "Other").unlink()
    bit_by_bit = found(store, asked="run note 3", top=50)
    cache_of(store).unlink()
    assert found(store, asked="run note 3", top=50) == bit_by_bit
    assert len(bit_by_bit) > 20


@pytest.mark.parametrize("damage", ["empty", "text", "short", "zeros", "directory"])
def test_a_damaged_cache_changes_nothing_that_is_found(store, damage):
    expected = found(store, asked="how to run")
    path = cache_of(store)
    raw = path.read_bytes()
    path.unlink()
    if damage == "directory":
        path.mkdir()
    else:
        bad = {
            "empty": b"",
            "text": b"no database",
            "short": raw[:5000],
            "zeros": raw[:4096] + bytes(len(raw) - 4096),
        }
        path.write_bytes(bad[damage])
    assert found(store, asked="how to run") == expected
    if damage != "directory":
        assert path.stat().st_size >= len(raw)


def test_damage_that_shows_only_when_a_note_changed_is_mended(store):
    update(store)
    path = cache_of(store)
    raw = bytearray(path.read_bytes())
    page = raw.index(b"how to test")
    raw[page - page % 4096 : page - page % 4096 + 8] = b"\xff" * 8
    path.write_bytes(raw)
    put(store, "new", "New", "Run make.")
    assert found(store, asked="make") == ["new"]
    assert found(store, asked="pytest") == ["tests"]


@pytest.mark.parametrize("fill", [b"\xff", b"\0"])
def test_a_damaged_page_is_noticed_wherever_it_is(store, fill):
    expected = found(store, asked="how to run pytest")
    path = cache_of(store)
    raw = path.read_bytes()
    for at in range(0, len(raw), 4096):
        path.write_bytes(raw[:at] + fill * 4096 + raw[at + 4096 :])
        assert found(store, asked="how to run pytest") == expected, at // 4096


def test_a_cache_of_another_edition_is_made_anew(store, monkeypatch):
    update(store)
    monkeypatch.setattr("mewctl.memory.search_words.EDITION", "other")
    seen = read_files(store, monkeypatch)
    update(store)
    assert len(seen) == 2


def test_a_link_in_place_of_the_cache_is_replaced_not_followed(store, tmp_path):
    update(store)
    path = cache_of(store)
    target = tmp_path / "precious"
    target.write_bytes(path.read_bytes())
    path.unlink()
    path.symlink_to(target)
    before = target.read_bytes()
    update(store)
    assert target.read_bytes() == before
    assert not path.is_symlink()


def test_the_cache_is_private_and_out_of_the_repository(store):
    update(store)
    path = cache_of(store)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert (path.parent.parent / ".gitignore").is_file()


def test_a_store_that_cannot_be_written_is_searched_all_the_same(store, monkeypatch):
    def full(path, *_):
        raise StorageError(path=path, what="no space", remedy="free some")

    monkeypatch.setattr("mewctl.memory.search_cache.replace", full)
    assert found(store, asked="pytest") == ["tests"]
    assert not cache_of(store).exists()


def test_a_file_where_the_cache_should_be_is_left_alone(store):
    cache_of(store).parent.write_text("mine")
    assert found(store, asked="pytest") == ["tests"]
    assert cache_of(store).parent.read_text() == "mine"


def test_a_store_that_is_not_there_has_no_notes_and_gets_no_cache(tmp_path):
    store = store_at(tmp_path)
    shutil.rmtree(store.directory)
    assert found(store, asked="anything") == []
    assert not cache_of(store).exists()
