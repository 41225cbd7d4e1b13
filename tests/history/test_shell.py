from __future__ import annotations

import shlex
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl import limits
from mewctl.history.shell import Script, literal, plain, quote, subcommand, unwrap


def parts(text: str) -> list[tuple[str, str, list[str]]]:
    return [(p.before, p.program, p.arguments) for p in Script(text).parts]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("ls -la", [("", "ls", ["-la"])]),
        ("a && b || c", [("", "a", []), ("&&", "b", []), ("||", "c", [])]),
        ("a | b |& c; d & e", [("", "a", []), ("|", "b", []), ("|&", "c", []),
                               (";", "d", []), ("&", "e", [])]),
        ("a\n\nb", [("", "a", []), ("\n", "b", [])]),
        ("a &&\nb", [("", "a", []), ("&&", "b", [])]),
        ("a # no b; c\nd", [("", "a", []), ("\n", "d", [])]),
        ("echo a#b", [("", "echo", ["a#b"])]),
        ("a \\\n  b", [("", "a", ["b"])]),
        ("X=1 Y='2 3' sudo /usr/bin/rm a", [("", "rm", ["a"])]),
        ("X=1", [("", "", [])]),
        ("$TOOL a", [("", "", ["a"])]),
        ("[ -f a ]", [("", "[", ["-f", "a", "]"])]),
        ("grep 'a;b' \"c|d\"", [("", "grep", ["'a;b'", '"c|d"'])]),
        ("(cd a; b)", [("(", "cd", ["a"]), (";", "b", [])]),
        ("cat <<'EOF' > f\na; b\nEOF\nc", [("", "cat", []), ("\n", "c", [])]),
        ("cat <<-EOF\n\tx\n\tEOF\nc", [("", "cat", []), ("\n", "c", [])]),
        ("cat <<EOF && d\nx\nEOF", [("", "cat", []), ("&&", "d", [])]),
        ("cat <<EOF\nnever ends", [("", "cat", [])]),
        ("cat <<< word", [("", "cat", [])]),
        ('git commit -m "$(cat <<\'E\'\nit\'s\nE\n)"',
         [("", "git", ["commit", "-m", '"$(cat <<\'E\'\nit\'s\nE\n)"'])]),
    ],
)  # fmt: skip
def test_a_command_is_split_where_a_shell_splits_it(
    text: str, expected: list[tuple[str, str, list[str]]]
) -> None:
    assert parts(text) == expected


@pytest.mark.parametrize(
    ("text", "programs"),
    [
        ("a; b 'never closed; c", ["a"]),
        ('a; echo "$(echo "x; rm y")"', ["a"]),
        ("a; `never closed", ["a"]),
        ("a; " + "x " * limits.SHELL_TEXT + "; rm b", ["a"]),
    ],
)
def test_nothing_is_taken_from_what_cannot_be_read(
    text: str, programs: list[str]
) -> None:
    assert [part.program for part in Script(text).parts] == programs


def test_redirections_and_here_documents_belong_to_their_command() -> None:
    first, second = Script("a 2>&1 >out <in <<E; b &>>log\nbody\nE\n").parts
    assert first.redirects == [(">&", "1"), (">", "out"), ("<", "in")]
    assert first.heredoc == "body\n"
    assert second.redirects == [("&>>", "log")]
    assert (first.after, second.after) == (";", "\n")


@pytest.mark.parametrize(
    ("word", "taken"),
    [
        ("a", "a"),
        ("'a b'", "a b"),
        ('"a b"c', "a bc"),
        (r"a\ b", "a b"),
        ("a\\\nb", "ab"),
        (r'"a\"\$b\n"', r'a"$b\n'),
        ("'$HOME'", "$HOME"),
        ("$HOME/a", None),
        ('"$HOME/a"', None),
        ("*.py", None),
        ("'*.py'", "*.py"),
        ("a{1,2}", None),
        ("`pwd`", None),
    ],
)
def test_a_word_is_plain_if_no_expansion_changes_it(
    word: str, taken: str | None
) -> None:
    assert plain(word) == taken


def test_literal_takes_the_quotes_off_and_keeps_expansions() -> None:
    assert literal("'a'\"$b\"") == "a$b"


@given(st.text(alphabet="ab '\"\\$*;|\n", max_size=20))
def test_a_quoted_word_is_one_word_again(word: str) -> None:
    assert shlex.split(quote(word)) == [word]
    (part,) = Script(f"x {quote(word)}").parts
    assert [plain(argument) for argument in part.arguments] == [word]


@pytest.mark.parametrize(
    ("value", "command"),
    [
        ("ls", "ls"),
        (["bash", "-lc", "ls | wc"], "ls | wc"),
        (["/bin/zsh", "-l", "-c", "ls"], "ls"),
        (["bash", "-c"], "bash -c"),
        (["git", "commit", "-m", "a b"], "git commit -m 'a b'"),
        (["ls", 7, None], "ls"),
        ([], ""),
        (7, ""),
        ({"a": 1}, ""),
    ],
)
def test_a_command_argument_is_a_text_or_an_argv(value: object, command: str) -> None:
    assert unwrap(value) == command


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("git -C /x -c a=b --no-pager log -1", "log"),
        ("git", ""),
        ("git -C", ""),
    ],
)
def test_a_subcommand_is_the_first_word_that_is_no_option(text: str, name: str) -> None:
    assert subcommand(Script(text).parts[0]) == name


@given(st.text(alphabet="ab'\"\\$(){}`<>|&;#\n \tEOF=-", max_size=300))
def test_any_text_is_read_without_complaint(text: str) -> None:
    for part in Script(text).parts:
        assert part.words or part.redirects


@pytest.mark.parametrize(
    "text",
    ["'" * 200_000, "$(" * 100_000, "<<E " * 50_000, "a" * 1_000_000, '"\\' * 200_000],
)
def test_hostile_text_costs_no_more_than_its_length(text: str) -> None:
    start = time.process_time()
    assert isinstance(Script(text).parts, list)
    assert time.process_time() - start < 5
