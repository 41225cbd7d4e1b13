"""Opening beneath a directory, while links are planted and names change hands."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import pytest

from mewctl import limits
from mewctl.errors import NotFound, StorageError, Unsafe
from mewctl.streams.beneath import Beneath, Refusal, read_regular

SECRET = b"SECRET"


@pytest.fixture
def root(tmp_path):
    directory = tmp_path / "root"
    directory.mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "x.md").write_bytes(SECRET)
    return directory


@pytest.fixture
def beneath(root):
    with Beneath([os.fsencode(root)]) as made:
        yield made


@pytest.fixture
def read(beneath, root):
    """The bytes at a path, or the kind of the refusal."""

    def run(path, most=1000, directory=None):
        try:
            with beneath.open(
                os.fsencode(directory or root), os.fsencode(path)
            ) as found:
                return found.read(most)
        except Refusal as refusal:
            return refusal.kind

    return run


def test_a_file_is_read_and_knows_where_it_is(beneath, root):
    (root / "a").mkdir()
    (root / "a" / "x.md").write_bytes(b"text")
    (root / "link").symlink_to("a")
    os.link(root / "a" / "x.md", root / "y.md")
    with beneath.open(os.fsencode(root), b"link/x.md") as found:
        assert found.read(10) == b"text"
        assert found.path == os.fsencode(root / "a" / "x.md")
        assert found.directory == os.fsencode(root / "a")
        with beneath.open(os.fsencode(root), b"y.md") as twin:
            assert twin.identity == found.identity


@pytest.mark.parametrize("size", [0, 1, 99, 100, 101, 5000])
def test_at_most_one_byte_more_is_read_than_asked_for(size, read, root):
    (root / "x").write_bytes(b"x" * size)
    assert read("x", 100) == b"x" * min(size, 101)


def test_a_file_that_grows_is_read_to_its_limit(beneath, root):
    (root / "x").write_bytes(b"x" * 10)
    with beneath.open(os.fsencode(root), b"x") as found:
        with (root / "x").open("ab") as file:
            file.write(b"x" * 3_000_000)
        assert len(found.read(2_000_000)) in (11, 2_000_001)


def test_links_may_be_as_many_as_the_system_allows_and_no_more(read, root):
    (root / "0").write_bytes(b"end")
    for number in range(limits.LINKS + 1):
        (root / str(number + 1)).symlink_to(str(number))
    assert read(str(limits.LINKS)) == b"end"
    assert read(str(limits.LINKS + 1)) == "unreadable"


def test_a_directory_put_in_place_of_another_leads_nowhere_else(beneath, root):
    """The directory that was opened is read, whatever its name is now."""
    (root / "a").mkdir()
    (root / "a" / "x.md").write_bytes(b"inside")
    with beneath.open(os.fsencode(root), b"a/x.md"):
        pass
    (root / "a").rename(root / "b")
    (root / "a").symlink_to("../outside")
    with beneath.open(os.fsencode(root), b"a/x.md") as found:
        assert found.read(10) == b"inside"


BOTH = {b"inside", "escape"}  # what a name that changes hands must have been
SWAP = """
import os, sys
root = sys.argv[1]
os.chdir(root)
print("ready", flush=True)
while True:
    os.rename("in", "away"); os.rename("out", "in")
    os.rename("in", "out"); os.rename("away", "in")
"""


@pytest.mark.parametrize("kind", ["file", "directory"])
def test_a_race_for_a_name_is_never_won(kind, root):
    """Another process swaps a file or directory with a link out, as fast as it can."""
    if kind == "file":
        (root / "in").write_bytes(b"inside")
        (root / "out").symlink_to("../outside/x.md")
        path = b"in"
    else:
        (root / "in").mkdir()
        (root / "in" / "x.md").write_bytes(b"inside")
        (root / "out").symlink_to("../outside")
        path = b"in/x.md"
    command = [sys.executable, "-c", SWAP, str(root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline()
        seen, tries, end = set(), 0, time.monotonic() + 30
        while tries < 3000 or not (seen >= BOTH or time.monotonic() > end):
            tries += 1
            with Beneath([os.fsencode(root)]) as fresh:
                try:
                    with fresh.open(os.fsencode(root), path) as found:
                        seen.add(found.read(10))
                except Refusal as refusal:
                    seen.add(refusal.kind)
        other.kill()
    assert SECRET not in seen
    assert seen >= BOTH


def test_roots_may_be_links_and_lie_in_each_other(tmp_path, root):
    (root / "sub").mkdir()
    (root / "x").write_bytes(b"above")
    (tmp_path / "link").symlink_to("root/sub")
    with (
        Beneath([os.fsencode(tmp_path / "link"), os.fsencode(root)]) as both,
        both.open(both.roots[0], b"../x") as found,
    ):
        assert found.read(10) == b"above"


def test_a_path_may_lead_from_one_root_to_another(tmp_path, root):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x").write_bytes(b"other")
    with (
        Beneath([os.fsencode(root), os.fsencode(tmp_path / "other")]) as both,
        both.open(both.roots[0], b"../other/x") as found,
    ):
        assert found.read(10) == b"other"


def test_what_is_not_beneath_is_refused_as_a_place_to_begin(read, tmp_path):
    assert read("x.md", directory=tmp_path / "outside") == "escape"


def test_descriptors_are_given_back(root, read, beneath):
    before = len(os.listdir("/proc/self/fd"))
    for number in range(300):
        (root / str(number)).mkdir()
        (root / str(number) / "x").write_bytes(b"x")
        assert read(f"{number}/x") == b"x"
        assert read(f"{number}/gone") == "missing"
        assert read(str(number)) == "not-regular"
    assert len(os.listdir("/proc/self/fd")) <= before + limits.OPEN_DIRECTORIES + 3
    beneath.__exit__()
    assert len(os.listdir("/proc/self/fd")) <= before


def test_existence_is_told_without_following_out(beneath, root):
    (root / "a").mkdir()
    (root / "x").write_bytes(b"")
    (root / "out").symlink_to("../outside/x.md")
    (root / "dead").symlink_to("gone")
    where = os.fsencode(root)
    found = [beneath.exists(where, p) for p in (b"a", b"x", b"a/..", b"gone", b"dead")]
    assert found == [True, True, True, False, False]
    with pytest.raises(Refusal, match="leads out"):
        beneath.exists(where, b"out")


def test_names_are_sorted_and_none_where_there_is_no_directory(beneath, root):
    for name in "cab":
        (root / name).write_bytes(b"")
    assert beneath.names(os.fsencode(root)) == ["a", "b", "c"]
    assert beneath.names(os.fsencode(root / "gone")) == []


# --- a file that the user names ---


def test_a_named_file_is_read_through_links(tmp_path, root):
    (root / "x").write_bytes(b"text")
    (tmp_path / "link").symlink_to("root/x")
    assert read_regular(str(tmp_path / "link"), 4) == b"text"


@pytest.mark.parametrize(
    ("name", "error"),
    [("gone", NotFound), (".", Unsafe), ("pipe", Unsafe), ("large", StorageError)],
)
def test_what_cannot_be_read_is_an_error_at_once(name, error, root):
    os.mkfifo(root / "pipe")
    (root / "large").write_bytes(b"12345")
    timer = threading.Timer(20, os._exit, (3,))
    timer.start()
    with pytest.raises(error):
        read_regular(str(root / name), 4)
    timer.cancel()
