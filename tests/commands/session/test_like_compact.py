"""The options that sessions share with ``compact``: its own, with other variables."""

from __future__ import annotations

import pytest

from tests.support.command_tree import command

OWN = {"emit", "origin", "to", "session", "directory", "root", "from_", "on_bad"} | {
    "max_record", "full", "sidechains", "strict", "output", "files",
}  # fmt: skip
ACT = {"trigger", "error", "focus", "dry_run", "check", "report"}


def options(name):
    return {param.name: param for param in command(name).params}


@pytest.mark.parametrize(
    ("name", "left_out"), [("session compact", OWN), ("session resume", OWN | ACT)]
)
def test_every_option_of_compact_is_there_and_means_the_same(name, left_out):
    source, found = options("compact"), options(name)
    shared = set(source) - left_out
    assert shared <= set(found)
    for key in shared - {"trigger"}:
        assert found[key].help == source[key].help
        assert found[key].default == source[key].default
        assert found[key].opts == source[key].opts


def test_variables_are_those_of_the_command_or_shared():
    for name in ("session compact", "session resume"):
        word = name.upper().replace(" ", "_")
        assert options(name)["reserve"].envvar == f"MEWCTL_{word}_RESERVE"
        assert options(name)["window"].envvar == "MEWCTL_WINDOW"
    assert options("compact")["reserve"].envvar == "MEWCTL_COMPACT_RESERVE"


def test_a_session_is_compacted_now_unless_told_otherwise():
    assert options("session compact")["trigger"].default == "manual"
    assert options("compact")["trigger"].default == "auto"
    assert "trigger" not in options("session resume")
