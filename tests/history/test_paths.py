from __future__ import annotations

import pytest

from mewctl.history import paths


@pytest.mark.parametrize(
    ("value", "is_one"),
    [
        ("a.py", True),
        ("", False),
        ("a\nb", False),
        ("https://example.com/a", False),
        ("x" * 5_000, False),
        (7, False),
    ],
)
def test_a_path_is_one_line_and_no_address(value: object, is_one) -> None:
    assert paths.is_path(value) is is_one


@pytest.mark.parametrize("path", ["/a", "~/a", "C:\\a", "d:/a", "\\\\host\\a"])
def test_absolute_paths_need_no_directory(path: str) -> None:
    assert paths.is_absolute(path)
    assert paths.shown(path, "/cwd") == path


@pytest.mark.parametrize(
    ("path", "cwd", "shown"),
    [
        ("a.py", "", "a.py"),
        ("a.py", "/w", "/w/a.py"),
        ("../b/./a.py", "/w/c", "/w/b/a.py"),
        ("a.py", "relative", "a.py"),
        ("a.py", "C:\\w", "a.py"),
        ("", "/w", ""),
    ],
)
def test_a_relative_path_is_shown_from_where_the_call_ran(
    path: str, cwd: str, shown: str
) -> None:
    assert paths.shown(path, cwd) == shown


@pytest.mark.parametrize(
    ("path", "same"),
    [
        ("a/./b", "a/b"),
        ("a//b", "a/b"),
        ("./a", "a"),
        ("dir/", "dir"),
        ("/", "/"),
        ("a\\.\\b", "a\\.\\b"),
    ],
)
def test_two_spellings_have_one_identity(path: str, same: str) -> None:
    assert paths.identity(path) == same


def test_a_directory_takes_what_is_moved_into_it() -> None:
    assert paths.moved("a/b.py", "c/") == "c/b.py"
    assert paths.moved("a/b/", "c/") == "c/b"
    assert paths.moved("a/b.py", "c.py") == "c.py"
