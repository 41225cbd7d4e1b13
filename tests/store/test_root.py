from __future__ import annotations

import os
import pwd

import pytest

from mewctl.errors import ConfigError, NotFound, StorageError, Unsafe
from mewctl.store.root import find_root, home_directory, user_level


@pytest.fixture
def home(tmp_path):
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def root(cwd, home, given=None):
    return find_root(given, str(cwd), {"HOME": str(home)})


@pytest.mark.parametrize("mark", [".mewcode", ".git"])
def test_the_nearest_marked_ancestor_is_the_root(home, mark):
    project = home / "project"
    below = project / "a" / "b"
    below.mkdir(parents=True)
    (project / mark).mkdir()
    (home / "project" / "a" / "b" / "file").write_bytes(b"")
    assert root(below, home) == str(project)


def test_a_git_file_of_a_worktree_marks_a_root(home):
    (home / "tree").mkdir()
    (home / "tree" / ".git").write_text("gitdir: elsewhere")
    assert root(home / "tree", home) == str(home / "tree")


def test_without_a_mark_the_working_directory_is_the_root(home):
    (home / "work").mkdir()
    assert root(home / "work", home) == str(home / "work")


def test_the_home_directory_is_never_a_project(home):
    (home / ".mewcode").mkdir()
    (home / ".git").mkdir()
    (home / "work").mkdir()
    assert root(home / "work", home) == str(home / "work")


def test_the_home_directory_is_known_by_any_of_its_names(home, tmp_path):
    (home / ".git").mkdir()
    (home / "work").mkdir()
    (tmp_path / "alias").symlink_to(home)
    assert root(home / "work", tmp_path / "alias") == str(home / "work")


@pytest.mark.parametrize("cwd", ["/", "home"])
def test_in_home_and_in_the_root_of_all_it_is_the_user_level(home, cwd):
    where = "/" if cwd == "/" else home
    assert root(where, home) == str(home)
    assert user_level(root(where, home), {"HOME": str(home)})
    assert not user_level(str(home / "work"), {"HOME": str(home)})


def test_a_root_that_is_given_is_taken(home, tmp_path):
    (tmp_path / "srv" / "other").mkdir(parents=True)
    srv = str(tmp_path / "srv")
    assert root(home, home, srv) == srv
    assert root(srv, home, "app/../other") == srv + "/other"
    assert root(srv, home, "/") == str(home)
    assert root(srv, home, str(home)) == str(home)


def test_a_root_that_is_given_must_be_a_directory(home, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    for name in ("missing", "file", "file/below"):
        with pytest.raises(NotFound, match=f"{name}: no such directory; make it"):
            root(tmp_path, home, name)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "home"]


# --- a store that others could have put there ---


@pytest.mark.parametrize("target", ["{out}", "../out", "gone", "../root-beside"])
def test_a_store_that_is_a_link_out_of_the_root_is_refused(home, tmp_path, target):
    for name in ("root", "out", "root-beside"):
        (tmp_path / name).mkdir()
    link = target.format(out=tmp_path / "out")
    (tmp_path / "root" / ".mewcode").symlink_to(tmp_path / "root" / link)
    if target == "gone":  # a dangling link within the root leads nowhere bad
        assert root(tmp_path / "root", home) == str(tmp_path / "root")
        return
    with pytest.raises(Unsafe, match=r"is a link out of the root, to .*; remove"):
        root(tmp_path / "root", home)
    with pytest.raises(Unsafe):
        root(home, home, str(tmp_path / "root"))


def test_a_store_that_is_a_link_within_the_root_is_taken(home, tmp_path):
    (tmp_path / "root" / "state").mkdir(parents=True)
    (tmp_path / "root" / ".mewcode").symlink_to("state")
    assert root(tmp_path / "root", home) == str(tmp_path / "root")


def test_a_root_that_is_a_link_is_no_way_out(home, tmp_path):
    (tmp_path / "root" / ".mewcode").mkdir(parents=True)
    (tmp_path / "alias").symlink_to("root")
    assert root(home, home, str(tmp_path / "alias")) == str(tmp_path / "alias")


def test_the_users_own_store_may_lie_elsewhere(home, tmp_path):
    (tmp_path / "big-disk").mkdir()
    (home / ".mewcode").symlink_to(tmp_path / "big-disk")
    assert root("/", home) == str(home)


@pytest.mark.parametrize("what", ["directory", "link"])
def test_a_store_of_another_user_is_refused(home, tmp_path, monkeypatch, what):
    (tmp_path / "root" / "state").mkdir(parents=True)
    store = tmp_path / "root" / ".mewcode"
    store.mkdir() if what == "directory" else store.symlink_to("state")
    other = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: other)
    for given in (None, str(tmp_path / "root")):
        with pytest.raises(Unsafe, match="belongs to another user; name a root of"):
            root(tmp_path / "root", home, given)


def test_without_home_the_password_file_knows_it():
    entry = pwd.getpwuid(os.getuid())
    assert home_directory({}) == entry.pw_dir
    assert home_directory({"HOME": "relative"}) == entry.pw_dir


def test_a_home_that_nobody_knows_is_a_configuration_error(tmp_path, monkeypatch):
    def unknown(_uid):
        raise KeyError

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    with pytest.raises(ConfigError, match="set HOME or --root"):
        find_root(None, "/", {})
    (tmp_path / "work").mkdir()
    assert find_root(None, str(tmp_path / "work"), {}) == str(tmp_path / "work")
    assert not user_level(str(tmp_path), {})


def test_a_root_that_nobody_may_look_at_is_a_storage_error(home, tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    for name in ("loop", "n" * 300):
        with pytest.raises(StorageError, match=f"{name}: "):
            root(tmp_path, home, name)
