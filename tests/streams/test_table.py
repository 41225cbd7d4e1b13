"""Tables for people: harmless, one line a row, as wide as there is room."""

from __future__ import annotations

import os

import pytest

from mewctl import limits
from mewctl.streams.table import heading, render, terminal_width


def test_a_row_is_a_line_whatever_is_in_it():
    rows = [("a\nb", "[/red] \x1b[31m"), ("c", "x" * 300)]
    lines = render(("one", "two"), rows, color=False, width=60).decode().splitlines()
    assert len(lines) == 3
    assert lines[0].split() == ["one", "two"]
    assert "a\\nb" in lines[1]
    assert "[/red] \\x1b[31m" in lines[1]
    assert max(map(len, lines)) <= 60
    assert lines == [line.rstrip() for line in lines]


def test_colours_are_in_it_only_if_wanted():
    assert b"\x1b[1m" in render(("one",), [("x",)], color=True)
    assert b"\x1b" not in render(("one",), [("x",)], color=False)
    assert heading("h", color=True) == "\x1b[1mh\x1b[0m"
    assert heading("h", color=False) == "h"


def test_the_environment_of_a_program_that_runs_us_changes_nothing(monkeypatch):
    for name in ("FORCE_COLOR", "NO_COLOR", "COLUMNS", "TERM"):
        monkeypatch.setenv(name, "1")
    assert b"\x1b" not in render(("one",), [("x" * 50,)], color=False)
    assert b"x" * 50 in render(("one",), [("x" * 50,)], color=False)


@pytest.mark.parametrize(
    ("columns", "screen", "width"),
    [
        ("100", 80, 100),
        ("1", 80, limits.TABLE_WIDTH_MIN),
        ("0", 80, 80),
        ("", 80, 80),
        ("wide", 80, 80),
        ("", 0, limits.TABLE_WIDTH),
        ("", 5, limits.TABLE_WIDTH_MIN),
        ("", None, limits.TABLE_WIDTH),
    ],
)
def test_the_width_is_what_is_asked_for_then_the_terminals(
    monkeypatch, columns, screen, width
):
    def size(_fd: int) -> os.terminal_size:
        if screen is None:
            raise OSError(25, "Inappropriate ioctl for device")
        return os.terminal_size((screen, 24))

    monkeypatch.setattr(os, "get_terminal_size", size)
    assert terminal_width({"COLUMNS": columns}) == width
