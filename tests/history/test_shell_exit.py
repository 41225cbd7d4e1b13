from __future__ import annotations

import pytest

from mewctl.history.shell import Script
from mewctl.history.shell_exit import (
    head_lines,
    is_search,
    only_shows,
    without_filters,
    worth,
)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("make", "own"),
        ("make && make test", "own"),
        ("ls | head; echo done", "own"),
        ("X=$(pwd); ls", "own"),
        ("git log | head", "own"),
        ("for f in a; do ls; done", "own"),
        ("make | tail -5", "hidden"),
        ("make 2>&1 | tee log", "hidden"),
        ("make; make test", "hidden"),
        ("make | grep -v ok", "hidden"),
        ("git commit -m x | cat", "hidden"),
        ("make | head", "lost"),
        ("make || true", "lost"),
        ("make; echo $?", "lost"),
        ("make\nls", "lost"),
        ("make | grep x", "lost"),
        ("$CMD | head", "lost"),
        ("make 'unclosed | head", "own"),
    ],
)
def test_an_exit_code_may_be_another_programs(command: str, told: str) -> None:
    assert worth(Script(command)) == told


@pytest.mark.parametrize(
    ("command", "same"),
    [
        ("make", "make"),
        ("make 2>&1", "make"),
        ("make 2>&1 | tail -20", "make"),
        ("make | grep -E 'a' | head -3", "make"),
        ("make | sort", "make | sort"),
        ("a | tail; b", "a | tail; b"),
    ],
)
def test_a_command_is_known_without_its_filters(command: str, same: str) -> None:
    assert without_filters(command) == same


@pytest.mark.parametrize(
    ("command", "count"),
    [
        ("make | head", 10),
        ("make | head -5", 5),
        ("make | head -n 7", 7),
        ("make | head -n7", 7),
        ("make | tail -5", 0),
        ("", 0),
    ],
)
def test_head_lets_so_many_lines_through(command: str, count: int) -> None:
    assert head_lines(Script(command)) == count


@pytest.mark.parametrize(
    ("command", "shows"),
    [("ls | wc -l", True), ("git diff; cat a", True), ("make", False), ("", False)],
)
def test_some_commands_only_show(command: str, shows) -> None:
    assert only_shows(Script(command)) is shows


@pytest.mark.parametrize(
    ("command", "search"),
    [
        ("grep x a", True),
        ("cd a && rg x", True),
        ("git grep x", True),
        ("[ -f a ]", True),
        ("git log", False),
        ("make", False),
        ("", False),
    ],
)
def test_a_search_ends_with_1_when_nothing_is_found(command: str, search) -> None:
    assert is_search(Script(command)) is search
