from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl.compact.programs import commit_message, language_of, only_looks, programs_in


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("/a/b.go", "Go"),
        ("C:\\a\\b.TSX", "TypeScript"),
        ("a.tar.gz", ""),
        ("Makefile", ""),
        ("/py/x", ""),
        (".py", "Python"),
        ("", ""),
    ],
)
def test_a_language_is_known_by_the_ending(path, language):
    assert language_of(path) == language


@pytest.mark.parametrize(
    ("command", "programs"),
    [
        ("cd /x && go test ./... 2>&1 | tail -3", ["go test"]),
        ("git status; git commit -m x", ["git commit"]),
        ("FOO=1 sudo /usr/bin/python3 a.py", ["python3"]),
        ("ls -la | grep x", []),
        ("make", ["make"]),
        ("npm run --silent build && mise run", ["npm run build", "mise run"]),
        ("uv run -q pytest -x; docker run img", ["uv run pytest", "docker run img"]),
        ("go test ./... && gola … (+12 characters)", ["go test"]),
        ("go test ./... && gola …", ["go test"]),
        ("", []),
    ],
)
def test_programs_that_do_something_are_named(command, programs):
    assert list(programs_in(command)) == programs


def test_commands_that_only_look_are_known():
    assert only_looks("cd x && ls | head")
    assert only_looks("git log --oneline | head -3 …")
    assert not only_looks("go test ./...")
    assert not only_looks("")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ('git add -A && git commit -m "Fix it\n\nBecause."', "Fix it"),
        ("git commit -am 'One'", "One"),
        ("git -C /x commit --amend -m 'Two'", "Two"),
        ("git commit -m \"$(cat <<'EOF'\nThree\n\nmore\nEOF\n)\"", "Three"),
        ('git commit -m "say \\"hi\\""', 'say \\"hi\\"'),
        ("git commit -m ''", ""),
        ("git commit", ""),
        ("git log && svn commit -m 'x'", ""),
        ("echo -m 'x'", ""),
    ],
)
def test_the_subject_of_a_commit_is_found(command, message):
    assert commit_message(command) == message


@given(st.text(alphabet="git commit-m\"'$(<EOF\n;|", max_size=80))
def test_no_command_makes_the_readers_raise(command):
    list(programs_in(command))
    only_looks(command)
    assert commit_message(command) in command
