from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl.spill.first_line import first_line

F = "/srv/.mewcode/spill/toolu_1"


def line(command: str) -> int | None:
    return first_line({"command": command}, command, command.split())


@pytest.mark.parametrize(
    ("command", "first"),
    [
        (f"cat {F}", 1),
        (f"cat -n {F} | head -50", 1),
        (f"head -n 100 {F}", 1),
        (f"cd /srv && cat {F}", 1),
        (f"/usr/bin/env cat {F}", 1),
        (f"tail -n +50 {F}", 50),
        (f"tail -n+50 {F} | head -n 9", 50),
        (f"tail +50 {F}", 50),
        (f"tail --lines=+50 {F}", 50),
        (f"sed -n 120,400p {F}", 120),
        (f"sed -n '120,$p' {F}", 120),
        (f"sed -n '120p' {F}", 120),
        (f"sed -n -e '120,+9p;130q' {F}", 120),
        (f"sed 1,119d {F}", 120),
        ("mewctl recall toolu_1", 1),
        ("mewctl recall toolu_1 --lines 7", 7),
        ("mewctl recall toolu_1 --lines 7:", 7),
        ("mewctl recall --lines=7:90 toolu_1 | head", 7),
        ("mewctl recall toolu_1 --lines :90", 1),
        (f"bash -lc 'sed -n 5,9p {F}'", 5),
        (f"bash -c \"sh -c 'tail -n +8 {F}'\"", 8),
    ],
)
def test_the_first_line_of_a_part_is_known(command, first):
    assert line(command) == first


@pytest.mark.parametrize(
    "command",
    [
        f"tail -n 50 {F}",
        f"tail -50 {F}",
        f"tail {F}",
        f"tail -c +50 {F} | wc",
        f"head -90 {F} | tail -9",
        f"cat {F} | grep x",
        f"grep -n x {F}",
        f"awk 'NR>=10' {F}",
        f"sed -n '/a/,/b/p' {F}",
        f"sed -n '5,9p;20,30p' {F}",
        f"sed 's/a/b/' {F}",
        f"echo hello; cat {F}",
        f"cat {F} < x",
        f"cat {F}\ncat other",
        f"cat '{F}",
        "mewctl recall --grep x toolu_1",
        "mewctl recall toolu_1 --lines x",
        "mewctl recall toolu_1 | sort",
        "mewctl spill x",
        "bash -c",
    ],
)
def test_what_is_not_surely_known_is_none(command):
    assert line(command) is None


@pytest.mark.parametrize(
    ("given", "first"),
    [
        ({"path": F}, 1),
        ({"path": F, "offset": 200}, 200),
        ({"path": F, "offset": -200}, None),
        ({"path": F, "offset": 0}, 1),
        ({"path": F, "offset": True}, 1),
        ({"path": F, "view_range": [40, -1]}, 40),
        ({"path": F, "view_range": []}, 1),
        ({"path": F, "start_line": 3, "end_line": 9}, 3),
    ],
)
def test_the_inputs_of_file_tools_are_read(given, first):
    assert first_line(given, F, [F]) == first


@pytest.mark.parametrize(
    ("argv", "first"),
    [(["sed", "-n", "5,9p", F], 5), (["tail", F], None), (["cat", F, None], 1)],
)
def test_a_command_without_a_shell_is_read_as_a_whole(argv, first):
    assert first_line({"cmd": argv}, F, [F]) == first


@given(st.text(alphabet="ab |;&'\"-+<\n1:,p$", max_size=40))
def test_no_command_is_a_problem(text):
    for command in (text, f"sed {text}", f"bash -c {shlex.quote(text)} x"):
        line(command)
