from __future__ import annotations

import pytest

from mewctl.history.shell import Script
from mewctl.history.shell_files import touches


@pytest.mark.parametrize(
    ("command", "path", "part"),
    [
        ("cat a", "a", ""),
        ("bat a", "a", ""),
        ("nl -ba a", "a", ""),
        ("head a", "a", "first 10 lines"),
        ("head -5 a", "a", "first 5 lines"),
        ("head -n 5 a", "a", "first 5 lines"),
        ("head -n5 a", "a", "first 5 lines"),
        ("head -c 9 a", "a", "first 9 bytes"),
        ("head -n -3 a", "a", "the first lines"),
        ("tail -n +20 a", "a", "lines 20-"),
        ("tail -2 a", "a", "last 2 lines"),
        ("sed -n '3,9p' a", "a", "lines 3-9"),
        ("sed -n 3p a", "a", "lines 3-3"),
        ("sed -n '3,$p' a", "a", "lines 3-"),
        ("nl -ba a | sed -n '3,9p'", "a", "lines 3-9"),
        ("cat a | head -20", "a", "first 20 lines"),
        ("cat -n a | tail -n 3", "a", "last 3 lines"),
    ],
)
def test_a_command_that_shows_one_file_is_a_read_of_it(
    command: str, path: str, part: str
) -> None:
    (touch,) = touches(Script(command))
    assert (touch.kind, touch.path, touch.part) == ("read", path, part)
    assert touch.content


@pytest.mark.parametrize(
    "command",
    [
        "cat a | grep x",
        "cat a | sed s/a/b/",
        "cat a | sed -n",
        "cat a | head | tail",
        "cat a; ls",
        "cat a >&2",
        "ls && cat a",
    ],
)
def test_a_read_among_other_things_is_no_content(command: str) -> None:
    (touch,) = touches(Script(command))
    assert touch.kind == "read"
    assert not touch.content


@pytest.mark.parametrize(
    ("command", "paths"),
    [
        ("cat a b", ["a", "b"]),
        ("head -n", []),
        ("cat *.py $X", []),
        ("cat", []),
        ("sed -n '/x/p' a", []),
        ("sed 3p a", []),
        ("sed -n", []),
        ("cat a; sed -n 1,2p b", ["a", "b"]),
    ],
)
def test_only_certain_paths_are_read(command: str, paths: list[str]) -> None:
    assert [touch.path for touch in touches(Script(command))] == paths


def test_numbered_output_says_so() -> None:
    assert [t.numbered for t in touches(Script("nl a; cat -n b; cat c"))] == [
        True,
        True,
        False,
    ]
