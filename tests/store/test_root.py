from __future__ import annotations

import os
import pwd

import pytest

from mewctl.errors import ConfigError
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


def test_a_root_that_is_given_is_taken(home):
    assert root(home, home, "/srv/app") == "/srv/app"
    assert root("/srv", home, "app/../other") == "/srv/other"
    assert root("/srv", home, "/") == str(home)
    assert root("/srv", home, str(home)) == str(home)


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
