"""Settings files that are refused or left out: what they are, and what they hold."""

from __future__ import annotations

import os
import tomllib

import pytest

from mewctl import config, limits
from mewctl.errors import ConfigError, NotFound, Unsafe
from mewctl.settings import Setting, Source, layered
from tests.support.obedient import place, run

__all__ = ["place"]


@pytest.mark.parametrize("which", ["user", "own"])
@pytest.mark.parametrize("what", ["fifo", "device", "huge", "not-utf8", "deep"])
def test_what_is_no_plain_small_file_is_refused_at_once(place, which, what):
    path = getattr(place, which)
    words = "is not a regular file"
    if what == "fifo":
        os.mkfifo(path)
    elif what == "device" and which == "user":  # a project's may not lead out of it
        path.symlink_to("/dev/zero")
    elif what == "huge":
        path.write_bytes(b"#" * (limits.SETTINGS_MAX + 1))
        words = f"larger than {limits.SETTINGS_MAX} bytes"
    elif what == "not-utf8":
        path.write_bytes(b"\xff\xfe")
        words = "can't decode byte 0xff"
    elif what == "deep":
        path.write_text("window = " + "[" * 5000)
        words = "nested too deep"
    else:
        os.mkfifo(path)
    with pytest.raises(ConfigError, match=words) as caught:
        run("filter")
    assert str(caught.value).startswith(f"{path}: ")


def test_the_users_file_may_be_a_link_as_managers_of_dotfiles_make_it(place, tmp_path):
    (tmp_path / "dotfiles.toml").write_text("window = 2")
    place.user.symlink_to(tmp_path / "dotfiles.toml")
    assert run("filter")["window"] == 2


def test_a_projects_file_may_not_be_a_link_out_of_it(place, tmp_path):
    (tmp_path / "elsewhere.toml").write_text("window = 2")
    place.own.symlink_to(tmp_path / "elsewhere.toml")
    with pytest.raises(Unsafe, match="is a link out of the root"):
        run("filter")


def test_a_foreign_store_stops_who_uses_it_and_is_said_to_the_others(
    place, monkeypatch, capsys
):
    place(project_text="window = 3")
    other = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: other)
    assert run("other")["ran"]
    assert "belongs to another user; name a root" in capsys.readouterr().err
    with pytest.raises(Unsafe):
        run("filter")  # it has --root, and so a store


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("window = true", "window: True is no text and no number"),
        ("window = [1]", "window: [1] is no text and no number"),
        ("[window]\nx = 1", "unknown key window"),
        ("[filter.window]\nx = 1", "window: {'x': 1} is no text and no number"),
        ("window = 2020-01-01", "is no text and no number"),
        ("[filter]\nfrom = ['mew']", "from: ['mew'] is no text and no number"),
        ("[filter.from]\nx = 1", "from: {'x': 1} is no text and no number"),
        ("[filter]\nquiet = 1", "quiet: 1 is not true or false"),
        ("[filter]\nquiet = 'yes'", "quiet: 'yes' is not true or false"),
        ("root = 5", "root: 5 is no text"),
    ],
)
@pytest.mark.parametrize("which", ["user", "own"])
def test_a_value_of_the_wrong_kind_is_refused(place, which, text, words):
    getattr(place, which).write_text(text)
    if which == "own" and text.startswith("root"):
        run("filter")  # a project cannot name another root: it is ignored
        return
    with pytest.raises(ConfigError) as caught:
        run("filter")
    assert words in str(caught.value)
    assert str(getattr(place, which)) in str(caught.value)


def test_a_key_that_is_also_a_group_can_be_either():
    known = {"filter": (), "root": {"clean": ()}}
    for text in ("root = '/'", "[root.clean]"):
        config.check("f", tomllib.loads(text), known)
    layers = [
        Source("f", tomllib.loads(text)) for text in ("root = '/'", "[root.clean]")
    ]
    assert layered(layers, ("root", "clean")) == {"root": Setting("/", "f")}


def test_a_flag_is_set_by_true(place):
    place(user_text="[filter]\nquiet = true")
    assert run("filter")["quiet"] is True


def test_the_root_that_the_user_sets_is_whose_settings_count(place, tmp_path):
    for name in ("here", "there"):
        (tmp_path / name / ".mewcode").mkdir(parents=True)
        text = f"window = {len(name)}"
        (tmp_path / name / ".mewcode" / "config.toml").write_text(text)
    place(user_text=f"root = '{tmp_path}/here'")
    assert run("filter")["window"] == 4
    assert run("filter", "--root", f"{tmp_path}/there")["window"] == 5


def test_a_root_that_is_not_there_is_not_found(place, monkeypatch):
    place(user_text="window = 2")
    with pytest.raises(NotFound, match="no such directory"):
        run("filter", "--root", "missing")
    monkeypatch.setenv("MEWCTL_ROOT", "missing")
    with pytest.raises(NotFound, match="no such directory"):
        run("filter")


def test_a_relative_variable_for_the_user_directory_is_ignored(place, monkeypatch):
    place(user_text="window = 2")
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
    assert run("filter")["window"] == 2


@pytest.mark.parametrize("which", ["user", "own"])
def test_a_file_in_a_directory_closed_to_us_does_not_count_and_that_is_said(
    place, monkeypatch, capsys, which
):
    closed = str(getattr(place, which))
    place(user_text="window = 2", project_text="window = 2")
    look = os.lstat

    def lstat(path, **options):
        if path == closed:
            raise PermissionError(13, "Permission denied", path)
        return look(path, **options)

    monkeypatch.setattr(os, "lstat", lstat)
    assert run("filter")["window"] == 2
    said = capsys.readouterr().err
    assert f"{closed}: Permission denied; its settings do not count" in said
