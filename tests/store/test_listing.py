"""Units, modes, loose files: what lies in directories."""

from __future__ import annotations

import os

import pytest

from mewctl.errors import StorageError
from mewctl.store.listing import units
from mewctl.store.loose import named_in, older_files, set_aside
from mewctl.store.modes import make_private, too_wide
from mewctl.store.walking import files_under


def test_units_are_directories_with_their_file(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "log").write_bytes(b"12345")
    os.utime(tmp_path / "a" / "log", (7, 7))
    (tmp_path / "empty").mkdir()
    (tmp_path / ".hidden").mkdir()
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / "log")
    (tmp_path / "link").symlink_to(tmp_path / "none")
    (tmp_path / "alias").symlink_to(tmp_path / "a")
    found = {u.name: u for u in units(str(tmp_path), "log")}
    assert set(found) == {"a", "empty", "pipe", "link", "alias"}
    assert (found["a"].size, found["a"].mtime, found["a"].problem) == (5, 7.0, "")
    assert "No such file" in found["empty"].problem
    assert "no regular file" in found["pipe"].problem
    assert "symbolic link" in found["link"].problem
    assert "symbolic link" in found["alias"].problem


def test_a_directory_that_is_not_there_has_no_units(tmp_path):
    assert units(str(tmp_path / "none"), "log") == []
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageError):
        units(str(tmp_path / "file"), "log")


def test_what_others_can_get_at_is_found_and_made_private(tmp_path):
    store = tmp_path / "store"
    store.mkdir(mode=0o700)
    (store / "wide").mkdir()
    (store / "wide").chmod(0o755)
    (store / "file").write_bytes(b"")
    (store / "file").chmod(0o604)
    (store / "link").symlink_to("/tmp")
    found = [path for path, _ in too_wide(str(store))]
    assert found == [str(store / "file"), str(store / "wide")]
    for path in found:
        make_private(path)
    assert list(too_wide(str(store))) == []


def test_loose_files_are_old_and_named_nowhere(tmp_path):
    spill = tmp_path / "spill"
    spill.mkdir()
    for name in ("old", "new", ".lock", "dir"):
        (spill / name).write_bytes(b"x") if name != "dir" else (spill / name).mkdir()
    os.utime(spill / "old", (100, 100))
    assert older_files(str(spill), 1000) == ["old"]
    assert older_files(str(tmp_path / "none"), 1000) == []


def test_a_name_is_found_wherever_a_block_ends(tmp_path, monkeypatch):
    from mewctl import limits

    (tmp_path / "log").write_bytes(
        b"x" * 90 + b"/a/spill/toolu_1.ab\\n and spill\\/two"
    )
    (tmp_path / "link").symlink_to(tmp_path / "none")
    (tmp_path / "alias").symlink_to(tmp_path / "a")
    for block in (7, 95, 100, 1000):
        monkeypatch.setattr(limits, "READ_BLOCK", block)
        found = named_in([str(tmp_path), str(tmp_path / "none")], "spill")
        assert {"toolu_1.ab", "two"} <= found


def test_files_set_aside_are_moved(tmp_path):
    (tmp_path / "a").write_bytes(b"a")
    (tmp_path / "b").write_bytes(b"b")
    set_aside(str(tmp_path), ["a"], str(tmp_path / "aside"))
    assert sorted(os.listdir(tmp_path)) == ["aside", "b"]
    assert os.listdir(tmp_path / "aside") == ["a"]


def test_files_below_are_found_in_order_and_links_are_not_followed(tmp_path):
    (tmp_path / ".hidden" / "deep").mkdir(parents=True)
    for name in (".hidden/deep/b.jsonl", "a.json", "c.txt"):
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "l.jsonl").symlink_to(tmp_path / "a.json")
    found = [
        os.path.relpath(p, tmp_path)
        for p in files_under(str(tmp_path), (".jsonl", ".json"))
    ]
    assert found == ["a.json", ".hidden/deep/b.jsonl"]


def test_files_below_are_plain_ones_alone(tmp_path):
    (tmp_path / ".in").mkdir()
    (tmp_path / ".in" / "a.jsonl").write_bytes(b"")
    (tmp_path / "b.txt").write_bytes(b"")
    (tmp_path / "d.jsonl").mkdir()
    (tmp_path / "l.jsonl").symlink_to(tmp_path / "b.txt")
    os.mkfifo(tmp_path / "p.jsonl")
    found = list(files_under(str(tmp_path), (".jsonl",)))
    assert found == [str(tmp_path / ".in" / "a.jsonl")]
