"""A directory or ledger that cannot be used: the history passes, with a warning."""

from __future__ import annotations

import os

import pytest
from spilling import gone, lines, spill, step, user

from mewctl.errors import ConfigError
from mewctl.spill.ledger import Ledger

BIG = "a line of output\n" * 5000
DATA = lines(user("mew", "hi"), *step("mew", [("call_1", BIG)]), user("mew", "next"))


@pytest.fixture
def place(tmp_path):
    return tmp_path / "spill"


def passes(place, words: str) -> None:
    """Nothing leaves the history, and that is said once."""
    run = spill(DATA + DATA, place)
    assert run.data == DATA + DATA
    assert run.tally.failed == 1
    assert run.tally.spilled == 0
    (warning,) = run.warnings
    assert words in warning
    assert warning.endswith("; what would be spilled stays in the history")


@pytest.mark.parametrize("name", ["a\nb", "a\x1b[2J", "a\u2028", "a\udcff"])
def test_a_path_that_cannot_stand_in_a_preview_is_not_used(tmp_path, name):
    passes(tmp_path / name, "characters in the path that a preview cannot show")
    assert os.listdir(tmp_path) == []


def make_link(path):
    path.symlink_to("/etc/hostname")


def make_second_name(path):
    path.write_bytes(b"")
    os.link(path, path.with_name("other"))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: path.mkdir(), "is not a regular file"),
        (os.mkfifo, "is not a regular file"),
        (make_link, "is a symbolic link"),
        (make_second_name, "a hard link"),
    ],
)
def test_a_ledger_that_is_no_plain_file_is_not_used(place, make, words):
    place.mkdir()
    make(place / "ledger.jsonl")
    passes(place, words)


def test_a_ledger_that_becomes_unreadable_on_the_way_leaves_the_rest(
    place, monkeypatch
):
    spill(DATA, place)
    real = Ledger.preview
    asked = []

    def preview(self, found):
        asked.append(found)
        if len(asked) > 1:
            os.rename(self.path, self.path + ".away")
            os.mkfifo(self.path)
        return real(self, found)

    monkeypatch.setattr(Ledger, "preview", preview)
    run = spill(DATA + DATA, place, sizes=(1000,))
    assert gone(run.data) == [True, False]
    assert run.data.endswith(DATA)
    assert "is not a regular file" in run.warnings[0]


def test_a_ledger_of_a_later_version_ends_the_run(place):
    place.mkdir()
    (place / "ledger.jsonl").write_bytes(b'{"type":"ledger","version":99}\n')
    with pytest.raises(ConfigError, match="a later version"):
        spill(DATA, place)


def test_what_left_under_small_limits_stays_out_where_the_header_is_lost(place):
    text = "a line\n" * 1000
    data = lines(user("mew", "hi"), *step("mew", [("call_1", text)]))
    first = spill(data, place, single=5000)
    assert gone(first.data) == [True]
    path = place / "ledger.jsonl"
    path.write_bytes(b"{\n" + path.read_bytes().partition(b"\n")[2])
    for _ in range(2):
        assert spill(data, place).data == first.data
