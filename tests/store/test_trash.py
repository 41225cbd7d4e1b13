"""The trash: moved as a whole, brought back, destroyed in the end."""

from __future__ import annotations

import os
import shutil
import stat

import pytest

from mewctl.errors import StorageError, Unsafe
from mewctl.store import trash
from mewctl.store.copying import move_across, remove_tree, share_files, tree_size
from mewctl.store.files import AlreadyThere


@pytest.fixture
def unit(tmp_path):
    directory = tmp_path / "sessions" / "a"
    (directory / "inner").mkdir(parents=True)
    (directory / "log").write_bytes(b"one\n")
    (directory / "inner" / "body").write_bytes(b"two\n")
    return directory


@pytest.fixture
def bin_(tmp_path):
    return str(tmp_path / "trash")


def content(directory):
    return {
        str(p.relative_to(directory)): p.read_bytes()
        for p in sorted(directory.rglob("*"))
        if p.is_file() and p.name != trash.NOTE
    }


def test_a_unit_goes_as_a_whole_and_says_when_and_why(unit, bin_, tmp_path):
    before = content(unit)
    path = trash.discard(str(unit), bin_, {"reasons": ["old"]}, 5.0)
    assert not unit.exists()
    (item,) = trash.trashed(bin_)
    assert (item.path, item.name, item.time) == (path, "a", 5.0)
    assert item.note["reasons"] == ["old"]
    assert item.note["from"] == str(unit)
    assert content(tmp_path / "trash" / "a") == before
    assert stat.S_IMODE(os.stat(bin_).st_mode) == 0o700


def test_what_went_comes_back_as_it_was(unit, bin_, tmp_path):
    before = content(unit)
    trash.discard(str(unit), bin_, {}, 5.0)
    (item,) = trash.trashed(bin_)
    assert trash.restore(item, str(tmp_path / "sessions")) == str(unit)
    assert content(unit) == before
    assert not (unit / trash.NOTE).exists()
    assert trash.trashed(bin_) == []


def test_nothing_is_written_over_by_what_comes_back(unit, bin_, tmp_path):
    trash.discard(str(unit), bin_, {}, 5.0)
    unit.mkdir()
    (unit / "new").write_bytes(b"new")
    (item,) = trash.trashed(bin_)
    with pytest.raises(AlreadyThere):
        trash.restore(item, str(tmp_path / "sessions"))
    assert content(unit) == {"new": b"new"}
    assert trash.trashed(bin_) == [item]


def test_not_even_an_empty_directory_is_written_over(unit, bin_, tmp_path):
    trash.discard(str(unit), bin_, {}, 5.0)
    unit.mkdir()
    (item,) = trash.trashed(bin_)
    with pytest.raises(AlreadyThere):
        trash.restore(item, str(tmp_path / "sessions"))
    assert list(unit.iterdir()) == []


def test_two_of_one_name_have_places_of_their_own(unit, bin_):
    for time in (1.0, 2.0):
        unit.mkdir(parents=True, exist_ok=True)
        trash.discard(str(unit), bin_, {}, time)
    items = trash.trashed(bin_)
    assert [(i.name, i.time) for i in items] == [("a", 1.0), ("a", 2.0)]
    assert len({i.path for i in items}) == 2


@pytest.mark.parametrize("text", ["", "{", "[]", '{"name":"../../x","trashed":"no"}'])
def test_a_damaged_note_is_no_way_out(unit, bin_, text):
    trash.discard(str(unit), bin_, {}, 5.0)
    note = os.path.join(bin_, "a", trash.NOTE)
    with open(note, "w") as file:
        file.write(text)
    (item,) = trash.trashed(bin_)
    assert item.name == "a"
    assert item.time > 1e9


def test_what_is_destroyed_is_gone_and_an_unfinished_end_is_finished(unit, bin_):
    trash.destroy(str(unit), bin_)
    assert os.listdir(bin_) == []
    os.makedirs(os.path.join(bin_, ".deleting-b", "inner"))
    assert trash.trashed(bin_) == []
    trash.finish(bin_)
    assert os.listdir(bin_) == []


def test_a_unit_that_cannot_be_moved_stays_as_it_was(unit, bin_):
    with open(bin_, "w"):
        pass
    before = content(unit)
    with pytest.raises(StorageError):
        trash.discard(str(unit), bin_, {}, 5.0)
    assert content(unit) == before
    assert not (unit / trash.NOTE).exists()


SHARED_MEMORY = "/dev/shm"
elsewhere = pytest.mark.skipif(
    not os.access(SHARED_MEMORY, os.W_OK)
    or os.stat(SHARED_MEMORY).st_dev == os.stat("/tmp").st_dev,
    reason="there is no second file system to move to",
)


@pytest.fixture
def far():
    path = os.path.join(SHARED_MEMORY, f"mewctl-test-{os.getpid()}")
    os.mkdir(path)
    yield path
    shutil.rmtree(path)


@elsewhere
def test_across_devices_it_is_copied_compared_and_removed(unit, far, tmp_path):
    before = content(unit)
    path = trash.discard(str(unit), far + "/trash", {}, 5.0)
    assert not unit.exists()
    (item,) = trash.trashed(far + "/trash")
    assert item.path == path
    assert stat.S_IMODE(os.stat(path + "/log").st_mode) == 0o600
    trash.restore(item, str(tmp_path / "sessions"))
    assert content(unit) == before


@elsewhere
def test_across_devices_what_is_no_plain_file_is_refused_and_all_stays(unit, far):
    os.mkfifo(unit / "pipe")
    before = sorted(os.listdir(unit))
    with pytest.raises(Unsafe, match="cannot be copied"):
        move_across(str(unit), far + "/a")
    assert sorted(os.listdir(unit)) == before
    assert not os.path.exists(far + "/a")


@elsewhere
def test_a_copy_that_differs_is_no_copy(unit, far, monkeypatch):
    from mewctl.store import copying

    real = copying.create_exclusive
    monkeypatch.setattr(copying, "create_exclusive", lambda path, _: real(path, b"x"))
    before = content(unit)
    with pytest.raises(StorageError, match="the copy differs"):
        move_across(str(unit), far + "/a")
    assert content(unit) == before
    assert not os.path.exists(far + "/a")


def test_removing_follows_no_link(unit, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_bytes(b"x")
    (unit / "link").symlink_to(outside)
    remove_tree(str(unit))
    assert not unit.exists()
    assert (outside / "kept").exists()


def test_shared_files_are_there_in_both_places(unit, tmp_path):
    share_files(str(unit), str(tmp_path / "new"))
    assert content(tmp_path / "new") == {"log": b"one\n"}
    (tmp_path / "new" / "log").unlink()
    assert (unit / "log").exists()
    share_files(str(tmp_path / "none"), str(tmp_path / "other"))
    assert not (tmp_path / "other").exists()


@elsewhere
def test_files_that_cannot_be_linked_are_copied(unit, far):
    share_files(str(unit), far + "/new")
    with open(far + "/new/log", "rb") as file:
        assert file.read() == b"one\n"


def test_the_size_of_a_unit_is_that_of_its_files(unit):
    assert tree_size(str(unit)) == 8
