"""Inputs and outputs: told by what they are, not by how they are spelled."""

from __future__ import annotations

import os

import pytest

from mewctl.errors import Unsafe, Usage
from mewctl.streams import apart
from mewctl.streams.apart import descriptor, keep_apart


@pytest.fixture(autouse=True)
def _pipes(monkeypatch):
    """Standard input and output are pipes, whatever runs the tests."""
    reader, writer = os.pipe()
    monkeypatch.setattr(apart, "STDIN", reader)
    monkeypatch.setattr(apart, "STDOUT", writer)
    yield
    os.close(reader)
    os.close(writer)


@pytest.fixture
def one(tmp_path):
    path = tmp_path / "one"
    path.write_bytes(b"{}")
    return str(path)


def spellings(one: str) -> dict[str, str]:
    """Other names of the file ``one``."""
    folder = os.path.dirname(one)
    os.symlink(one, os.path.join(folder, "link"))
    os.symlink(os.path.join(folder, "link"), os.path.join(folder, "links"))
    os.link(one, os.path.join(folder, "hard"))
    os.mkdir(os.path.join(folder, "deep"))
    return {
        "same": one,
        "link": os.path.join(folder, "link"),
        "link-to-link": os.path.join(folder, "links"),
        "hard-link": os.path.join(folder, "hard"),
        "dots": os.path.join(folder, "deep", "..", "one"),
        "relative": os.path.relpath(one),
    }


NAMES = ["same", "link", "link-to-link", "hard-link", "dots", "relative"]


@pytest.mark.parametrize("name", NAMES)
def test_an_output_that_is_an_input_is_refused_by_any_name(one, name):
    other = spellings(one)[name]
    for inputs, output in (([one], other), ([other], one)):
        with pytest.raises(Unsafe, match="the output is also an input; name another"):
            keep_apart(["elsewhere", *inputs], [output])


@pytest.mark.parametrize("name", NAMES)
def test_two_outputs_that_are_one_file_are_refused_by_any_name(one, name):
    with pytest.raises(Usage, match="the output twice; give each a file of its own"):
        keep_apart([], [one, spellings(one)[name]])


@pytest.mark.parametrize("name", ["new", "link", "dots"])
def test_two_outputs_that_will_be_one_new_file_are_refused(tmp_path, name):
    new = str(tmp_path / "new")
    os.symlink(new, tmp_path / "link")
    os.mkdir(tmp_path / "deep")
    other = {"dots": str(tmp_path / "deep" / ".." / "new")}.get(name)
    with pytest.raises(Usage):
        keep_apart([], [new, other or str(tmp_path / name)])


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_standard_input_is_an_input_also_where_nobody_names_it(monkeypatch, one, name):
    fd = os.open(one, os.O_RDONLY)
    monkeypatch.setattr(apart, "STDIN", fd)
    with pytest.raises(Unsafe):
        keep_apart([] if name == "-" else [f"/dev/fd/{fd}"], [one])
    os.close(fd)


def test_standard_output_is_no_input_file_either(monkeypatch, one):
    fd = os.open(one, os.O_WRONLY | os.O_APPEND)
    monkeypatch.setattr(apart, "STDOUT", fd)
    with pytest.raises(Unsafe, match="standard output: the output is also an input"):
        keep_apart([one], ["-"])
    with pytest.raises(Usage):
        keep_apart([], ["-", one])
    os.close(fd)


def test_standard_output_twice_is_refused_under_both_names(monkeypatch):
    with pytest.raises(Usage):
        keep_apart([], ["-", "-"])
    monkeypatch.setattr(apart, "STDOUT", 1)
    with pytest.raises(Usage):
        keep_apart([], ["-", "/dev/stdout"])


@pytest.mark.parametrize("place", ["/dev/null", "fifo"])
def test_a_device_or_pipe_may_be_all_of_them(tmp_path, place):
    os.mkfifo(tmp_path / "fifo")
    path = os.path.join(tmp_path, place)
    keep_apart([path], [path, path])


def test_files_of_their_own_are_fine(tmp_path, one):
    keep_apart([one, "missing"], [str(tmp_path / "a"), str(tmp_path / "b"), "-"])


def test_a_name_that_no_file_can_have_is_left_to_whoever_opens_it():
    keep_apart(["a\0b"], ["missing/x"])


def test_a_descriptor_is_known_by_all_its_names(tmp_path):
    os.symlink("/dev/stdout", tmp_path / "out")
    os.symlink("loop", tmp_path / "loop")
    assert descriptor("/dev/stdout") == 1
    assert descriptor("/dev/fd/7") == 7
    assert descriptor(f"/proc/{os.getpid()}/fd/0") == 0
    assert descriptor(str(tmp_path / "out")) == 1
    for name in ("1", "/dev/null", str(tmp_path / "loop"), "/dev/fd/x", ""):
        assert descriptor(name) is None
