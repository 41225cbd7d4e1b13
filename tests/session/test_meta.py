"""What is known of a session beside its messages."""

from __future__ import annotations

import json
import os

import pytest

from mewctl.errors import ConfigError, Unsafe
from mewctl.session import meta
from mewctl.session.meta import Meta


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "session.json")


def test_it_is_read_back_as_it_was_written(path):
    known = Meta("T", "m", pinned=True, created=1.5, origin={"session": "x"})
    meta.save(path, known)
    again = meta.load(path)
    assert (again.title, again.model, again.pinned) == ("T", "m", True)
    assert (again.created, again.origin) == (1.5, {"session": "x"})
    assert os.stat(path).st_mode & 0o777 == 0o600


def test_a_file_that_is_not_there_says_nothing(path):
    assert meta.load(path) == Meta()


def test_keys_of_others_survive(path):
    with open(path, "w") as file:
        json.dump({"later": [1], "title": "a"}, file)
    meta.save(path, meta.titled(meta.load(path), "b"))
    with open(path) as file:
        assert json.load(file) == {"later": [1], "title": "b", "version": 1}


@pytest.mark.parametrize("text", ["", "{", "[1]", "\0\0"])
def test_a_damaged_file_says_nothing_and_is_set_aside(path, tmp_path, text):
    with open(path, "w") as file:
        file.write(text)
    known = meta.load(path)
    assert known.damaged
    meta.save(path, meta.pinned(known, on=True))
    assert meta.load(path).pinned
    aside = [p for p in tmp_path.iterdir() if ".bad-" in p.name]
    assert [p.read_text() for p in aside] == [text]


def test_values_of_other_kinds_are_not_believed(path):
    with open(path, "w") as file:
        json.dump({"title": 5, "model": None, "pinned": "yes", "origin": 1}, file)
    assert meta.load(path) == Meta()


def test_a_file_of_a_later_version_is_not_written_over(path):
    with open(path, "w") as file:
        json.dump({"version": 99}, file)
    with pytest.raises(ConfigError, match="later version"):
        meta.save(path, meta.load(path))


def test_a_link_is_refused(path, tmp_path):
    os.symlink(tmp_path / "other", path)
    with pytest.raises(Unsafe):
        meta.load(path)
