from __future__ import annotations

import pytest

from mewctl import limits
from mewctl.history.patches import Touch
from mewctl.history.shell import Script
from mewctl.history.shell_files import touches

PY = "(named in a script that writes files)"


def kinds(command: str) -> list[tuple[str, str, str]]:
    return [(t.kind, t.path, t.to) for t in touches(Script(command))]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("ls && make test 2>&1 | grep x > /dev/null", []),
        ("rm -rf a 'b c' $X *.o", [("delete", "a", ""), ("delete", "b c", "")]),
        (
            "cd /w && rm a ../b /c",
            [("delete", "/w/a", ""), ("delete", "/b", ""), ("delete", "/c", "")],
        ),
        ("cd w; cd x; rm a", [("delete", "w/x/a", "")]),
        ("cd $D && rm a", [("delete", "a", "")]),
        ("cd - && cd x && rm a", [("delete", "a", "")]),
        ("mv a.py b.py", [("move", "a.py", "b.py")]),
        ("mv a b dir", [("move", "a", "dir/a"), ("move", "b", "dir/b")]),
        ("mv a dir/", [("move", "a", "dir/a")]),
        ("cd /w && mv a b", [("move", "/w/a", "/w/b")]),
        ("mv a $X", []),
        ("mv a", []),
        ("cp -r a b", [("write", "b", "")]),
        ("touch a b", [("write", "a", ""), ("write", "b", "")]),
        ("make | tee log /dev/stderr", [("write", "log", "")]),
        ("make | tee -a log", [("edit", "log", "")]),
        ("sed -i 's/a/b/' x y", [("edit", "x", ""), ("edit", "y", "")]),
        ("sed -i '' 's/a/b/' x", [("edit", "x", "")]),
        ("sed -i", []),
        ("perl -pi -e 's/a/b/' x", [("edit", "x", "")]),
        ("perl -e 'print' x", []),
        ("perl -pi", []),
        ("git rm -r a", [("delete", "a", "")]),
        ("git rm --cached a", []),
        ("git mv a b", [("move", "a", "b")]),
        ("git checkout main -- a b", [("edit", "a", ""), ("edit", "b", "")]),
        ("git checkout main", []),
        ("git restore a .", [("edit", "a", "")]),
        ("git restore --staged a", []),
        ("git restore --staged --worktree -- a", [("edit", "a", "")]),
        ("git", []),
        ("git status", []),
        ("echo hi > a", [("write", "a", "")]),
        ("echo hi >> a 2>/dev/null", [("edit", "a", "")]),
        ("x &> log; y >| z", [("write", "log", ""), ("write", "z", "")]),
        ("x > $LOG", []),
        ("x > 'a\nb'", []),
        ("cat > f <<E\nbody\nE", [("write", "f", "")]),
        ("python3 - <<E\nopen('a/b.py', 'w').write(s)\nE", [("edit", "a/b.py", "")]),
        ("python3 -c \"open('a.go').read()\"", []),
        ("node -e \"fs.writeFileSync('a.ts', s)\"", [("edit", "a.ts", "")]),
        ("python3 run.py", []),
        (
            "apply_patch <<'E'\n*** Begin Patch\n*** Delete File: a\n*** End Patch\nE",
            [("delete", "a", "")],
        ),
        (
            "apply_patch '*** Begin Patch\n*** Add File: b\n+x\n*** End Patch'",
            [("create", "b", "")],
        ),
    ],
)
def test_a_command_says_which_files_it_changes(
    command: str, expected: list[tuple[str, str, str]]
) -> None:
    assert kinds(command) == expected


@pytest.mark.parametrize(
    ("command", "change"),
    [
        ("echo -n a b > f", "+a b"),
        ("printf '%s' x >> f", "+%s x"),
        ("make > f", ""),
        ("cat > f <<E\none\ntwo\nE", "+one\n+two"),
        ("tee f <<E\none\nE", "+one"),
        ("sed -i 's/a/b/' f", "sed s/a/b/"),
        ("perl -pi -e 's/a/b/' f", "perl s/a/b/"),
        ("cp a f", "(copy of a)"),
        ("git checkout -- f", "(git checkout: back to a committed state)"),
        ("python3 -c \"open('f.py','w')\"", PY),
    ],
)
def test_the_change_is_shown_as_the_command_has_it(command: str, change: str) -> None:
    assert [touch.change for touch in touches(Script(command))] == [change]


@pytest.mark.parametrize(
    ("command", "certain"),
    [
        ("rm a", [False]),
        ("sed -i s/a/b/ f", [False]),
        ("rm a && make", [True]),
        ("rm a; rm b && make", [True, True]),
        ("make && rm a", [False]),
        ("make && rm a && make", [False]),
        ("make; rm a; make", [True]),
        ("make || rm a; make", [False]),
        ("> f make", [True]),
        ("make && x > f", [False]),
        ("cat a && rm b && make", [False, False]),
    ],
)
def test_what_ran_before_the_part_that_can_fail_is_certain(
    command: str, certain: list[bool]
) -> None:
    assert [touch.certain for touch in touches(Script(command))] == certain


def test_the_files_of_one_command_are_bounded() -> None:
    command = "rm " + " ".join(f"f{n}" for n in range(500))
    assert len(touches(Script(command))) == limits.FACT_PATHS


def test_a_read_alone_is_the_content_of_its_file() -> None:
    assert touches(Script("cd /w && cat -n a.py")) == (
        Touch("read", "/w/a.py", content=True, numbered=True),
    )
