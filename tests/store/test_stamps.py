from __future__ import annotations

import os

import pytest

from mewctl.errors import StorageError
from mewctl.store.stamps import directory_stamp, stamps


def every(_name):
    return True


def test_wanted_files_have_a_stamp(tmp_path):
    (tmp_path / "a.md").write_text("12345")
    (tmp_path / "b.txt").write_text("")
    found = stamps(str(tmp_path), lambda name: name.endswith(".md"))
    status = (tmp_path / "a.md").stat()
    assert found == {"a.md": (status.st_ino, 5, status.st_ctime_ns)}


def test_a_stamp_changes_even_where_size_and_time_are_set_back(tmp_path):
    path = tmp_path / "a"
    path.write_text("1")
    before, old = stamps(str(tmp_path), every), path.stat()
    while path.stat().st_ctime_ns == old.st_ctime_ns:
        path.write_text("2")
        os.utime(path, ns=(old.st_atime_ns, old.st_mtime_ns))
    assert stamps(str(tmp_path), every) != before


def test_a_link_is_stamped_itself_not_what_it_leads_to(tmp_path):
    (tmp_path / "a").symlink_to("nowhere")
    assert stamps(str(tmp_path), every)["a"][1] == len("nowhere")


def test_a_directory_that_is_not_there_has_no_stamps(tmp_path):
    assert stamps(str(tmp_path / "no"), every) == {}
    assert directory_stamp(str(tmp_path / "no")) == 0
    assert directory_stamp(str(tmp_path)) > 0


def test_what_cannot_be_listed_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot list"):
        stamps(str(tmp_path / "file"), every)
